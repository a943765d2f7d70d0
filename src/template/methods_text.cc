#include <algorithm>
#include <fmt/format.h>

#include "template/bind.h"
#include "template/brace_format.h"
#include "template/interpreter.h"
#include "template/methods.h"
#include "template/operate.h"
#include "template/text_edit.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

using Need = Parameter::Need;

Value list_of(const std::vector<std::string_view>& parts) {
  Items items;
  for (const std::string_view part : parts) items.push_back(Value::string(std::string(part)));
  return Value::list(std::move(items));
}

Outcome<void> no_arguments(const Arguments& arguments) {
  if (arguments.positional.empty() && arguments.named.empty()) return {};
  return trouble("a method that takes no arguments", "remove them");
}

template <std::string (*edit)(std::string_view)>
Outcome<Value> edited(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  if (auto ok = no_arguments(arguments); !ok) return forward_error(ok);
  if (auto paid = interpreter.meter().spend_text(self.as_string().size() * 2); !paid) {
    return forward_error(paid);
  }
  return Value::string(edit(self.as_string()));
}

template <Side side>
Outcome<Value> stripped(const Value& self, const Arguments& arguments, Interpreter&) {
  const auto given = bind_arguments(arguments, {{"chars"}}, "method", "strip");
  if (!given) return forward_error(given);
  if (given->is_none(0)) return Value::string(std::string(strip(self.as_string(), side)));
  const auto chars = given->text(0, "");
  if (!chars) return forward_error(chars);
  return Value::string(std::string(strip(self.as_string(), *chars, side)));
}

template <bool from_right>
Outcome<Value> split(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given = bind_arguments(arguments, {{"sep"}, {"maxsplit"}}, "method", "split");
  if (!given) return forward_error(given);
  const auto count = given->integer(1, -1);
  if (!count) return forward_error(count);
  const std::string& text = self.as_string();
  if (auto paid = interpreter.meter().spend_items(static_cast<std::int64_t>(text.size())); !paid) {
    return forward_error(paid);
  }
  if (!given->is_none(0)) {
    const auto separator = given->text(0, "");
    if (!separator) return forward_error(separator);
    if (separator->empty()) return trouble("split at an empty text", "use | list for letters");
    return list_of(split_at(text, *separator, *count, from_right));
  }
  auto words = split_words(text);
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(*count, 0));
  if (*count >= 0 && words.size() > most) {
    // What is left over stays in one piece, spaces included.
    const auto offset = [&](std::string_view word) {
      return static_cast<std::size_t>(word.data() - text.data());
    };
    if (from_right) {
      const std::string_view last = words[words.size() - most - 1];
      const std::string_view rest = std::string_view(text).substr(0, offset(last) + last.size());
      words.erase(words.begin(), words.end() - static_cast<std::ptrdiff_t>(most));
      words.insert(words.begin(), rest);
    } else {
      const std::string_view rest = std::string_view(text).substr(offset(words[most]));
      words.resize(most);
      words.push_back(rest);
    }
  }
  return list_of(words);
}

Outcome<Value> lines(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given = bind_arguments(arguments, {{"keepends"}}, "method", "splitlines");
  if (!given) return forward_error(given);
  const auto keep = given->flag(0, false);
  if (!keep) return forward_error(keep);
  const auto size = static_cast<std::int64_t>(self.as_string().size());
  if (auto paid = interpreter.meter().spend_items(size); !paid) return forward_error(paid);
  return list_of(split_lines(self.as_string(), *keep));
}

template <bool from_right>
Outcome<Value> partition(const Value& self, const Arguments& arguments, Interpreter&) {
  const auto given = bind_arguments(arguments, {{"sep", Need::required}}, "method", "partition");
  if (!given) return forward_error(given);
  const auto separator = given->text(0, "");
  if (!separator) return forward_error(separator);
  if (separator->empty()) return trouble("partition at an empty text", "use another text");
  const std::string& text = self.as_string();
  const std::size_t at = from_right ? text.rfind(*separator) : text.find(*separator);
  const Value nothing = Value::string("");
  if (at == std::string::npos) {
    return from_right ? Value::tuple({nothing, nothing, self})
                      : Value::tuple({self, nothing, nothing});
  }
  return Value::tuple({Value::string(text.substr(0, at)), given->value(0),
                       Value::string(text.substr(at + separator->size()))});
}

/// startswith and endswith take one text or a tuple of them.
template <bool at_end>
Outcome<Value> has_affix(const Value& self, const Arguments& arguments, Interpreter&) {
  const auto given = bind_arguments(arguments, {{"affix", Need::required}}, "method", "startswith");
  if (!given) return forward_error(given);
  const Value affix = given->value(0);
  const Items affixes = affix.is(Kind::tuple) ? affix.as_tuple()->items : Items{affix};
  for (const Value& candidate : affixes) {
    if (auto defined = need_defined(candidate); !defined) return forward_error(defined);
    if (!candidate.is_string()) {
      return trouble(fmt::format("{} where a text is wanted", type_name(candidate)),
                     "use a text or a tuple of texts");
    }
    const std::string& text = self.as_string();
    const bool found =
        at_end ? text.ends_with(candidate.as_string()) : text.starts_with(candidate.as_string());
    if (found) return Value::boolean(true);
  }
  return Value::boolean(false);
}

template <bool at_end>
Outcome<Value> remove_affix(const Value& self, const Arguments& arguments, Interpreter&) {
  const auto given =
      bind_arguments(arguments, {{"affix", Need::required}}, "method", "removeprefix");
  if (!given) return forward_error(given);
  const auto affix = given->text(0, "");
  if (!affix) return forward_error(affix);
  const std::string& text = self.as_string();
  const bool found = at_end ? text.ends_with(*affix) : text.starts_with(*affix);
  if (!found) return self;
  return Value::string(at_end ? text.substr(0, text.size() - affix->size())
                              : text.substr(affix->size()));
}

/// The place of a text in code points; -1 if it is not there.
template <bool from_right, bool must_exist>
Outcome<Value> find(const Value& self, const Arguments& arguments, Interpreter&) {
  const auto given = bind_arguments(arguments, {{"sub", Need::required}}, "method", "find");
  if (!given) return forward_error(given);
  const auto wanted = given->text(0, "");
  if (!wanted) return forward_error(wanted);
  const std::string& text = self.as_string();
  const std::size_t at = from_right ? text.rfind(*wanted) : text.find(*wanted);
  if (at == std::string::npos && must_exist) {
    return trouble("index of a text that is not there", "use find, or check with in first");
  }
  if (at == std::string::npos) return Value::integer(-1);
  return Value::integer(static_cast<std::int64_t>(count_points(text.substr(0, at))));
}

Outcome<Value> count(const Value& self, const Arguments& arguments, Interpreter&) {
  const auto given = bind_arguments(arguments, {{"sub", Need::required}}, "method", "count");
  if (!given) return forward_error(given);
  const auto wanted = given->text(0, "");
  if (!wanted) return forward_error(wanted);
  const std::string& text = self.as_string();
  if (wanted->empty()) {
    return Value::integer(static_cast<std::int64_t>(count_points(text)) + 1);
  }
  std::int64_t found = 0;
  for (std::size_t at = text.find(*wanted); at != std::string::npos;
       at = text.find(*wanted, at + wanted->size())) {
    ++found;
  }
  return Value::integer(found);
}

Outcome<Value> replace(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given =
      bind_arguments(arguments, {{"old", Need::required}, {"new", Need::required}, {"count"}},
                     "method", "replace");
  if (!given) return forward_error(given);
  const auto old = given->text(0, "");
  const auto with = given->text(1, "");
  const auto most = given->integer(2, -1);
  if (!old) return forward_error(old);
  if (!with) return forward_error(with);
  if (!most) return forward_error(most);
  auto text = replace_text(self.as_string(), *old, *with, *most, interpreter.meter());
  if (!text) return forward_error(text);
  return Value::string(*std::move(text));
}

Outcome<Value> join(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given = bind_arguments(arguments, {{"items", Need::required}}, "method", "join");
  if (!given) return forward_error(given);
  const auto items = items_of(given->value(0), interpreter.meter());
  if (!items) return forward_error(items);
  std::string text;
  for (std::size_t i = 0; i < items->size(); ++i) {
    if (auto defined = need_defined((*items)[i]); !defined) return forward_error(defined);
    if (!(*items)[i].is_string()) {
      return trouble("join of something that is no text", "use the filter join, which converts");
    }
    if (i > 0) text += self.as_string();
    text += (*items)[i].as_string();
    if (auto paid = interpreter.meter().spend_text(self.as_string().size() +
                                                   (*items)[i].as_string().size());
        !paid) {
      return forward_error(paid);
    }
    if (text.size() > interpreter.meter().limits().output_bytes_max) {
      return tl::unexpected(interpreter.meter().spend_text(text.size()).error());
    }
  }
  return Value::string(std::move(text));
}

Outcome<Value> format(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  auto text = brace_format(self.as_string(), arguments, interpreter);
  if (!text) return forward_error(text);
  return Value::string(*std::move(text));
}

enum class Place { left, center, right };

template <Place place>
Outcome<Value> justified(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given =
      bind_arguments(arguments, {{"width", Need::required}, {"fillchar"}}, "method", "justify");
  if (!given) return forward_error(given);
  const auto width = given->integer(0, 0);
  const auto fill = given->text(1, " ");
  if (!width) return forward_error(width);
  if (!fill) return forward_error(fill);
  if (count_points(*fill) != 1) return trouble("a fill of other than one character", "use one");
  const std::string& text = self.as_string();
  if constexpr (place == Place::center) {
    auto centered = center_text(text, *width, *fill, interpreter.meter());
    if (!centered) return forward_error(centered);
    return Value::string(*std::move(centered));
  }
  const auto size = static_cast<std::int64_t>(count_points(text));
  const auto missing = std::max<std::int64_t>(*width - size, 0);
  auto filling = operate(Arithmetic::multiply, Value::string(*fill), Value::integer(missing),
                         interpreter.meter());
  if (!filling) return filling;
  return Value::string(place == Place::left ? text + filling->as_string()
                                            : filling->as_string() + text);
}

Outcome<Value> zero_fill(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given = bind_arguments(arguments, {{"width", Need::required}}, "method", "zfill");
  if (!given) return forward_error(given);
  const auto width = given->integer(0, 0);
  if (!width) return forward_error(width);
  const std::string& text = self.as_string();
  const auto size = static_cast<std::int64_t>(count_points(text));
  auto zeros =
      operate(Arithmetic::multiply, Value::string("0"),
              Value::integer(std::max<std::int64_t>(*width - size, 0)), interpreter.meter());
  if (!zeros) return zeros;
  const bool has_sign = !text.empty() && (text[0] == '-' || text[0] == '+');
  const std::size_t sign = has_sign ? 1 : 0;
  return Value::string(text.substr(0, sign) + zeros->as_string() + text.substr(sign));
}

/// A text that is not empty and of which every character is of a kind.
template <bool (*wanted)(char32_t)>
Outcome<Value> all_are(const Value& self, const Arguments& arguments, Interpreter&) {
  if (auto ok = no_arguments(arguments); !ok) return forward_error(ok);
  const auto points = to_points(self.as_string());
  return Value::boolean(!points.empty() && std::all_of(points.begin(), points.end(), wanted));
}

bool is_letter_or_digit(char32_t point) { return is_letter(point) || is_digit(point); }

/// All letters of one case, and at least one letter.
template <bool (*wanted)(char32_t), bool (*unwanted)(char32_t)>
Outcome<Value> is_cased(const Value& self, const Arguments& arguments, Interpreter&) {
  if (auto ok = no_arguments(arguments); !ok) return forward_error(ok);
  const auto points = to_points(self.as_string());
  return Value::boolean(std::any_of(points.begin(), points.end(), wanted) &&
                        std::none_of(points.begin(), points.end(), unwanted));
}

struct Entry {
  std::string_view name;
  Method method;
};

constexpr Entry kMethods[] = {
    {"upper", edited<to_upper>},
    {"lower", edited<to_lower>},
    {"casefold", edited<to_lower>},
    {"capitalize", edited<to_capitalized>},
    {"title", edited<to_title>},
    {"swapcase", edited<swap_case>},
    {"strip", stripped<Side::both>},
    {"lstrip", stripped<Side::left>},
    {"rstrip", stripped<Side::right>},
    {"split", split<false>},
    {"rsplit", split<true>},
    {"splitlines", lines},
    {"partition", partition<false>},
    {"rpartition", partition<true>},
    {"startswith", has_affix<false>},
    {"endswith", has_affix<true>},
    {"removeprefix", remove_affix<false>},
    {"removesuffix", remove_affix<true>},
    {"find", find<false, false>},
    {"rfind", find<true, false>},
    {"index", find<false, true>},
    {"rindex", find<true, true>},
    {"count", count},
    {"replace", replace},
    {"join", join},
    {"format", format},
    {"ljust", justified<Place::left>},
    {"rjust", justified<Place::right>},
    {"center", justified<Place::center>},
    {"zfill", zero_fill},
    {"isdigit", all_are<is_digit>},
    {"isnumeric", all_are<is_digit>},
    {"isdecimal", all_are<is_digit>},
    {"isalpha", all_are<is_letter>},
    {"isalnum", all_are<is_letter_or_digit>},
    {"isspace", all_are<is_space>},
    {"islower", is_cased<is_lower, is_upper>},
    {"isupper", is_cased<is_upper, is_lower>},
};

}  // namespace

Method find_text_method(std::string_view name) {
  for (const Entry& entry : kMethods) {
    if (entry.name == name) return entry.method;
  }
  return nullptr;
}

}  // namespace ichor::jinja
