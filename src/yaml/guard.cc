#include "yaml/guard.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

namespace ichor::yaml {

namespace {

/// Tokens of one flow collection that libfyaml may hold at once: 40 MiB.
constexpr std::size_t kFlowTokensMax = 100'000;
/// And the bound where the scan is led astray by quotes and brackets in other text: 100 MiB.
constexpr std::size_t kFlowSignsMax = 250'000;
constexpr int kDirectivesMax = 1'000;
constexpr int kPropertiesMax = 1'000;
constexpr int kQuotedLinesMax = 100'000;
constexpr std::size_t kBlanksFree = 200;
constexpr std::size_t kBlanksSquaredMax = 100'000'000;  // 0.2 s

/// Finds line and column only when there is something to complain about.
Position position_of(std::string_view text, std::size_t offset) {
  Position at{1, 1};
  for (std::size_t i = 0; i < offset; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if (byte == '\n' || (byte == '\r' && (i + 1 >= text.size() || text[i + 1] != '\n'))) {
      ++at.line;
      at.column = 1;
    } else if ((byte & 0xC0) != 0x80) {
      ++at.column;
    }
  }
  return at;
}

/// Length of the UTF-8 sequence at the start of `text`; 0 if it is none (overlong, a surrogate,
/// beyond U+10FFFF or cut off).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

bool is_control(std::uint8_t byte) {
  return (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
}

std::optional<SyntaxError> find_bad_character(std::string_view text, const std::string& file) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if (byte >= 0x20 && byte < 0x7F) {  // nearly all of most texts
      ++i;
      continue;
    }
    if (is_control(byte)) {
      return SyntaxError{file, position_of(text, i),
                         fmt::format("the control character 0x{:02x} is not allowed", byte)};
    }
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) {
      return SyntaxError{file, position_of(text, i),
                         fmt::format("the byte 0x{:02x} is not UTF-8", byte)};
    }
    i += length;
  }
  return std::nullopt;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_break(char c) { return c == '\n' || c == '\r'; }

/// Walks over all that could be a flow collection. What lies in block scalars looks the same from
/// here, so a finding means "more than libfyaml may be asked to hold", not "wrong".
class Scan {
 public:
  Scan(std::string_view text, const std::string& file, int depth_max)
      : text_(text), file_(file), depth_max_(depth_max) {}

  static bool is_flow_sign(char c) {
    return c == '[' || c == ']' || c == '{' || c == '}' || c == ',';
  }

  std::optional<SyntaxError> run() {
    int directives = 0;
    while (at_ < text_.size()) {
      directives = text_[at_] == '%' ? directives + 1 : 0;
      if (directives > kDirectivesMax) return finding(at_, "too many directives");
      if (too_many_properties()) return finding(at_, "too many anchors and tags in a row");
      if (too_many_quoted_lines()) return finding(at_, "too many quoted lines in a row");
      if (starts_afresh()) tokens_ = 0;
      while (at_ < text_.size() && text_[at_] == ' ') ++at_;  // indentation is free
      while (at_ < text_.size() && !is_break(text_[at_])) {
        if (starts_flow()) {
          if (!walk_flow()) return too_long();
        } else if (!skip_one()) {
          return finding(at_, "too many blanks in a row");
        }
      }
      while (at_ < text_.size() && is_break(text_[at_])) ++at_;
    }
    return std::nullopt;
  }

 private:
  std::optional<SyntaxError> finding(std::size_t offset, std::string what) const {
    return SyntaxError{file_, position_of(text_, offset), std::move(what)};
  }

  std::optional<SyntaxError> too_long() const {
    if (blanks_squared_ > kBlanksSquaredMax) return finding(at_, "too many blanks in a row");
    if (depth_ > depth_max_) {
      return finding(start_, fmt::format("nested more than {} levels deep", depth_max_));
    }
    return finding(start_, fmt::format("a collection in brackets has more than {} elements",
                                       kFlowTokensMax / 2));
  }

  /// Counts anchors, tags and aliases in a row, over line ends, until something else stands there.
  bool too_many_properties() {
    for (std::size_t i = at_; i < text_.size() && !is_break(text_[i]);) {
      const char c = text_[i];
      if (c == '&' || c == '!' || c == '*') {
        if (++properties_ > kPropertiesMax) return true;
        while (i < text_.size() && !is_blank(text_[i])) ++i;
      } else if (is_blank(c) || c == '-' || c == '?' || c == ':') {
        ++i;
      } else if (c == '#') {
        return false;
      } else {
        properties_ = 0;
        return false;
      }
    }
    return false;
  }

  /// Counts lines that start with a quote, over comments and blank lines.
  bool too_many_quoted_lines() {
    const std::size_t first = text_.find_first_not_of(" \t", at_);
    if (first == std::string_view::npos) return false;
    const char c = text_[first];
    if (c == '"' || c == '\'') return ++quoted_lines_ > kQuotedLinesMax;
    if (c != '#' && !is_break(c)) quoted_lines_ = 0;
    return false;
  }

  /// Whether this line does not go on with the flow collections of the last one.
  bool starts_afresh() const {
    const std::size_t first = text_.find_first_not_of(" \t", at_);
    constexpr std::string_view continues = "[]{},:#\r\n";
    return first != std::string_view::npos &&
           continues.find(text_[first]) == std::string_view::npos;
  }

  /// One character on, or a run of blanks: libfyaml can take time by the square of its length, so
  /// the squares of long runs have a budget.
  bool skip_one() {
    const std::size_t start = at_++;
    if (!is_inner_blank(text_[start])) return true;
    while (at_ < text_.size() && is_inner_blank(text_[at_])) ++at_;
    return within_budget(at_ - start);
  }

  static bool is_inner_blank(char c) { return c == ' ' || c == '\t'; }

  bool within_budget(std::size_t blanks) {
    if (blanks > kBlanksFree) blanks_squared_ += blanks * blanks;
    return blanks_squared_ <= kBlanksSquaredMax;
  }

  bool starts_flow() const {
    if (text_[at_] != '[' && text_[at_] != '{') return false;
    constexpr std::string_view before = " \t\r\n:]}";
    return at_ == 0 || before.find(text_[at_ - 1]) != std::string_view::npos;
  }

  void skip_quoted(char quote) {
    for (++at_; at_ < text_.size(); ++at_) {
      const bool doubled = quote == '\'' && at_ + 1 < text_.size() && text_[at_ + 1] == quote;
      if (quote == '"' && text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == quote && doubled) {
        ++at_;
      } else if (text_[at_] == quote) {
        break;
      }
    }
    ++at_;
  }

  bool ends_word(std::size_t i) const {
    return i >= text_.size() || is_blank(text_[i]) || is_flow_sign(text_[i]);
  }

  /// Whether this is a `:`, `?` or `-` that is a token and no part of a plain scalar. The
  /// difference matters: a quote inside a plain scalar is text, and taking it for a quote would
  /// hide what follows.
  bool is_indicator(char c) const {
    constexpr std::string_view adjacent = "\"']}";
    if (c == ':') {
      return ends_word(at_ + 1) ||
             (!in_plain_ && adjacent.find(text_[at_ - 1]) != std::string_view::npos);
    }
    return !in_plain_ && (c == '?' || c == '-') && ends_word(at_ + 1);
  }

  /// True at the end of the collection or of the text; false when it has too many tokens.
  bool walk_flow() {
    start_ = at_;
    depth_ = 0;
    in_plain_ = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_flow_sign(c) || is_indicator(c)) {
        ++tokens_;
        in_plain_ = false;
        depth_ += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        ++at_;
        if (depth_ == 0) return true;
      } else if (c == '#' && is_blank(text_[at_ - 1])) {
        while (at_ < text_.size() && !is_break(text_[at_])) ++at_;
      } else if (!in_plain_ && (c == '"' || c == '\'')) {
        ++tokens_;
        skip_quoted(c);
      } else if (!in_plain_ && (c == '&' || c == '*' || c == '!')) {
        ++tokens_;
        while (!ends_word(at_)) ++at_;
      } else {
        if (!in_plain_ && !is_blank(c)) {
          ++tokens_;
          in_plain_ = true;
        }
        if (!skip_one()) return false;
      }
      if (tokens_ > kFlowTokensMax) return false;
    }
    return true;
  }

  std::string_view text_;
  const std::string& file_;
  int depth_max_;
  std::size_t at_{0};
  std::size_t start_{0};
  int depth_{0};
  bool in_plain_{false};   // within a plain scalar of a flow collection
  std::size_t tokens_{0};  // of the flow collections that share a line
  int properties_{0};
  int quoted_lines_{0};
  std::size_t blanks_squared_{0};
};

}  // namespace

std::optional<SyntaxError> find_unreadable(std::string_view text, const std::string& file,
                                           const Limits& limits) {
  if (text.size() > limits.bytes_max) {
    return SyntaxError{
        file, Position{1, 1},
        fmt::format("the text has {} bytes; the limit is {}", text.size(), limits.bytes_max)};
  }
  if (auto bad = find_bad_character(text, file)) return bad;
  const auto signs = std::count_if(text.begin(), text.end(), Scan::is_flow_sign);
  if (static_cast<std::size_t>(signs) > kFlowSignsMax) {
    return SyntaxError{file, Position{1, 1}, "too many brackets and commas"};
  }
  return Scan(text, file, limits.depth_max).run();
}

}  // namespace ichor::yaml
