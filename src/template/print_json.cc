#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "template/number.h"
#include "template/operate.h"
#include "template/print.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

class JsonPrinter {
 public:
  JsonPrinter(int indent, Meter& meter) : indent_(indent), meter_(meter) {}

  Outcome<void> add(const Value& value) {
    if (auto paid = meter_.spend(); !paid) return paid;
    if (auto fits = meter_.spend_text(out_.size() - paid_); !fits) return fits;
    paid_ = out_.size();
    if (out_.size() > meter_.limits().output_bytes_max) return meter_.spend_text(out_.size());
    const Meter::Level level(meter_);
    if (auto ok = level.ok(); !ok) return ok;
    switch (value.kind()) {
      case Kind::none: out_ += "null"; return {};
      case Kind::boolean: out_ += value.as_boolean() ? "true" : "false"; return {};
      case Kind::integer: out_ += fmt::to_string(value.as_integer()); return {};
      case Kind::floating: add_float(value.as_floating()); return {};
      case Kind::string: add_text(value.as_string()); return {};
      case Kind::list: return add_row(value.as_list()->items);
      case Kind::tuple: return add_row(value.as_tuple()->items);
      case Kind::dict: return add_dict(*value.as_dict());
      default: break;
    }
    if (auto defined = need_defined(value); !defined) return defined;
    return trouble(fmt::format("{} cannot be written as JSON", type_name(value)),
                   "use a list, a dict, a text or a number");
  }

  std::string take() { return std::move(out_); }

 private:
  void add_float(double number) {
    if (std::isnan(number)) {
      out_ += "NaN";
    } else if (std::isinf(number)) {
      out_ += number < 0 ? "-Infinity" : "Infinity";
    } else {
      out_ += float_text(number);
    }
  }

  void add_unit(unsigned unit) { out_ += fmt::format("\\u{:04x}", unit); }

  void add_text(std::string_view text) {
    out_ += '"';
    for (const char32_t point : to_points(text)) {
      switch (point) {
        case '"': out_ += "\\\""; break;
        case '\\': out_ += "\\\\"; break;
        case '\n': out_ += "\\n"; break;
        case '\r': out_ += "\\r"; break;
        case '\t': out_ += "\\t"; break;
        case '\f': out_ += "\\f"; break;
        case '\b': out_ += "\\b"; break;
        case '<':
        case '>':
        case '&':
        case '\'': add_unit(point); break;
        default:
          if (point >= 0x10000) {
            add_unit(0xD800 + ((point - 0x10000) >> 10));
            add_unit(0xDC00 + ((point - 0x10000) & 0x3FF));
          } else if (point < 0x20 || point >= 0x7F) {
            add_unit(point);
          } else {
            append_point(out_, point);
          }
      }
    }
    out_ += '"';
  }

  void new_line() {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_) * depth_, ' ');
  }

  void separate(bool& is_first) {
    if (!is_first) out_ += indent_ < 0 ? ", " : ",";
    is_first = false;
    new_line();
  }

  Outcome<void> add_row(const Items& items) {
    if (items.empty()) {
      out_ += "[]";
      return {};
    }
    out_ += '[';
    ++depth_;
    bool is_first = true;
    for (const Value& item : items) {
      separate(is_first);
      if (auto added = add(item); !added) return added;
    }
    --depth_;
    new_line();
    out_ += ']';
    return {};
  }

  static std::string key_text(const Value& key) {
    switch (key.kind()) {
      case Kind::none: return "null";
      case Kind::boolean: return key.as_boolean() ? "true" : "false";
      case Kind::integer: return fmt::to_string(key.as_integer());
      case Kind::floating: return float_text(key.as_floating());
      default: return key.as_string();
    }
  }

  Outcome<std::vector<Dict::Entry>> sorted(const Dict& dict) {
    std::vector<Dict::Entry> entries = dict.entries();
    std::optional<Trouble> problem;
    std::stable_sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) {
      if (problem) return false;
      const auto less = compare(Relation::less, a.key, b.key, meter_);
      if (!less) problem = less.error();
      return less.value_or(false);
    });
    if (problem) return tl::unexpected(*problem);
    return entries;
  }

  Outcome<void> add_dict(const Dict& dict) {
    if (dict.size() == 0) {
      out_ += "{}";
      return {};
    }
    const auto entries = sorted(dict);
    if (!entries) return forward_error(entries);
    out_ += '{';
    ++depth_;
    bool is_first = true;
    for (const auto& [key, value] : *entries) {
      if (!key.is_string() && !key.is_number() && !key.is_none()) {
        return trouble(fmt::format("{} cannot be a key in JSON", type_name(key)), "use a text");
      }
      separate(is_first);
      add_text(key_text(key));
      out_ += ": ";
      if (auto added = add(value); !added) return added;
    }
    --depth_;
    new_line();
    out_ += '}';
    return {};
  }

  int indent_;
  Meter& meter_;
  std::string out_;
  std::size_t paid_{0};
  std::size_t depth_{0};
};

}  // namespace

Outcome<std::string> print_json(const Value& value, int indent, Meter& meter) {
  JsonPrinter printer(indent, meter);
  if (auto added = printer.add(value); !added) return forward_error(added);
  return printer.take();
}

}  // namespace ichor::jinja
