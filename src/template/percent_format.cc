#include "template/percent_format.h"

#include <fmt/format.h>
#include <optional>

#include "template/format_number.h"
#include "template/number.h"
#include "template/operate.h"
#include "template/print.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

tl::unexpected<Trouble> bad_format(std::string what) {
  return trouble(std::move(what), "check the text before % or | format");
}

class PercentFormat {
 public:
  PercentFormat(std::string_view text, const Value& values, Meter& meter)
      : text_(text), values_(values), meter_(meter) {}

  Outcome<Value> run() {
    while (at_ < text_.size()) {
      if (text_[at_] != '%') {
        const std::size_t next = std::min(text_.find('%', at_), text_.size());
        out_ += text_.substr(at_, next - at_);
        at_ = next;
        continue;
      }
      ++at_;
      if (auto added = add_one(); !added) return forward_error(added);
      if (auto paid = meter_.spend_text(out_.size()); !paid) return forward_error(paid);
    }
    const bool is_one = !values_.is(Kind::tuple) && !values_.is(Kind::dict) &&
                        !values_.is(Kind::list) && used_ == 0;
    const bool is_left = values_.is(Kind::tuple) && used_ < values_.as_tuple()->items.size();
    if (is_left || is_one) return bad_format("more values than the format has places for");
    return Value::string(std::move(out_));
  }

 private:
  Outcome<Value> next_value() {
    if (values_.is(Kind::tuple)) {
      const Items& items = values_.as_tuple()->items;
      if (used_ >= items.size()) return bad_format("fewer values than the format has places for");
      return items[used_++];
    }
    if (used_++ > 0) return bad_format("fewer values than the format has places for");
    return values_;
  }

  Outcome<Value> named_value() {
    const std::size_t end = text_.find(')', at_);
    if (end == std::string_view::npos) return bad_format("a name in a format has no end");
    const std::string_view name = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (!values_.is(Kind::dict)) return bad_format("a format with names needs a dict");
    const Value* found = values_.as_dict()->find(name);
    if (found == nullptr) return bad_format("a name in a format has no value");
    return *found;
  }

  /// Digits, or * for the next value.
  Outcome<int> read_count() {
    if (at_ < text_.size() && text_[at_] == '*') {
      ++at_;
      auto value = next_value();
      if (!value) return forward_error(value);
      if (!value->is_integral() || std::abs(value->as_integer()) > 1'000'000) {
        return bad_format("* in a format needs a small integer");
      }
      return static_cast<int>(value->as_integer());
    }
    int count = 0;
    while (at_ < text_.size() && is_digit(static_cast<unsigned char>(text_[at_]))) {
      count = count * 10 + (text_[at_++] - '0');
      if (count > 100'000'000) return bad_format("a width beyond all limits");
    }
    return count;
  }

  Outcome<void> add_one() {
    std::optional<Value> named;
    if (at_ < text_.size() && text_[at_] == '(') {
      auto value = named_value();
      if (!value) return forward_error(value);
      named = *std::move(value);
    }
    FormatSpec spec;
    bool with_zeros = false;
    for (; at_ < text_.size(); ++at_) {
      const char flag = text_[at_];
      if (flag == '-') {
        spec.align = '<';
      } else if (flag == '+') {
        spec.sign = '+';
      } else if (flag == ' ') {
        if (spec.sign != '+') spec.sign = ' ';
      } else if (flag == '#') {
        spec.alternate = true;
      } else if (flag == '0') {
        with_zeros = true;
      } else {
        break;
      }
    }
    auto width = read_count();
    if (!width) return forward_error(width);
    if (*width < 0) spec.align = '<';
    spec.width = std::abs(*width);
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      auto precision = read_count();
      if (!precision) return forward_error(precision);
      spec.precision = std::max(*precision, 0);
    }
    if (at_ >= text_.size()) return bad_format("a format ends after %");
    spec.type = text_[at_++];
    if (spec.type == '%') {
      out_ += '%';
      return {};
    }
    auto value = named ? Outcome<Value>(*named) : next_value();
    if (!value) return forward_error(value);
    if (with_zeros && spec.align == 0) {
      spec.align = '=';
      spec.fill = "0";
    }
    return add_value(*value, spec);
  }

  Outcome<void> add_value(const Value& value, FormatSpec spec) {
    static constexpr std::string_view number_types("diuoxXeEfFgG");
    Outcome<std::string> text;
    if (spec.type == 's' || spec.type == 'r' || spec.type == 'a') {
      text = spec.type == 's' ? print(value, meter_) : represent(value, meter_);
      if (text && spec.precision >= 0) {
        const auto most = static_cast<std::size_t>(spec.precision);
        text = std::string(slice_points(*text, 0, most));
      }
      if (spec.align == '=') spec = FormatSpec{" ", '>', '-', false, 0, spec.width, -1, 's'};
    } else if (number_types.find(spec.type) != std::string_view::npos) {
      if (auto defined = need_defined(value); !defined) return defined;
      if (!value.is_number()) return bad_format("a number in a format needs a number");
      text = number_text(value, spec);
    } else {
      return bad_format("an unknown letter after % in a format");
    }
    if (!text) return forward_error(text);
    auto padded = pad(*std::move(text), spec, '>', meter_);
    if (!padded) return forward_error(padded);
    out_ += *padded;
    return {};
  }

  static Outcome<std::string> number_text(const Value& value, FormatSpec spec) {
    static constexpr std::string_view decimal("diu"), based("oxX");
    if (decimal.find(spec.type) != std::string_view::npos && value.is(Kind::floating)) {
      auto whole = truncate_to_integer(value.as_floating());
      if (!whole) return forward_error(whole);
      return number_text(*whole, spec);
    }
    if (based.find(spec.type) != std::string_view::npos && value.is(Kind::floating)) {
      return bad_format("a float cannot be written in hexadecimal or octal");
    }
    auto text = format_number(value, spec);
    const bool is_whole =
        value.is_integral() && std::string_view("eEfFgG").find(spec.type) == std::string_view::npos;
    if (text && is_whole && spec.precision > 0) {
      const std::size_t sign = text->find_first_of("+- ") == 0 ? 1 : 0;
      while (text->size() - sign < static_cast<std::size_t>(std::min(spec.precision, 400))) {
        text->insert(sign, "0");
      }
    }
    return text;
  }

  std::string_view text_;
  const Value& values_;
  Meter& meter_;
  std::string out_;
  std::size_t at_{0};
  std::size_t used_{0};
};

}  // namespace

Outcome<Value> percent_format(const Value& text, const Value& values, Meter& meter) {
  if (auto defined = need_defined(values); !defined) return forward_error(defined);
  return PercentFormat(text.as_string(), values, meter).run();
}

}  // namespace ichor::jinja
