#include "secrets/age_header.h"

#include <algorithm>
#include <fmt/format.h>

#include "secrets/base64.h"

namespace ichor::age {

namespace {

constexpr std::string_view kVersionLine = "age-encryption.org/v1";
constexpr std::size_t kColumns = 64;
constexpr std::size_t kHeaderMax = 1u << 20;
constexpr std::size_t kStanzasMax = 1'000;

tl::unexpected<Error> damaged(std::string_view why) {
  return fail(Errc::invalid, fmt::format("the age file is damaged: {}", why));
}

/// Reads lines that end with \n and nothing else.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text.substr(0, kHeaderMax)) {}

  bool next(std::string_view& line) {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) return false;
    line = text_.substr(at_, end - at_);
    begin_ = at_;
    at_ = end + 1;
    return true;
  }
  /// Where the last line began, and where the next one begins.
  std::size_t begin() const { return begin_; }
  std::size_t at() const { return at_; }

 private:
  std::string_view text_;
  std::size_t begin_{0};
  std::size_t at_{0};
};

bool is_visible(std::string_view word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= 33 && c <= 126; });
}

Result<Stanza> parse_stanza(std::string_view line, Lines& lines) {
  Stanza stanza;
  line.remove_prefix(3);  // "-> "
  bool first = true;
  while (true) {
    const std::size_t end = line.find(' ');
    const std::string_view word = line.substr(0, end);
    if (!is_visible(word)) return damaged("a recipient's line has an empty or unprintable word");
    if (first) {
      stanza.type = word;
    } else {
      stanza.arguments.emplace_back(word);
    }
    first = false;
    if (end == std::string_view::npos) break;
    line.remove_prefix(end + 1);
  }
  while (true) {
    std::string_view body;
    if (!lines.next(body)) return damaged("it ends within its header");
    if (body.size() > kColumns) return damaged("a line of its header is too long");
    const auto part = from_base64_raw(body);
    if (!part) return forward_error(part);
    stanza.body += *part;
    if (body.size() < kColumns) return stanza;
  }
}

}  // namespace

std::string base64_raw(std::string_view bytes) {
  std::string text = pki::base64(bytes);
  while (text.ends_with('=')) text.pop_back();
  return text;
}

Result<std::string> from_base64_raw(std::string_view text) {
  std::string padded(text);
  while (padded.size() % 4 != 0) padded += '=';
  auto bytes = pki::from_base64(padded);
  // Of the several texts that decode to the same bytes only one is right, else a file could be
  // changed without anybody noticing.
  if (!bytes || base64_raw(*bytes) != text) {
    return damaged("its header has a line that is not canonical base64");
  }
  return *std::move(bytes);
}

bool is_age_file(std::string_view bytes) { return bytes.starts_with(kVersionLine); }

Result<ParsedHeader> parse_header(std::string_view file) {
  Lines lines(file);
  std::string_view line;
  if (!lines.next(line) || line != kVersionLine) {
    return fail(Errc::invalid, "this is not an age file of version 1");
  }
  ParsedHeader parsed;
  while (lines.next(line)) {
    if (line.starts_with("-> ")) {
      auto stanza = parse_stanza(line, lines);
      if (!stanza) return forward_error(stanza);
      parsed.header.stanzas.push_back(*std::move(stanza));
      if (parsed.header.stanzas.size() > kStanzasMax) {
        return fail(Errc::invalid,
                    fmt::format("an age file with more than {} recipients", kStanzasMax));
      }
      continue;
    }
    if (!line.starts_with("--- ")) return damaged("its header has a line that belongs to nothing");
    auto mac = from_base64_raw(line.substr(4));
    if (!mac) return forward_error(mac);
    if (mac->size() != 32) return damaged("its header's MAC has another size");
    if (parsed.header.stanzas.empty()) return damaged("it has no recipient");
    parsed.header.mac = *std::move(mac);
    parsed.authenticated = file.substr(0, lines.begin() + 3);
    parsed.payload = file.substr(lines.at());
    return parsed;
  }
  return damaged("it ends within its header, or the header is too long");
}

std::string write_stanzas(const std::vector<Stanza>& stanzas) {
  std::string text(kVersionLine);
  text += '\n';
  for (const Stanza& stanza : stanzas) {
    text += "-> " + stanza.type;
    for (const std::string& argument : stanza.arguments) text += ' ' + argument;
    text += '\n';
    const std::string body = base64_raw(stanza.body);
    // A full last line is followed by an empty one: only a short line ends the body.
    for (std::size_t at = 0;; at += kColumns) {
      text.append(body, at, kColumns);
      text += '\n';
      if (body.size() - at < kColumns) break;
    }
  }
  return text + "---";
}

}  // namespace ichor::age
