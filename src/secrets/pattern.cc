#include "secrets/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

namespace ichor::secrets {

Pattern::Pattern(std::unique_ptr<re2::RE2> expression) : expression_(std::move(expression)) {}
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

Result<Pattern> Pattern::compile(const std::string& text) {
  constexpr std::size_t length_max = 4'096;
  if (text.size() > length_max) {
    return fail(Errc::invalid,
                fmt::format("a regular expression of more than {} letters", length_max));
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto expression = std::make_unique<re2::RE2>(text, options);
  if (!expression->ok()) {
    return fail(Errc::invalid, fmt::format("\"{}\" is not a regular expression of Go: {}", text,
                                           expression->error()));
  }
  return Pattern(std::move(expression));
}

bool Pattern::is_in(std::string_view text) const {
  return re2::RE2::PartialMatch({text.data(), text.size()}, *expression_);
}

}  // namespace ichor::secrets
