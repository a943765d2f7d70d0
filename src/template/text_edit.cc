#include "template/text_edit.h"

#include <algorithm>

#include "template/unicode.h"

namespace ichor::jinja {

namespace {

bool is_wordlike(char32_t point) { return is_letter(point) || point == '_'; }

/// Whether a line may be broken behind the hyphen at `at`: two letters before it, two behind.
bool breaks_after(const std::vector<char32_t>& word, std::size_t at) {
  const auto letter = [&](std::size_t i) { return i < word.size() && is_wordlike(word[i]); };
  const auto hyphen = [&](std::size_t i) { return i < word.size() && word[i] == '-'; };
  if (!hyphen(at)) return false;
  const bool before = (at >= 2 && letter(at - 1) && letter(at - 2)) ||
                      (at >= 3 && letter(at - 1) && hyphen(at - 2) && letter(at - 3));
  const bool behind = letter(at + 1) && (letter(at + 2) || (hyphen(at + 2) && letter(at + 3)));
  return before && behind;
}

/// How many hyphens stand from `at` on, if they are a dash between words.
std::size_t dash_size(const std::vector<char32_t>& word, std::size_t at) {
  static constexpr std::u32string_view before = U"!\"'&.,?";
  std::size_t end = at;
  while (end < word.size() && word[end] == '-') ++end;
  if (end - at < 2 || at == 0 || end == word.size()) return 0;
  const auto is_word = [](char32_t point) { return is_wordlike(point) || is_digit(point); };
  const bool is_after_word =
      is_word(word[at - 1]) || before.find(word[at - 1]) != std::u32string_view::npos;
  return is_after_word && is_word(word[end]) ? end - at : 0;
}

using Chunk = std::vector<char32_t>;

void append_word(const Chunk& word, bool break_on_hyphens, std::vector<Chunk>& chunks) {
  Chunk part;
  const auto flush = [&] {
    if (!part.empty()) chunks.push_back(std::move(part));
    part.clear();
  };
  for (std::size_t i = 0; i < word.size(); ++i) {
    const std::size_t dash = break_on_hyphens ? dash_size(word, i) : 0;
    if (dash > 0) {
      flush();
      chunks.emplace_back(dash, U'-');
      i += dash - 1;
      continue;
    }
    part.push_back(word[i]);
    if (break_on_hyphens && breaks_after(word, i)) flush();
  }
  flush();
}

/// Words and the spaces between them, in turn; words with hyphens in several parts.
std::vector<Chunk> chunks_of(std::string_view line, bool break_on_hyphens) {
  std::vector<Chunk> chunks;
  Chunk current;
  bool is_spaces = false;
  const auto flush = [&] {
    if (current.empty()) return;
    if (is_spaces) {
      chunks.push_back(current);
    } else {
      append_word(current, break_on_hyphens, chunks);
    }
    current.clear();
  };
  static constexpr std::u32string_view spaces = U"\t\n\v\f\r ";
  for (const char32_t point : to_points(line)) {
    const bool space = spaces.find(point) != std::u32string_view::npos;
    if (space != is_spaces) flush();
    is_spaces = space;
    current.push_back(point);
  }
  flush();
  return chunks;
}

bool is_blank(const Chunk& chunk) { return std::all_of(chunk.begin(), chunk.end(), is_space); }

}  // namespace

Outcome<std::string> replace_text(std::string_view text, std::string_view old,
                                  std::string_view with, std::int64_t count, Meter& meter) {
  std::string result;
  std::size_t paid = 0;
  const auto pay = [&]() -> Outcome<void> {
    auto ok = meter.spend_text(result.size() - paid);
    paid = result.size();
    if (ok && result.size() > meter.limits().output_bytes_max) ok = meter.spend_text(result.size());
    return ok;
  };
  if (old.empty()) {
    for (const char32_t point : to_points(text)) {
      if (count != 0) result += with;
      if (count > 0) --count;
      append_point(result, point);
      if (auto ok = pay(); !ok) return forward_error(ok);
    }
    if (count != 0) result += with;
    return result;
  }
  std::size_t at = 0;
  while (count != 0) {
    const std::size_t found = text.find(old, at);
    if (found == std::string_view::npos) break;
    result += text.substr(at, found - at);
    result += with;
    at = found + old.size();
    if (count > 0) --count;
    if (auto ok = pay(); !ok) return forward_error(ok);
  }
  result += text.substr(at);
  return result;
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator,
                                       std::int64_t count, bool from_right) {
  std::vector<std::string_view> parts;
  while (count != 0) {
    const std::size_t at = from_right ? text.rfind(separator) : text.find(separator);
    if (at == std::string_view::npos) break;
    if (from_right) {
      parts.push_back(text.substr(at + separator.size()));
      text = text.substr(0, at);
    } else {
      parts.push_back(text.substr(0, at));
      text = text.substr(at + separator.size());
    }
    if (count > 0) --count;
  }
  parts.push_back(text);
  if (from_right) std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string> wrap_line(std::string_view line, const WrapOptions& options) {
  std::vector<Chunk> chunks = chunks_of(line, options.break_on_hyphens);
  std::reverse(chunks.begin(), chunks.end());
  std::vector<std::string> lines;
  while (!chunks.empty()) {
    std::vector<Chunk> row;
    std::size_t size = 0;
    if (is_blank(chunks.back()) && !lines.empty()) chunks.pop_back();
    while (!chunks.empty() && size + chunks.back().size() <= options.width) {
      size += chunks.back().size();
      row.push_back(std::move(chunks.back()));
      chunks.pop_back();
    }
    if (!chunks.empty() && chunks.back().size() > options.width) {
      Chunk& word = chunks.back();
      const std::size_t room = options.width - size;
      if (options.break_long_words) {
        std::size_t cut = std::min(room, word.size());
        if (options.break_on_hyphens && word.size() > room) {
          // A hyphen within reach is a better place than the middle of a word.
          const auto begin = word.begin();
          const auto last =
              std::find(std::make_reverse_iterator(begin + static_cast<std::ptrdiff_t>(room)),
                        std::make_reverse_iterator(begin), U'-');
          const auto place = static_cast<std::size_t>(last.base() - begin);
          const bool has_text =
              place > 1 && std::any_of(begin, begin + static_cast<std::ptrdiff_t>(place) - 1,
                                       [](char32_t p) { return p != U'-'; });
          if (has_text) cut = place;
        }
        const auto middle = word.begin() + static_cast<std::ptrdiff_t>(cut);
        row.emplace_back(word.begin(), middle);
        word.erase(word.begin(), middle);
      } else if (row.empty()) {
        row.push_back(std::move(word));
        chunks.pop_back();
      }
    }
    if (!row.empty() && is_blank(row.back())) row.pop_back();
    if (row.empty()) continue;
    std::string text;
    for (const Chunk& chunk : row) {
      for (const char32_t point : chunk) append_point(text, point);
    }
    lines.push_back(std::move(text));
  }
  return lines;
}

Outcome<std::string> center_text(std::string_view text, std::int64_t width, std::string_view fill,
                                 Meter& meter) {
  const auto size = static_cast<std::int64_t>(count_points(text));
  if (width <= size) return std::string(text);
  const auto missing = static_cast<std::size_t>(width - size);
  const std::size_t most = meter.limits().output_bytes_max;
  const std::size_t bytes = missing > most ? missing : text.size() + missing * fill.size();
  if (auto paid = meter.spend_text(bytes); !paid) return forward_error(paid);
  // Python puts the odd character to the left if the width is odd, else to the right.
  const std::size_t left = missing / 2 + (missing & static_cast<std::size_t>(width) & 1);
  std::string result;
  for (std::size_t i = 0; i < left; ++i) result += fill;
  result += text;
  for (std::size_t i = left; i < missing; ++i) result += fill;
  return result;
}

}  // namespace ichor::jinja
