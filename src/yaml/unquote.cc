#include "yaml/unquote.h"

#include <charconv>
#include <cstdint>

namespace ichor::yaml {

namespace {

void append_utf8(std::string& out, std::uint32_t c) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

/// What a one-letter escape stands for; nullopt for letters that stand for nothing or take digits.
std::optional<std::uint32_t> simple_escape(char letter) {
  switch (letter) {
    case '0': return 0;
    case 'a': return 7;
    case 'b': return 8;
    case 't':
    case '\t': return 9;
    case 'n': return 10;
    case 'v': return 11;
    case 'f': return 12;
    case 'r': return 13;
    case 'e': return 27;
    case ' ':
    case '"':
    case '/':
    case '\\': return static_cast<std::uint32_t>(letter);
    case 'N': return 0x85;
    case '_': return 0xA0;
    case 'L': return 0x2028;
    case 'P': return 0x2029;
    default: return std::nullopt;
  }
}

class Reader {
 public:
  Reader(std::string_view raw, char quote) : raw_(raw), quote_(quote) {}

  std::optional<std::string> run() {
    while (at_ < raw_.size()) {
      if (quote_ == '"' && raw_[at_] == '\\') {
        if (!escape()) return std::nullopt;
      } else if (quote_ == '\'' && raw_[at_] == quote_) {
        at_ += 2;
        out_ += quote_;
      } else if (is_break()) {
        fold();
      } else {
        out_ += raw_[at_++];
      }
    }
    return std::move(out_);
  }

 private:
  bool is_break() const { return at_ < raw_.size() && (raw_[at_] == '\n' || raw_[at_] == '\r'); }
  void skip_break() { at_ += raw_.substr(at_).starts_with("\r\n") ? 2 : 1; }
  void skip_blanks() {
    while (at_ < raw_.size() && (raw_[at_] == ' ' || raw_[at_] == '\t')) ++at_;
  }

  /// Counts the line ends from here on, over blank lines.
  int skip_lines() {
    int breaks = 0;
    for (; is_break(); ++breaks) {
      skip_break();
      skip_blanks();
    }
    return breaks;
  }

  /// A single line end is a space, more are one line end less; blanks around them do not count.
  void fold() {
    while (out_.size() > solid_ && (out_.back() == ' ' || out_.back() == '\t')) out_.pop_back();
    const int breaks = skip_lines();
    out_ +=
        breaks == 1 ? std::string(" ") : std::string(static_cast<std::size_t>(breaks - 1), '\n');
    solid_ = out_.size();
  }

  bool escape() {
    ++at_;
    if (at_ >= raw_.size()) return false;
    if (is_break()) {
      const int breaks = skip_lines();
      out_.append(static_cast<std::size_t>(breaks - 1), '\n');
      solid_ = out_.size();
      return true;
    }
    const char letter = raw_[at_++];
    auto c = simple_escape(letter);
    if (!c) c = digits(letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0);
    if (!c) return false;
    append_utf8(out_, *c);
    solid_ = out_.size();
    return true;
  }

  std::optional<std::uint32_t> digits(std::size_t count) {
    if (count == 0 || raw_.size() - at_ < count) return std::nullopt;
    std::uint32_t c = 0;
    const char* end = raw_.data() + at_ + count;
    const auto [stop, error] = std::from_chars(raw_.data() + at_, end, c, 16);
    if (error != std::errc{} || stop != end || c > 0x10FFFF) return std::nullopt;
    at_ += count;
    return c;
  }

  std::string_view raw_;
  char quote_;
  std::size_t at_{0};
  std::string out_;
  std::size_t solid_{0};  // what folding may not trim: escapes and what was folded before
};

}  // namespace

std::optional<std::string> unquote_double(std::string_view raw) { return Reader(raw, '"').run(); }

std::string unquote_single(std::string_view raw) { return Reader(raw, '\'').run().value_or(""); }

}  // namespace ichor::yaml
