#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ichor::jinja {

/// Texts as Python sees them: a row of code points. All functions need valid UTF-8.

bool is_utf8(std::string_view bytes);
/// The offset of the first byte that is no UTF-8.
std::optional<std::size_t> find_bad_utf8(std::string_view bytes);

std::size_t count_points(std::string_view text);
/// The bytes of the code points from `first` up to `last`, which must not be beyond the end.
std::string_view slice_points(std::string_view text, std::size_t first, std::size_t last);
std::vector<char32_t> to_points(std::string_view text);
void append_point(std::string& text, char32_t point);

bool is_space(char32_t point);
bool is_letter(char32_t point);
bool is_digit(char32_t point);
/// What Python's repr() shows as it is.
bool is_printable(char32_t point);

/// Case as Python maps it in the Latin, Greek, Cyrillic, Armenian and Georgian scripts.
std::string to_upper(std::string_view text);
std::string to_lower(std::string_view text);
/// The first letter as in a title, the rest in lower case.
std::string to_capitalized(std::string_view text);
/// Every word's first letter as in a title; a word is a row of letters.
std::string to_title(std::string_view text);
std::string swap_case(std::string_view text);
bool is_lower(char32_t point);
bool is_upper(char32_t point);

/// str.strip(): without white space, or without the code points of `chars`, at the ends.
enum class Side { left = 1, right = 2, both = 3 };
std::string_view strip(std::string_view text, Side side = Side::both);
std::string_view strip(std::string_view text, std::string_view chars, Side side = Side::both);

/// str.splitlines(): at every kind of line end, which is left out unless `keep_ends`.
std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends = false);

/// str.split() without a separator: at runs of white space.
std::vector<std::string_view> split_words(std::string_view text);

}  // namespace ichor::jinja
