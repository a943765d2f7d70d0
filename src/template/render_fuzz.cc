#include <cstddef>
#include <cstdint>
#include <string_view>

#include "template/render.h"

namespace {

using namespace ichor;

/// Gives back the template itself, so that includes and imports are met too.
class Mirror final : public jinja::Loader {
 public:
  explicit Mirror(std::string_view text) : text_(text) {}
  Result<std::optional<std::string>> load(const std::string& name) override {
    if (name.size() > 4) return std::optional<std::string>();
    return std::optional<std::string>(text_);
  }

 private:
  std::string_view text_;
};

jinja::Value variables() {
  using jinja::Value;
  const Value list = Value::list({Value::integer(3), Value::floating(1.5), Value::string("a-b C")});
  const Value dict =
      Value::dict({{Value::string("a"), Value::integer(1)}, {Value::string("l"), list}});
  return Value::dict({{Value::string("i"), Value::integer(7)},
                      {Value::string("s"), Value::string("Grün")},
                      {Value::string("n"), Value::none()},
                      {Value::string("l"), list},
                      {Value::string("d"), dict}});
}

}  // namespace

/// The first byte chooses the options, the rest is the template.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  jinja::Options options;
  if ((data[0] & 1) != 0) options.syntax.delimiters = jinja::makejinja_delimiters();
  options.syntax.trim_blocks = (data[0] & 2) != 0;
  options.syntax.lstrip_blocks = (data[0] & 4) != 0;
  options.syntax.keep_trailing_newline = (data[0] & 8) != 0;
  // Enough for every construct, few enough for many runs in a second.
  options.limits.steps_max = 20'000;
  options.limits.output_bytes_max = 64u << 10;
  options.limits.range_max = 1'000;
  Mirror mirror(text);
  const auto result = jinja::render(text, "fuzz.j2", variables(), options, &mirror);
  if (result && result->text.size() > options.limits.output_bytes_max) __builtin_trap();
  if (!result && (result.error().what.empty() || result.error().line < 1)) __builtin_trap();
  return 0;
}
