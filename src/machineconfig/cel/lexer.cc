#include "machineconfig/cel/lexer.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace ichor::cel {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Longer ones first.
constexpr std::string_view kSigns[] = {"==", "!=", "<=", ">=", "&&", "||", "<", ">",
                                       "[",  "]",  "{",  "}",  "(",  ")",  ".", ",",
                                       "-",  "!",  "?",  ":",  "+",  "*",  "/", "%"};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  tl::expected<std::vector<Token>, Problem> run() {
    std::vector<Token> tokens;
    while (true) {
      skip_blanks();
      auto token = next();
      if (!token) return forward_error(token);
      tokens.push_back(*std::move(token));
      if (tokens.back().kind == Token::Kind::end) return tokens;
    }
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (std::string_view(" \t\r\n\f").find(text_[at_]) != std::string_view::npos) {
        ++at_;
      } else if (text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  tl::unexpected<Problem> refuse(std::size_t at, std::string what, std::string fix) const {
    return tl::unexpected(Problem{at, std::move(what), std::move(fix)});
  }

  tl::expected<Token, Problem> next() {
    if (at_ == text_.size()) return Token{Token::Kind::end, at_, ""};
    if (const auto prefix = quote_prefix()) return quoted(*prefix);
    if (is_letter(peek())) return word();
    if (peek() == '`') {
      if (auto token = escaped()) return *std::move(token);
    }
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
    for (const std::string_view sign : kSigns) {
      if (!text_.substr(at_).starts_with(sign)) continue;
      Token token{Token::Kind::sign, at_, std::string(sign)};
      at_ += sign.size();
      return token;
    }
    const std::string fix = peek() == '=' ? "compare with `==`" : "remove it";
    const bool printable = peek() > 0x20 && peek() < 0x7f;
    return refuse(at_,
                  printable ? fmt::format("`{}` has no meaning here", peek())
                            : std::string("this character has no meaning here"),
                  fix);
  }

  Token word() {
    Token token{Token::Kind::word, at_, ""};
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    token.text = text_.substr(token.at, at_ - token.at);
    return token;
  }

  /// A name in backquotes.
  std::optional<Token> escaped() {
    std::size_t end = at_ + 1;
    const auto fits = [](char c) {
      return is_letter(c) || is_digit(c) || std::string_view(".-/ ").find(c) != std::string::npos;
    };
    while (end < text_.size() && fits(text_[end])) ++end;
    if (end == at_ + 1 || end == text_.size() || text_[end] != '`') return std::nullopt;
    Token token{Token::Kind::escaped, at_, std::string(text_.substr(at_ + 1, end - at_ - 1))};
    at_ = end + 1;
    return token;
  }

  Token number() {
    Token token{Token::Kind::integer, at_, ""};
    if (peek() == '0' && peek(1) == 'x' && is_hex(peek(2))) {
      at_ += 2;
      while (is_hex(peek())) ++at_;
    } else {
      while (is_digit(peek())) ++at_;
      if (peek() == '.' && is_digit(peek(1))) {
        token.kind = Token::Kind::floating;
        ++at_;
        while (is_digit(peek())) ++at_;
      }
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
      if ((peek() == 'e' || peek() == 'E') && is_digit(peek(sign))) {
        token.kind = Token::Kind::floating;
        at_ += sign;
        while (is_digit(peek())) ++at_;
      }
    }
    token.text = text_.substr(token.at, at_ - token.at);
    if (token.kind == Token::Kind::integer && (peek() == 'u' || peek() == 'U')) {
      token.kind = Token::Kind::unsigned_integer;
      ++at_;
    }
    return token;
  }

  /// How many letters (b, r or both) stand before a quote that begins here.
  std::optional<std::size_t> quote_prefix() const {
    std::size_t letters = 0;
    if (peek() == 'b' || peek() == 'B') ++letters;
    if (peek(letters) == 'r' || peek(letters) == 'R') ++letters;
    const char quote = peek(letters);
    return quote == '"' || quote == '\'' ? std::optional(letters) : std::nullopt;
  }

  tl::expected<Token, Problem> quoted(std::size_t prefix) {
    Token token{Token::Kind::text, at_, ""};
    const std::string_view letters = text_.substr(at_, prefix);
    if (letters.find_first_of("bB") != std::string_view::npos) token.kind = Token::Kind::bytes;
    const bool raw = letters.find_first_of("rR") != std::string_view::npos;
    at_ += prefix;
    std::string_view quote = text_.substr(at_, 3);
    const bool triple = quote == "\"\"\"" || quote == "'''";
    if (!triple) quote = quote.substr(0, 1);
    at_ += quote.size();
    while (at_ < text_.size()) {
      if (text_.substr(at_).starts_with(quote)) {
        at_ += quote.size();
        return token;
      }
      if (!triple && (peek() == '\n' || peek() == '\r')) break;
      if (peek() == '\\' && !raw) {
        const std::size_t length = escape_length(token.kind == Token::Kind::bytes);
        if (length == 0) {
          return refuse(at_, "unknown escape in a text",
                        "write `\\\\` for a backslash, or r'…' for a text without escapes");
        }
        at_ += length;
      } else {
        ++at_;
      }
    }
    return refuse(token.at, "the text does not end", fmt::format("close it with {}", quote));
  }

  /// The length of the escape that begins here; 0 if it is none.
  std::size_t escape_length(bool bytes) const {
    const char c = peek(1);
    if (c != '\0' && std::string_view("abfnrtv\"'\\?`").find(c) != std::string_view::npos) return 2;
    const auto hex = [&](std::size_t count) -> std::size_t {
      for (std::size_t i = 0; i < count; ++i) {
        if (!is_hex(peek(2 + i))) return 0;
      }
      return 2 + count;
    };
    if (c == 'x' || c == 'X') return hex(2);
    if (c == 'u' && !bytes) return is_scalar_value(hex(4));
    if (c == 'U' && !bytes) return is_scalar_value(hex(8));
    const auto octal = [&](std::size_t ahead) { return peek(ahead) >= '0' && peek(ahead) <= '7'; };
    return c >= '0' && c <= '3' && octal(2) && octal(3) ? 4 : 0;
  }

  /// `length` again if the escape of that length is a character of Unicode.
  std::size_t is_scalar_value(std::size_t length) const {
    if (length == 0) return 0;
    unsigned long value = 0;
    for (const char c : text_.substr(at_ + 2, length - 2)) {
      const int digit = is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
      value = value * 16 + static_cast<unsigned long>(digit);
    }
    const bool surrogate = value >= 0xd800 && value <= 0xdfff;
    return value <= 0x10ffff && !surrogate ? length : 0;
  }

  std::string_view text_;
  std::size_t at_{0};
};

}  // namespace

tl::expected<std::vector<Token>, Problem> tokens_of(std::string_view text) {
  return Lexer(text).run();
}

}  // namespace ichor::cel
