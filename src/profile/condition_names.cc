#include "profile/condition_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ichor {

namespace {

constexpr std::array<std::string_view, 15> kWords = {"if",   "elif", "else", "for",   "in",
                                                     "and",  "or",   "not",  "is",    "true",
                                                     "True", "none", "None", "false", "False"};

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Behind a quoted text that begins at `from`.
std::size_t skip_quoted(std::string_view text, std::size_t from) {
  std::size_t at = from + 1;
  while (at < text.size() && text[at] != text[from]) at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

bool is_argument_name(std::string_view text, std::size_t end) {
  while (end < text.size() && text[end] == ' ') ++end;
  return end < text.size() && text[end] == '=' && (end + 1 >= text.size() || text[end + 1] != '=');
}

}  // namespace

std::vector<std::string> condition_names(std::string_view text) {
  std::vector<std::string> names;
  std::string_view before;  // the last word or sign
  bool after_is = false;    // `is not defined` names a test too
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\'' || c == '"') {
      at = skip_quoted(text, at);
      before = "'";
      continue;
    }
    if (!is_letter(c)) {
      if (c != ' ') before = text.substr(at, 1);
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_letter(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool known = std::find(kWords.begin(), kWords.end(), word) != kWords.end();
    const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
    const bool member = before == "." || before == "|";
    if (!known && !number && !member && !after_is && !is_argument_name(text, end) &&
        std::find(names.begin(), names.end(), word) == names.end()) {
      names.emplace_back(word);
    }
    after_is = word == "is" || (after_is && word == "not");
    before = word;
    at = end;
  }
  return names;
}

}  // namespace ichor
