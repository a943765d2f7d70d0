#include "template/lexer.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

#include "template/literal.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

/// CRLF and CR become LF, and one trailing newline goes unless it is wanted.
std::string normalized(std::string_view text, bool keep_trailing_newline) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      result.push_back(text[i]);
    } else {
      result.push_back('\n');
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    }
  }
  if (!keep_trailing_newline && !result.empty() && result.back() == '\n') result.pop_back();
  return result;
}

class Lexer {
 public:
  Lexer(std::string_view source, const std::string& file, const Syntax& syntax)
      : source_(source), file_(file), syntax_(syntax), delimiters_(syntax.delimiters) {}

  Outcome<std::vector<Token>> run() {
    while (at_ < source_.size()) {
      if (auto read = read_text(); !read) return forward_error(read);
    }
    add(TokenKind::end, at_);
    return std::move(tokens_);
  }

 private:
  enum class Tag { none, raw, block, variable, comment };
  /// What stands after the opening delimiter: `-` strips, `+` keeps.
  struct Opening {
    Tag tag{Tag::none};
    std::size_t at{0};
    std::size_t end{0};  // behind the delimiter and its sign
    char sign{0};
  };

  bool is_at(std::size_t at, std::string_view word) const {
    return !word.empty() && source_.substr(std::min(at, source_.size()), word.size()) == word;
  }
  bool is_space_at(std::size_t at, std::size_t& size) const;
  std::size_t skip_spaces(std::size_t at) const {
    for (std::size_t size = 0; is_space_at(at, size);) at += size;
    return at;
  }

  Position position(std::size_t offset);
  tl::unexpected<Trouble> fail(std::size_t offset, std::string what, std::string fix) {
    Trouble problem{std::move(what), std::move(fix), position(offset), {}, {}};
    return tl::unexpected(std::move(problem));
  }
  Token& add(TokenKind kind, std::size_t offset) {
    tokens_.push_back({kind, {}, {}, position(offset), offset});
    return tokens_.back();
  }

  /// Where `word` stands next; `next` keeps the answer of the last time.
  std::size_t find_from(std::size_t& next, std::string_view word) const;
  Opening find_opening() const;
  std::optional<std::size_t> raw_begin_end(std::size_t after_sign) const;
  void add_data(std::size_t end, const Opening& opening);
  std::size_t after_block_end(std::size_t at, std::string_view end) const;
  Outcome<void> read_text();
  Outcome<void> read_comment(std::size_t begin);
  Outcome<void> read_raw(std::size_t begin);
  Outcome<void> read_tag(TokenKind end_kind);
  bool read_tag_end(TokenKind end_kind);
  Outcome<void> read_token();
  Outcome<void> read_sign();
  Outcome<void> read_string();

  std::string_view source_;
  const std::string& file_;
  const Syntax& syntax_;
  const Delimiters& delimiters_;
  std::vector<Token> tokens_;
  std::size_t at_{0};
  bool line_starting_{true};  // the last match ended with a newline
  std::string brackets_;      // the closing ones that are awaited
  // Where the last position was asked for; positions are asked for in rising order, mostly.
  std::size_t known_offset_{0};
  int known_line_{1}, known_column_{1};
  // The next ends of a comment, both of them; kept because the rest of the text is searched once.
  std::size_t next_comment_end_{0}, next_comment_end_too_{0};
};

bool Lexer::is_space_at(std::size_t at, std::size_t& size) const {
  if (at >= source_.size()) return false;
  const auto byte = static_cast<unsigned char>(source_[at]);
  size = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  return is_space(to_points(source_.substr(at, size))[0]);
}

Position Lexer::position(std::size_t offset) {
  if (offset < known_offset_) {
    known_offset_ = 0;
    known_line_ = known_column_ = 1;
  }
  for (; known_offset_ < offset; ++known_offset_) {
    const auto byte = static_cast<unsigned char>(source_[known_offset_]);
    if (byte == '\n') {
      ++known_line_;
      known_column_ = 1;
    } else if ((byte & 0xC0) != 0x80) {
      ++known_column_;
    }
  }
  return {&file_, known_line_, known_column_};
}

std::size_t Lexer::find_from(std::size_t& next, std::string_view word) const {
  if (next < at_) next = source_.find(word, at_);
  return next;
}

/// Where a raw tag ends whose name would stand here, if it is one.
std::optional<std::size_t> Lexer::raw_begin_end(std::size_t after_sign) const {
  std::size_t at = skip_spaces(after_sign);
  if (!is_at(at, "raw")) return std::nullopt;
  at = skip_spaces(at + 3);
  if (is_at(at, "-" + delimiters_.block_end)) {
    return skip_spaces(at + 1 + delimiters_.block_end.size());
  }
  if (is_at(at, delimiters_.block_end)) return at + delimiters_.block_end.size();
  return std::nullopt;
}

Lexer::Opening Lexer::find_opening() const {
  const std::array<std::pair<Tag, const std::string*>, 3> starts{
      {{Tag::variable, &delimiters_.variable_begin},
       {Tag::comment, &delimiters_.comment_begin},
       {Tag::block, &delimiters_.block_begin}}};
  const std::array<char, 3> firsts{delimiters_.variable_begin[0], delimiters_.comment_begin[0],
                                   delimiters_.block_begin[0]};
  const std::string_view first(firsts.data(), firsts.size());
  for (std::size_t at = source_.find_first_of(first, at_); at != std::string_view::npos;
       at = source_.find_first_of(first, at + 1)) {
    for (const auto& [tag, begin] : starts) {
      if (!is_at(at, *begin)) continue;
      Opening opening{tag, at, at + begin->size(), 0};
      if (is_at(opening.end, "-") || is_at(opening.end, "+")) {
        opening.sign = source_[opening.end++];
      }
      if (tag == Tag::block) {
        if (const auto raw_end = raw_begin_end(opening.end)) {
          opening.tag = Tag::raw;
          opening.end = *raw_end;
        }
      }
      return opening;
    }
  }
  return {Tag::none, source_.size(), source_.size(), 0};
}

/// The text up to `end`, without what the tag behind it strips.
void Lexer::add_data(std::size_t end, const Opening& opening) {
  std::string_view text = source_.substr(at_, end - at_);
  if (opening.sign == '-') {
    text = strip(text, Side::right);
  } else if (opening.sign != '+' && syntax_.lstrip_blocks && opening.tag != Tag::variable &&
             opening.tag != Tag::none) {
    const std::size_t newline = text.rfind('\n');
    const std::size_t line = newline == std::string_view::npos ? 0 : newline + 1;
    const bool starts_line = line > 0 || line_starting_;
    const std::string_view indent = text.substr(line);
    if (starts_line && strip(indent).empty()) text = text.substr(0, line);
  }
  if (!text.empty()) add(TokenKind::data, at_).text = text;
}

/// Where the text goes on behind a tag's end: `-` swallows white space, trim_blocks one newline.
std::size_t Lexer::after_block_end(std::size_t at, std::string_view end) const {
  if (source_[at] == '-') return skip_spaces(at + 1 + end.size());
  if (source_[at] == '+' && !is_at(at, end)) return at + 1 + end.size();
  at += end.size();
  if (syntax_.trim_blocks && is_at(at, "\n")) ++at;
  return at;
}

Outcome<void> Lexer::read_text() {
  const Opening opening = find_opening();
  add_data(opening.at, opening);
  const std::size_t begin = opening.at;
  at_ = opening.end;
  line_starting_ = at_ > 0 && source_[at_ - 1] == '\n';
  switch (opening.tag) {
    case Tag::none: return {};
    case Tag::comment: return read_comment(begin);
    case Tag::raw: return read_raw(begin);
    case Tag::block: add(TokenKind::block_begin, begin); return read_tag(TokenKind::block_end);
    case Tag::variable:
      add(TokenKind::variable_begin, begin);
      return read_tag(TokenKind::variable_end);
  }
  return {};
}

Outcome<void> Lexer::read_comment(std::size_t begin) {
  const std::size_t first = find_from(next_comment_end_, delimiters_.comment_end);
  const std::size_t second = delimiters_.comment_end_too.empty()
                                 ? std::string_view::npos
                                 : find_from(next_comment_end_too_, delimiters_.comment_end_too);
  if (first == std::string_view::npos && second == std::string_view::npos) {
    return fail(begin, "a comment has no end", "close it with " + delimiters_.comment_end);
  }
  const bool is_first = first <= second;
  const std::string& end = is_first ? delimiters_.comment_end : delimiters_.comment_end_too;
  std::size_t at = is_first ? first : second;
  // The sign in front of the end belongs to it.
  if (at > at_ && (source_[at - 1] == '-' || source_[at - 1] == '+')) --at;
  at_ = after_block_end(at, end);
  line_starting_ = source_[at_ - 1] == '\n';
  return {};
}

Outcome<void> Lexer::read_raw(std::size_t begin) {
  for (std::size_t at = source_.find(delimiters_.block_begin, at_); at != std::string_view::npos;
       at = source_.find(delimiters_.block_begin, at + 1)) {
    Opening opening{Tag::raw, at, at + delimiters_.block_begin.size(), 0};
    if (is_at(opening.end, "-") || is_at(opening.end, "+")) opening.sign = source_[opening.end++];
    std::size_t end = skip_spaces(opening.end);
    if (!is_at(end, "endraw")) continue;
    end = skip_spaces(end + 6);
    const std::size_t signless = is_at(end, "-") || is_at(end, "+") ? end + 1 : end;
    if (!is_at(signless, delimiters_.block_end)) continue;
    add_data(at, opening);
    at_ = after_block_end(end, delimiters_.block_end);
    line_starting_ = source_[at_ - 1] == '\n';
    return {};
  }
  return fail(begin, "a raw block has no end", "close it with an endraw block");
}

/// The end of the tag, if it stands here.
bool Lexer::read_tag_end(TokenKind end_kind) {
  if (!brackets_.empty()) return false;
  const bool is_block = end_kind == TokenKind::block_end;
  const std::string& end = is_block ? delimiters_.block_end : delimiters_.variable_end;
  const bool has_minus = is_at(at_, "-" + end);
  const bool has_plus = is_block && is_at(at_, "+" + end);
  if (!has_minus && !has_plus && !is_at(at_, end)) return false;
  add(end_kind, at_);
  if (is_block || has_minus) {
    at_ = after_block_end(at_, end);
  } else {
    at_ += end.size();
  }
  line_starting_ = source_[at_ - 1] == '\n';
  return true;
}

Outcome<void> Lexer::read_tag(TokenKind end_kind) {
  const std::size_t begin = tokens_.back().offset;
  brackets_.clear();
  while (true) {
    at_ = skip_spaces(at_);
    if (at_ >= source_.size()) {
      const bool is_block = end_kind == TokenKind::block_end;
      return fail(begin, "a tag has no end",
                  "close it with " + (is_block ? delimiters_.block_end : delimiters_.variable_end));
    }
    if (read_tag_end(end_kind)) return {};
    if (auto read = read_token(); !read) return read;
  }
}

Outcome<void> Lexer::read_token() {
  const std::string_view rest = source_.substr(at_);
  const bool after_dot = at_ > 0 && source_[at_ - 1] == '.';
  if (const auto number = number_at(rest, after_dot)) {
    if (!number->value) {
      return fail(at_, "an integer outside of 64 bits", "use a smaller number, or a float");
    }
    add(TokenKind::number, at_).value = *number->value;
    at_ += number->size;
    return {};
  }
  if (const std::size_t size = name_size(rest); size > 0) {
    add(TokenKind::name, at_).text = rest.substr(0, size);
    at_ += size;
    return {};
  }
  if (rest[0] == '"' || rest[0] == '\'') return read_string();
  return read_sign();
}

Outcome<void> Lexer::read_string() {
  const char quote = source_[at_];
  std::size_t end = at_ + 1;
  while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
  if (end >= source_.size()) {
    return fail(at_, "a text in quotes has no end", fmt::format("close it with {}", quote));
  }
  auto text = unescape(source_.substr(at_ + 1, end - at_ - 1));
  if (!text) return fail(at_, text.error().what, text.error().fix);
  add(TokenKind::string, at_).value = Value::string(*std::move(text));
  at_ = end + 1;
  return {};
}

Outcome<void> Lexer::read_sign() {
  // Longer ones first: `//` is not two divisions.
  static constexpr std::array<std::string_view, 26> signs{
      "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
      "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};
  const auto sign = std::find_if(signs.begin(), signs.end(),
                                 [this](std::string_view known) { return is_at(at_, known); });
  if (sign == signs.end()) {
    return fail(at_, "a character that has no meaning in a tag", "put text into quotes");
  }
  const char letter = (*sign)[0];
  if (letter == '(') brackets_.push_back(')');
  if (letter == '[') brackets_.push_back(']');
  if (letter == '{') brackets_.push_back('}');
  if (letter == ')' || letter == ']' || letter == '}') {
    if (brackets_.empty()) {
      return fail(at_, fmt::format("a '{}' without its opening bracket", letter), "remove it");
    }
    if (brackets_.back() != letter) {
      return fail(at_, fmt::format("a '{}' where '{}' is awaited", letter, brackets_.back()),
                  "close the inner bracket first");
    }
    brackets_.pop_back();
  }
  add(TokenKind::sign, at_).text = *sign;
  at_ += sign->size();
  return {};
}

}  // namespace

Outcome<std::vector<Token>> tokenize(std::string_view text, const std::string& file,
                                     const Syntax& syntax, std::string& source) {
  const auto bad = find_bad_utf8(text);
  source = normalized(text.substr(0, bad.value_or(text.size())),
                      bad ? true : syntax.keep_trailing_newline);
  if (bad) {
    const auto line = std::count(source.begin(), source.end(), '\n') + 1;
    Trouble problem{"the template is not UTF-8", "save it as UTF-8", {}, {}, {}};
    const std::size_t newline = source.rfind('\n');
    const std::size_t start = newline == std::string::npos ? 0 : newline + 1;
    problem.at = {&file, static_cast<int>(line),
                  static_cast<int>(count_points(source.substr(start))) + 1};
    return tl::unexpected(std::move(problem));
  }
  return Lexer(source, file, syntax).run();
}

}  // namespace ichor::jinja
