#include "template/brace_format.h"

#include <algorithm>
#include <fmt/format.h>

#include "template/format_number.h"
#include "template/interpreter.h"
#include "template/number.h"
#include "template/operate.h"
#include "template/print.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

tl::unexpected<Trouble> bad_format(std::string what) {
  return trouble(std::move(what), "check the text before .format");
}

/// [[fill]align][sign][#][0][width][grouping][.precision][type]
Outcome<FormatSpec> read_spec(std::string_view text) {
  FormatSpec spec;
  const auto is_align = [](char c) {
    return std::string_view("<>^=").find(c) != std::string_view::npos;
  };
  const std::string_view first = slice_points(text, 0, 1);
  if (text.size() > first.size() && is_align(text[first.size()])) {
    spec.fill = first;
    spec.align = text[first.size()];
    text.remove_prefix(first.size() + 1);
  } else if (!text.empty() && is_align(text[0])) {
    spec.align = text[0];
    text.remove_prefix(1);
  }
  const auto take = [&](std::string_view any) -> char {
    if (text.empty() || any.find(text[0]) == std::string_view::npos) return 0;
    const char taken = text[0];
    text.remove_prefix(1);
    return taken;
  };
  const auto number = [&] {
    int value = 0;
    while (!text.empty() && is_digit(static_cast<unsigned char>(text[0])) && value < 10'000'000) {
      value = value * 10 + (text[0] - '0');
      text.remove_prefix(1);
    }
    return value;
  };
  if (const char sign = take("+- ")) spec.sign = sign;
  spec.alternate = take("#") != 0;
  if (take("0") != 0 && spec.align == 0) {
    spec.fill = "0";
    spec.align = '=';
  }
  spec.width = number();
  spec.grouping = take(",_");
  if (take(".") != 0) spec.precision = number();
  spec.type = take("bcdeEfFgGnosxX%");
  if (!text.empty()) return bad_format("a format that is not known");
  return spec;
}

class BraceFormat {
 public:
  BraceFormat(const Arguments& arguments, Interpreter& interpreter)
      : arguments_(arguments), interpreter_(interpreter) {}

  Outcome<std::string> run(std::string_view text, int depth) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char letter = text[i];
      const bool is_doubled = i + 1 < text.size() && text[i + 1] == letter;
      if (letter != '{' && letter != '}') {
        out += letter;
      } else if (is_doubled && (depth == 0)) {
        out += letter;
        ++i;
      } else if (letter == '}') {
        return bad_format("a '}' alone in a format");
      } else {
        const auto end = end_of_field(text, i + 1);
        if (!end) return bad_format("a '{' alone in a format");
        auto field = add_field(text.substr(i + 1, *end - i - 1), depth);
        if (!field) return field;
        out += *field;
        i = *end;
      }
      if (auto paid = interpreter_.meter().spend_text(0); !paid) return forward_error(paid);
      if (out.size() > interpreter_.meter().limits().output_bytes_max) {
        return tl::unexpected(interpreter_.meter().spend_text(out.size()).error());
      }
    }
    return out;
  }

 private:
  static std::optional<std::size_t> end_of_field(std::string_view text, std::size_t at) {
    int open = 1;
    for (; at < text.size(); ++at) {
      if (text[at] == '{') ++open;
      if (text[at] == '}' && --open == 0) return at;
    }
    return std::nullopt;
  }

  Outcome<Value> argument(std::string_view name) {
    const bool is_number = std::all_of(
        name.begin(), name.end(), [](char c) { return is_digit(static_cast<unsigned char>(c)); });
    if (is_number) {
      const bool is_next = name.empty();
      if (is_next ? next_ < 0 : next_ > 0) {
        return bad_format("places with and without numbers in one format");
      }
      const auto place = is_next ? next_++ : read_integer(name).value_or(-1);
      if (!is_next) next_ = -1;
      const auto count = static_cast<std::int64_t>(arguments_.positional.size());
      if (place < 0 || place >= count) return bad_format("fewer values than the format wants");
      return arguments_.positional[static_cast<std::size_t>(place)];
    }
    for (const auto& [known, value] : arguments_.named) {
      if (known == name) return value;
    }
    return bad_format("a name in a format has no value");
  }

  /// name, then .member and [key] in any number.
  Outcome<Value> resolve(std::string_view path) {
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    auto value = argument(path.substr(0, end));
    path.remove_prefix(end);
    while (value && !path.empty()) {
      const bool is_member = path[0] == '.';
      const std::size_t stop =
          is_member ? std::min(path.find_first_of(".[", 1), path.size()) : path.find(']');
      if (stop == std::string_view::npos) return bad_format("a '[' without its end in a format");
      const std::string key(path.substr(1, stop - 1));
      if (key.empty()) return bad_format("an empty name in a format");
      const auto number = is_member ? std::nullopt : read_integer(key);
      value = is_member ? interpreter_.attribute(*value, key)
                        : interpreter_.item(*value,
                                            number ? Value::integer(*number) : Value::string(key));
      path.remove_prefix(is_member ? stop : stop + 1);
    }
    return value;
  }

  Outcome<std::string> add_field(std::string_view field, int depth) {
    if (depth > 1) return bad_format("a format within a format within a format");
    const std::size_t colon = field.find(':');
    std::string_view path = field.substr(0, colon);
    char conversion = 0;
    if (const std::size_t mark = path.find('!'); mark != std::string_view::npos) {
      if (mark + 2 != path.size()) return bad_format("a conversion that is not known");
      conversion = path[mark + 1];
      path = path.substr(0, mark);
    }
    auto value = resolve(path);
    if (!value) return forward_error(value);
    std::string spec_text;
    if (colon != std::string_view::npos) {
      auto inner = run(field.substr(colon + 1), depth + 1);
      if (!inner) return inner;
      spec_text = *std::move(inner);
    }
    if (conversion != 0) {
      auto text = conversion == 's'   ? print(*value, interpreter_.meter())
                  : conversion == 'r' ? represent(*value, interpreter_.meter())
                                      : bad_format("a conversion that is not known");
      if (!text) return text;
      value = Value::string(*std::move(text));
    }
    return formatted(*value, spec_text);
  }

  Outcome<std::string> formatted(const Value& value, const std::string& spec_text) {
    Meter& meter = interpreter_.meter();
    if (auto defined = need_defined(value); !defined) return forward_error(defined);
    const auto spec = read_spec(spec_text);
    if (!spec) return forward_error(spec);
    const bool is_plain = value.is(Kind::boolean) && spec->type == 0;
    if (value.is_number() && !is_plain) {
      if (spec->type == 's') return bad_format("a number where the format wants a text");
      if (value.is_integral() && spec->precision >= 0 &&
          std::string_view("eEfFgGn%").find(spec->type) == std::string_view::npos) {
        return bad_format("a precision for an integer");
      }
      if (spec_text.empty()) return print(value, meter);
      auto text = format_number(value, *spec);
      if (!text) return text;
      return pad(*std::move(text), *spec, '>', meter);
    }
    if (!value.is_string() && !is_plain && !spec_text.empty()) {
      return bad_format(fmt::format("a format for {}", type_name(value)));
    }
    if ((spec->type != 0 && spec->type != 's') || spec->align == '=') {
      return bad_format("a format for numbers, but the value is a text");
    }
    auto text = print(value, meter);
    if (!text) return text;
    if (spec->precision >= 0) {
      text = std::string(slice_points(*text, 0, static_cast<std::size_t>(spec->precision)));
    }
    return pad(*std::move(text), *spec, '<', meter);
  }

  const Arguments& arguments_;
  Interpreter& interpreter_;
  std::int64_t next_{0};  // -1: places are numbered
};

}  // namespace

Outcome<std::string> brace_format(std::string_view text, const Arguments& arguments,
                                  Interpreter& interpreter) {
  return BraceFormat(arguments, interpreter).run(text, 0);
}

}  // namespace ichor::jinja
