#include <algorithm>
#include <fmt/format.h>

#include "template/filters.h"
#include "template/interpreter.h"
#include "template/operate.h"
#include "template/percent_format.h"
#include "template/print.h"
#include "template/text_edit.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

using Need = Parameter::Need;

/// A filter that makes one text of another, whatever the input prints as.
template <std::string (*edit)(std::string_view)>
Outcome<Value> edited(const Value& input, const Given&, Interpreter& interpreter) {
  const auto text = print(input, interpreter.meter());
  if (!text) return forward_error(text);
  return Value::string(edit(*text));
}

bool starts_word(char32_t point) {
  static constexpr std::u32string_view marks = U"-({[<";
  return is_space(point) || marks.find(point) != std::u32string_view::npos;
}

/// Words are what stands between spaces, dashes and opening brackets.
std::string title_words(std::string_view text) {
  std::string result, word;
  const auto flush = [&] {
    const std::string_view first = slice_points(word, 0, 1);
    result += to_upper(first) + to_lower(std::string_view(word).substr(first.size()));
    word.clear();
  };
  for (const char32_t point : to_points(text)) {
    if (starts_word(point)) {
      flush();
      append_point(result, point);
    } else {
      append_point(word, point);
    }
  }
  flush();
  return result;
}

std::string escape_html(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '\'': result += "&#39;"; break;
      case '"': result += "&#34;"; break;
      default: result += letter;
    }
  }
  return result;
}

Outcome<Value> force_escape(const Value& input, const Given&, Interpreter& interpreter) {
  const auto text = print(input, interpreter.meter());
  if (!text) return forward_error(text);
  if (auto paid = interpreter.meter().spend_text(text->size() * 5); !paid) {
    return forward_error(paid);
  }
  return Value::escaped(escape_html(*text));
}

Outcome<Value> escape(const Value& input, const Given& given, Interpreter& interpreter) {
  if (input.is_string() && input.text().is_escaped) return input;
  return force_escape(input, given, interpreter);
}

Outcome<Value> mark_safe(const Value& input, const Given&, Interpreter& interpreter) {
  auto text = print(input, interpreter.meter());
  if (!text) return forward_error(text);
  return Value::escaped(*std::move(text));
}

Outcome<Value> to_string(const Value& input, const Given&, Interpreter& interpreter) {
  if (input.is_string()) return input;
  auto text = print(input, interpreter.meter());
  if (!text) return forward_error(text);
  return Value::string(*std::move(text));
}

Outcome<Value> trim(const Value& input, const Given& given, Interpreter& interpreter) {
  const auto text = print(input, interpreter.meter());
  if (!text) return forward_error(text);
  if (given.is_none(0)) return Value::string(std::string(strip(*text)));
  const auto chars = given.text(0, "");
  if (!chars) return forward_error(chars);
  return Value::string(std::string(strip(*text, *chars)));
}

Outcome<Value> replace(const Value& input, const Given& given, Interpreter& interpreter) {
  Meter& meter = interpreter.meter();
  const auto text = print(input, meter);
  const auto old = given.printed(0, "", meter);
  const auto with = given.printed(1, "", meter);
  const auto count = given.is_none(2) ? Outcome<std::int64_t>(-1) : given.integer(2, -1);
  for (const auto* part : {&text, &old, &with}) {
    if (!*part) return tl::unexpected(part->error());
  }
  if (!count) return forward_error(count);
  auto result = replace_text(*text, *old, *with, *count, meter);
  if (!result) return forward_error(result);
  return Value::string(*std::move(result));
}

Outcome<Value> format(const Value& input, const Given& given, Interpreter& interpreter) {
  Meter& meter = interpreter.meter();
  const Arguments& values = given.rest;
  if (!values.positional.empty() && !values.named.empty()) {
    return trouble("format takes values by place or by name, not both", "use one of them");
  }
  const auto text = to_string(input, given, interpreter);
  if (!text) return text;
  if (values.named.empty()) return percent_format(*text, Value::tuple(values.positional), meter);
  Value named = Value::dict();
  for (const auto& [name, value] : values.named) named.as_dict()->put(Value::string(name), value);
  return percent_format(*text, named, meter);
}

std::string quote_url(std::string_view text, bool for_query) {
  std::string result;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool is_plain =
        byte < 0x80 && (is_letter(byte) || is_digit(byte) ||
                        std::string_view("_.-~").find(letter) != std::string_view::npos);
    if (is_plain || (letter == '/' && !for_query)) {
      result += letter;
    } else if (letter == ' ' && for_query) {
      result += '+';
    } else {
      result += fmt::format("%{:02X}", byte);
    }
  }
  return result;
}

Outcome<Value> url_encode(const Value& input, const Given&, Interpreter& interpreter) {
  Meter& meter = interpreter.meter();
  const bool is_row = input.is(Kind::list) || input.is(Kind::tuple) || input.is(Kind::dict) ||
                      input.is(Kind::view) || input.is(Kind::iterator) || input.is(Kind::range);
  if (!is_row) {
    const auto text = print(input, meter);
    if (!text) return forward_error(text);
    if (auto paid = meter.spend_text(text->size() * 3); !paid) return forward_error(paid);
    return Value::string(quote_url(*text, false));
  }
  const Value pairs =
      input.is(Kind::dict) ? Value::view({View::Of::items, input.as_dict()}) : input;
  const auto items = items_of(pairs, meter);
  if (!items) return forward_error(items);
  std::string result;
  for (const Value& pair : *items) {
    const auto parts = items_of(pair, meter);
    if (!parts) return forward_error(parts);
    if (parts->size() != 2) return trouble("urlencode needs pairs", "give it a dict");
    const auto key = print((*parts)[0], meter);
    const auto value = print((*parts)[1], meter);
    if (!key) return forward_error(key);
    if (!value) return forward_error(value);
    if (!result.empty()) result += '&';
    result += quote_url(*key, true) + "=" + quote_url(*value, true);
    if (auto paid = meter.spend_text(result.size()); !paid) return forward_error(paid);
  }
  return Value::string(std::move(result));
}

Outcome<Value> word_count(const Value& input, const Given&, Interpreter& interpreter) {
  const auto text = print(input, interpreter.meter());
  if (!text) return forward_error(text);
  std::int64_t count = 0;
  bool in_word = false;
  for (const char32_t point : to_points(*text)) {
    const bool is_part = is_letter(point) || is_digit(point) || point == '_';
    if (is_part && !in_word) ++count;
    in_word = is_part;
  }
  return Value::integer(count);
}

/// What an entity of HTML stands for; nothing if it is none that escape() makes.
std::string_view entity(std::string_view text) {
  for (const auto& [name, character] : {std::pair<std::string_view, std::string_view>{"&lt;", "<"},
                                        {"&gt;", ">"},
                                        {"&amp;", "&"},
                                        {"&quot;", "\""},
                                        {"&#34;", "\""},
                                        {"&#39;", "'"},
                                        {"&nbsp;", "\u00a0"}}) {
    if (text.starts_with(name)) return character;
  }
  return {};
}

/// Without comments and tags, with one blank for any white space, and entities read.
Outcome<Value> strip_tags(const Value& input, const Given&, Interpreter& interpreter) {
  const auto printed = print(input, interpreter.meter());
  if (!printed) return forward_error(printed);
  std::string_view rest = *printed;
  std::string text;
  bool gap = false;
  while (!rest.empty()) {
    const bool is_comment = rest.starts_with("<!--");
    const std::size_t end = rest.front() != '<' ? std::string_view::npos
                            : is_comment        ? rest.find("-->")
                                                : rest.find('>');
    if (end != std::string_view::npos) {
      rest.remove_prefix(end + (is_comment ? 3 : 1));
      continue;
    }
    if (std::string_view(" \t\r\n\f\v").find(rest.front()) != std::string_view::npos) {
      gap = true;
      rest.remove_prefix(1);
      continue;
    }
    if (gap && !text.empty()) text += ' ';
    gap = false;
    const std::string_view read = entity(rest);
    if (read.empty()) {
      text += rest.front();
      rest.remove_prefix(1);
    } else {
      text += read;
      rest.remove_prefix(rest.find(';') + 1);
    }
  }
  return Value::string(std::move(text));
}

}  // namespace

const std::vector<Filter>& text_filters() {
  static const std::vector<Filter> filters{
      {"upper", {}, edited<to_upper>},
      {"lower", {}, edited<to_lower>},
      {"capitalize", {}, edited<to_capitalized>},
      {"title", {}, edited<title_words>},
      {"string", {}, to_string},
      {"trim", {{"chars"}}, trim},
      {"replace", {{"old", Need::required}, {"new", Need::required}, {"count"}}, replace},
      {"format", {{"values", Need::rest}}, format},
      {"escape", {}, escape},
      {"e", {}, escape},
      {"forceescape", {}, force_escape},
      {"safe", {}, mark_safe},
      {"urlencode", {}, url_encode},
      {"wordcount", {}, word_count},
      {"striptags", {}, strip_tags},
  };
  return filters;
}

}  // namespace ichor::jinja
