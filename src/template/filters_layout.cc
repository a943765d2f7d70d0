#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "template/filters.h"
#include "template/interpreter.h"
#include "template/number.h"
#include "template/operate.h"
#include "template/print.h"
#include "template/text_edit.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

constexpr std::int64_t kWidthMax = 10'000;

/// These filters work on texts only.
Outcome<std::string> text_input(const Value& input, std::string_view filter) {
  if (auto defined = need_defined(input); !defined) return forward_error(defined);
  if (input.is_string()) return input.as_string();
  return trouble(fmt::format("the filter '{}' needs a text, not {}", filter, type_name(input)),
                 "convert it with | string");
}

Outcome<std::string> indentation(const Given& given) {
  if (given.has(0) && given.value(0).is_string()) return given.value(0).as_string();
  const auto width = given.integer(0, 4);
  if (!width) return forward_error(width);
  if (*width > kWidthMax) {
    return trouble(fmt::format("an indentation of more than {}", kWidthMax), "use less");
  }
  return std::string(static_cast<std::size_t>(std::max<std::int64_t>(*width, 0)), ' ');
}

Outcome<Value> indent(const Value& input, const Given& given, Interpreter& interpreter) {
  Meter& meter = interpreter.meter();
  const auto text = text_input(input, "indent");
  if (!text) return forward_error(text);
  const auto space = indentation(given);
  if (!space) return forward_error(space);
  const auto first = given.flag(1, false);
  const auto blank = given.flag(2, false);
  if (!first) return forward_error(first);
  if (!blank) return forward_error(blank);
  const std::string closed = *text + "\n";
  const auto lines = split_lines(closed);
  if (auto paid = meter.spend_text(closed.size() + lines.size() * space->size()); !paid) {
    return forward_error(paid);
  }
  std::string result = *first ? *space : "";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) result += '\n';
    if (i > 0 && (*blank || !lines[i].empty())) result += *space;
    result += lines[i];
  }
  return Value::string(std::move(result));
}

Outcome<Value> truncate(const Value& input, const Given& given, Interpreter&) {
  // As in jinja2, a list that is short enough passes.
  const auto input_size = length_of(input);
  if (!input_size) return forward_error(input_size);
  const auto length = given.integer(0, 255);
  const auto kills_words = given.flag(1, false);
  const auto end = given.text(2, "...");
  const auto leeway = given.is_none(3) ? Outcome<std::int64_t>(5) : given.integer(3, 5);
  if (!end) return forward_error(end);
  if (!kills_words) return forward_error(kills_words);
  for (const auto* number : {&length, &leeway}) {
    if (!*number) return tl::unexpected(number->error());
  }
  const auto end_size = static_cast<std::int64_t>(count_points(*end));
  if (*length < end_size || *leeway < 0) {
    return trouble("truncate to less than its end mark needs", "use a larger length");
  }
  if (*input_size - *length <= *leeway) return input;
  const auto text = text_input(input, "truncate");
  if (!text) return forward_error(text);
  std::string_view kept = slice_points(*text, 0, static_cast<std::size_t>(*length - end_size));
  if (!*kills_words) kept = kept.substr(0, kept.rfind(' '));
  return Value::string(std::string(kept) + *end);
}

Outcome<Value> word_wrap(const Value& input, const Given& given, Interpreter& interpreter) {
  const auto text = text_input(input, "wordwrap");
  const auto width = given.integer(0, 79);
  const auto breaks_words = given.flag(1, true);
  const auto mark = given.is_none(2) ? Outcome<std::string>("\n") : given.text(2, "\n");
  const auto breaks_hyphens = given.flag(3, true);
  if (!text) return forward_error(text);
  if (!width) return forward_error(width);
  if (!mark) return forward_error(mark);
  if (!breaks_words) return forward_error(breaks_words);
  if (!breaks_hyphens) return forward_error(breaks_hyphens);
  if (*width <= 0) return trouble("a width of zero or less", "use a larger width");
  if (auto paid = interpreter.meter().spend_text(text->size() * (1 + mark->size())); !paid) {
    return forward_error(paid);
  }
  if (auto paid = interpreter.meter().spend(static_cast<std::int64_t>(text->size())); !paid) {
    return forward_error(paid);
  }
  const WrapOptions options{static_cast<std::size_t>(*width), *breaks_words, *breaks_hyphens};
  std::string result;
  bool is_first = true;
  for (const std::string_view line : split_lines(*text)) {
    if (!is_first) result += *mark;
    is_first = false;
    const auto parts = wrap_line(line, options);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) result += *mark;
      result += parts[i];
    }
  }
  return Value::string(std::move(result));
}

Outcome<Value> center(const Value& input, const Given& given, Interpreter& interpreter) {
  const auto text = print(input, interpreter.meter());
  const auto width = given.integer(0, 80);
  if (!text) return forward_error(text);
  if (!width) return forward_error(width);
  auto centered = center_text(*text, *width, " ", interpreter.meter());
  if (!centered) return forward_error(centered);
  return Value::string(*std::move(centered));
}

Outcome<Value> file_size(const Value& input, const Given& given, Interpreter&) {
  if (auto defined = need_defined(input); !defined) return forward_error(defined);
  const auto number = input.is_number()   ? std::optional(input.as_number())
                      : input.is_string() ? read_float(input.as_string())
                                          : std::nullopt;
  const auto binary = given.flag(0, false);
  if (!binary) return forward_error(binary);
  if (!number || !std::isfinite(*number)) {
    return trouble("filesizeformat needs a number of bytes", "check the input");
  }
  const double base = *binary ? 1024 : 1000;
  if (*number == 1) return Value::string("1 Byte");
  if (*number < base) return Value::string(fmt::format("{:.0f} Bytes", std::trunc(*number)));
  static constexpr std::string_view letters("kMGTPEZY");
  double unit = base;
  std::size_t letter = 0;
  while (letter + 1 < letters.size() && *number >= unit * base) {
    unit *= base;
    ++letter;
  }
  std::string name(1, letters[letter]);
  if (*binary) name = (letter == 0 ? "K" : name) + "i";
  return Value::string(fmt::format("{} {}B", fixed_text(base * *number / (unit * base), 1), name));
}

}  // namespace

const std::vector<Filter>& layout_filters() {
  static const std::vector<Filter> filters{
      {"indent", {{"width"}, {"first"}, {"blank"}}, indent},
      {"truncate", {{"length"}, {"killwords"}, {"end"}, {"leeway"}}, truncate},
      {"wordwrap",
       {{"width"}, {"break_long_words"}, {"wrapstring"}, {"break_on_hyphens"}},
       word_wrap},
      {"center", {{"width"}}, center},
      {"filesizeformat", {{"binary"}}, file_size},
  };
  return filters;
}

}  // namespace ichor::jinja
