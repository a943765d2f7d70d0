#include "template/print.h"

#include <fmt/format.h>

#include "template/number.h"
#include "template/object.h"
#include "template/operate.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

void append_quoted(std::string& out, std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const bool has_double = text.find('"') != std::string_view::npos;
  const char32_t quote = has_single && !has_double ? '"' : '\'';
  append_point(out, quote);
  for (const char32_t point : to_points(text)) {
    switch (point) {
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\\': out += "\\\\"; break;
      default:
        if (point == quote) {
          out += '\\';
          append_point(out, point);
        } else if (is_printable(point)) {
          append_point(out, point);
        } else if (point < 0x100) {
          out += fmt::format("\\x{:02x}", static_cast<unsigned>(point));
        } else if (point < 0x10000) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(point));
        } else {
          out += fmt::format("\\U{:08x}", static_cast<unsigned>(point));
        }
    }
  }
  append_point(out, quote);
}

/// Builds one text of a value, however nested, within the limits.
class Printer {
 public:
  explicit Printer(Meter& meter) : meter_(meter) {}

  Outcome<void> add(const Value& value) {
    if (auto paid = meter_.spend(); !paid) return paid;
    if (auto fits = meter_.spend_text(out_.size() - paid_); !fits) return fits;
    paid_ = out_.size();
    if (out_.size() > meter_.limits().output_bytes_max) return meter_.spend_text(out_.size());
    const Meter::Level level(meter_);
    if (auto ok = level.ok(); !ok) return ok;
    switch (value.kind()) {
      case Kind::undefined: return need_defined_within(value);
      case Kind::none: out_ += "None"; return {};
      case Kind::boolean: out_ += value.as_boolean() ? "True" : "False"; return {};
      case Kind::integer: out_ += fmt::to_string(value.as_integer()); return {};
      case Kind::floating: out_ += float_text(value.as_floating()); return {};
      case Kind::string:
        if (value.text().is_escaped) out_ += "Markup(";
        append_quoted(out_, value.as_string());
        if (value.text().is_escaped) out_ += ')';
        return {};
      case Kind::list: return add_row("[", value.as_list()->items, "]");
      case Kind::tuple: {
        const Items& items = value.as_tuple()->items;
        return add_row("(", items, items.size() == 1 ? ",)" : ")");
      }
      case Kind::dict: return add_dict(*value.as_dict());
      case Kind::range: add_range(value.as_range()); return {};
      case Kind::view: return add_view(value);
      case Kind::iterator:
        return trouble("what a filter such as map gives cannot be printed", "add | list or | join");
      case Kind::object: {
        auto text = value.as_object()->print(meter_);
        if (!text) return forward_error(text);
        out_ += *text;
        return {};
      }
    }
    return {};
  }

  std::string take() { return std::move(out_); }

 private:
  static Outcome<void> need_defined_within(const Value& value) {
    if (value.as_undefined().prints_nothing) {
      return trouble("an inline if without else has no value here", "add an else");
    }
    return need_defined(value);
  }

  Outcome<void> add_row(std::string_view open, const Items& items, std::string_view close) {
    out_ += open;
    bool is_first = true;
    for (const Value& item : items) {
      if (!is_first) out_ += ", ";
      is_first = false;
      if (auto added = add(item); !added) return added;
    }
    out_ += close;
    return {};
  }

  Outcome<void> add_dict(const Dict& dict) {
    out_ += '{';
    bool is_first = true;
    for (const auto& [key, value] : dict.entries()) {
      if (!is_first) out_ += ", ";
      is_first = false;
      if (auto added = add(key); !added) return added;
      out_ += ": ";
      if (auto added = add(value); !added) return added;
    }
    out_ += '}';
    return {};
  }

  void add_range(const Range& range) {
    out_ += fmt::format("range({}, {}", range.start, range.stop);
    if (range.step != 1) out_ += fmt::format(", {}", range.step);
    out_ += ')';
  }

  Outcome<void> add_view(const Value& value) {
    switch (value.as_view().of) {
      case View::Of::items: out_ += "dict_items"; break;
      case View::Of::keys: out_ += "dict_keys"; break;
      case View::Of::values: out_ += "dict_values"; break;
    }
    const auto items = items_of(value, meter_);
    if (!items) return forward_error(items);
    return add_row("([", *items, "])");
  }

  Meter& meter_;
  std::string out_;
  std::size_t paid_{0};
};

}  // namespace

Outcome<std::string> print(const Value& value, Meter& meter) {
  if (value.is_string()) {
    if (auto paid = meter.spend_text(value.as_string().size()); !paid) {
      return forward_error(paid);
    }
    return value.as_string();
  }
  if (value.is_undefined() && value.as_undefined().prints_nothing) return std::string();
  return represent(value, meter);
}

Outcome<std::string> represent(const Value& value, Meter& meter) {
  Printer printer(meter);
  if (auto added = printer.add(value); !added) return forward_error(added);
  return printer.take();
}

}  // namespace ichor::jinja
