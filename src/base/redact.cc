#include "base/redact.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ichor {

namespace {

constexpr std::string_view kHidden = "***";

/// The part of every URL that stands before an @.
void hide_credentials(std::string& text) {
  constexpr std::string_view mark = "://";
  std::size_t at = text.find(mark);
  while (at != std::string::npos) {
    const std::size_t begin = at + mark.size();
    // The host ends at a slash; a password may hold an @ itself, so the last one counts.
    const std::size_t end = text.find_first_of("/?# \t\n\"'`<>", begin);
    const std::size_t sign = text.find_last_of('@', end == std::string::npos ? end : end - 1);
    if (sign != std::string::npos && sign >= begin) {
      text.replace(begin, sign - begin, kHidden);
    }
    at = text.find(mark, begin);
  }
}

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

/// The parameter whose `=` stands at `sign`: a name at the start of a word, of a query, or behind
/// another `=`, as kernel arguments have it. A flag such as --from-file=token=FILE has no value of
/// that name. Empty if there is none.
std::string_view parameter_at(std::string_view text, std::size_t sign) {
  std::size_t begin = sign;
  while (begin > 0 && is_name_letter(text[begin - 1])) --begin;
  const std::string_view name = text.substr(begin, sign - begin);
  if (begin == 0 || std::string_view("?& \t\n\"'`<>,;([{").find(text[begin - 1]) != text.npos) {
    return name;
  }
  if (text[begin - 1] != '=') return {};
  const std::size_t space = text.find_last_of(" \t\n", begin);
  const std::string_view word = text.substr(space == text.npos ? 0 : space + 1);
  return word.starts_with("--") ? std::string_view() : name;
}

bool hides(std::string_view name) {
  constexpr std::array<std::string_view, 9> parts = {"token",   "secret",     "passw",
                                                     "authkey", "auth_key",   "apikey",
                                                     "api_key", "credential", "signature"};
  constexpr std::array<std::string_view, 4> whole = {"key", "sig", "auth", "pwd"};
  std::string low(name);
  std::transform(low.begin(), low.end(), low.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return std::find(whole.begin(), whole.end(), low) != whole.end() ||
         std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return low.find(part) != std::string::npos; });
}

/// The values of `name=value` whose name says that they are secret.
void hide_parameters(std::string& text) {
  for (std::size_t sign = text.find('='); sign != std::string::npos;
       sign = text.find('=', sign + 1)) {
    if (!hides(parameter_at(text, sign))) continue;
    const std::size_t begin = sign + 1;
    const std::size_t end = std::min(text.find_first_of("& \t\n\"'`<>,;)]}", begin), text.size());
    if (end > begin) text.replace(begin, end - begin, kHidden);
  }
}

}  // namespace

std::string redact_urls(std::string text) {
  hide_credentials(text);
  hide_parameters(text);
  return text;
}

}  // namespace ichor
