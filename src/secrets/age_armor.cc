#include "secrets/age_armor.h"

#include <algorithm>

#include "secrets/base64.h"

namespace ichor::age {

namespace {

constexpr std::string_view kBegin = "-----BEGIN AGE ENCRYPTED FILE-----";
constexpr std::string_view kEnd = "-----END AGE ENCRYPTED FILE-----";
constexpr std::size_t kColumns = 64;

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view take_line(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

tl::unexpected<Error> damaged(std::string_view why) {
  return fail(Errc::invalid, "the age armor is damaged: " + std::string(why));
}

}  // namespace

bool is_armored(std::string_view text) { return without_blanks(text).starts_with(kBegin); }

Result<std::string> remove_armor(std::string_view text) {
  text = without_blanks(text);
  if (take_line(text) != kBegin) return damaged("its first line is not the one it must be");
  std::string bytes;
  bool ended = false;
  while (true) {
    if (text.empty()) return damaged("its last line is missing");
    const std::string_view line = take_line(text);
    if (line == kEnd) break;
    if (ended) return damaged("a line is behind the last one");
    if (line.empty() || line.size() > kColumns) return damaged("a line is empty or too long");
    ended = line.size() < kColumns || line.ends_with('=');
    const auto part = pki::from_base64(line);
    if (!part || pki::base64(*part) != line) return damaged("a line is not canonical base64");
    bytes += *part;
  }
  if (!text.empty()) return damaged("there is something behind it");
  return bytes;
}

std::string add_armor(std::string_view bytes) {
  std::string text(kBegin);
  text += '\n';
  const std::string body = pki::base64(bytes);
  for (std::size_t at = 0; at < body.size(); at += kColumns) {
    text.append(body, at, kColumns);
    text += '\n';
  }
  return text.append(kEnd) += '\n';
}

}  // namespace ichor::age
