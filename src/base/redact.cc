#include "base/redact.h"

#include <string_view>

namespace ichor {

std::string redact_urls(std::string text) {
  constexpr std::string_view mark = "://";
  constexpr std::string_view hidden = "***";
  std::size_t at = text.find(mark);
  while (at != std::string::npos) {
    const std::size_t begin = at + mark.size();
    // The host ends at a slash; a password may hold an @ itself, so the last one counts.
    const std::size_t end = text.find_first_of("/?# \t\n\"'`<>", begin);
    const std::size_t sign = text.find_last_of('@', end == std::string::npos ? end : end - 1);
    if (sign != std::string::npos && sign >= begin) {
      text.replace(begin, sign - begin, hidden);
    }
    at = text.find(mark, begin);
  }
  return text;
}

}  // namespace ichor
