#include "yaml/scalar.h"

#include <algorithm>
#include <array>
#include <string>

namespace ichor::yaml {

namespace {

template <std::size_t N>
bool one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_octal(char c) { return c >= '0' && c <= '7'; }
bool is_binary(char c) { return c == '0' || c == '1'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

template <class Predicate>
bool all(std::string_view text, Predicate holds) {
  return !text.empty() && std::all_of(text.begin(), text.end(), holds);
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return text;
}

std::size_t count_digits(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  return n;
}

/// [-+]? ( .[0-9]+ | [0-9]+ ( .[0-9]* )? ) ( [eE][-+]?[0-9]+ )?
bool is_float(std::string_view text) {
  text = without_sign(text);
  const std::size_t whole = count_digits(text);
  text.remove_prefix(whole);
  std::size_t fraction = 0;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    fraction = count_digits(text);
    text.remove_prefix(fraction);
  }
  if (whole + fraction == 0) return false;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  return all(without_sign(text), is_digit);
}

bool is_null(std::string_view text) {
  constexpr std::array<std::string_view, 5> words = {"", "~", "null", "Null", "NULL"};
  return one_of(text, words);
}

bool is_bool(std::string_view text) {
  constexpr std::array<std::string_view, 6> words = {"true",  "True",  "TRUE",
                                                     "false", "False", "FALSE"};
  return one_of(text, words);
}

bool is_special_float(std::string_view text) {
  constexpr std::array<std::string_view, 3> nan = {".nan", ".NaN", ".NAN"};
  constexpr std::array<std::string_view, 3> inf = {".inf", ".Inf", ".INF"};
  return one_of(text, nan) || one_of(without_sign(text), inf);
}

/// Booleans of YAML 1.1 that yaml.v3 reads as strings but writes in quotes.
bool is_old_bool(std::string_view text) {
  constexpr std::array<std::string_view, 16> words = {"y",  "Y",   "yes", "Yes", "YES", "on",
                                                      "On", "ON",  "n",   "N",   "no",  "No",
                                                      "NO", "off", "Off", "OFF"};
  return one_of(text, words);
}

/// An integer as Go's ParseInt with base 0 takes it once the underscores are gone.
bool is_go_integer(std::string_view text) {
  text = without_sign(text);
  if (text.size() > 2 && text.front() == '0') {
    const std::string_view rest = text.substr(2);
    if (text[1] == 'x' || text[1] == 'X') return all(rest, is_hex);
    if (text[1] == 'o' || text[1] == 'O') return all(rest, is_octal);
    if (text[1] == 'b' || text[1] == 'B') return all(rest, is_binary);
  }
  return all(text, is_digit);
}

/// 10:30 and 1:20:30.5: numbers to base 60 in YAML 1.1.
bool is_base_60(std::string_view text) {
  text = without_sign(text);
  std::size_t n = 0;
  while (n < text.size() && (is_digit(text[n]) || (n > 0 && text[n] == '_'))) ++n;
  if (n == 0) return false;
  text.remove_prefix(n);
  bool any = false;
  while (!text.empty() && text.front() == ':') {
    const std::size_t digits = std::min<std::size_t>(count_digits(text.substr(1)), 2);
    if (digits == 0 || (digits == 2 && text[1] > '5')) return false;
    text.remove_prefix(1 + digits);
    any = true;
  }
  if (!any) return false;
  if (text.empty()) return true;
  if (text.front() != '.') return false;
  text.remove_prefix(1);
  return std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '_'; });
}

/// Four digits, a dash, one or two digits, a dash, one or two digits, and then nothing or a time.
/// That is wider than yaml.v3's list of layouts: quoting one string more does no harm.
bool is_date(std::string_view text) {
  if (count_digits(text) != 4) return false;
  text.remove_prefix(4);
  for (int part = 0; part < 2; ++part) {
    if (text.empty() || text.front() != '-') return false;
    const std::size_t digits = count_digits(text.substr(1));
    if (digits != 1 && digits != 2) return false;
    text.remove_prefix(1 + digits);
  }
  return text.empty() || ((text.front() == 'T' || text.front() == 't' || text.front() == ' ') &&
                          text.size() > 1 && is_digit(text[1]));
}

/// How everything begins that is not a plain string: most texts are, and one look recognizes them.
constexpr std::string_view kFirstOfCore = "~+-.0123456789nNtTfF";
constexpr std::string_view kFirstElsewhere = "~+-.0123456789nNtTfFyYoO<";

bool begins_with(std::string_view text, std::string_view one_of_these) {
  return one_of_these.find(text.front()) != std::string_view::npos;
}

}  // namespace

ScalarType resolve_core(std::string_view text) {
  if (!text.empty() && !begins_with(text, kFirstOfCore)) return ScalarType::string;
  if (is_null(text)) return ScalarType::null;
  if (is_bool(text)) return ScalarType::boolean;
  if (all(without_sign(text), is_digit)) return ScalarType::integer;
  if (text.size() > 2 && text[0] == '0') {
    if (text[1] == 'o' && all(text.substr(2), is_octal)) return ScalarType::integer;
    if (text[1] == 'x' && all(text.substr(2), is_hex)) return ScalarType::integer;
  }
  if (is_float(text) || is_special_float(text)) return ScalarType::floating;
  return ScalarType::string;
}

bool resolves_elsewhere(std::string_view text) {
  if (!text.empty() && !begins_with(text, kFirstElsewhere)) return false;
  if (resolve_core(text) != ScalarType::string) return true;
  if (text == "<<" || is_old_bool(text) || is_base_60(text) || is_date(text)) return true;
  if (!is_digit(text.front()) && without_sign(text).size() == text.size()) return false;
  std::string bare(text);
  std::erase(bare, '_');
  return is_go_integer(bare) || is_float(bare);
}

}  // namespace ichor::yaml
