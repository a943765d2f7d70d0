#include "template/render.h"

#include <fmt/format.h>

#include "base/check.h"
#include "template/interpreter.h"
#include "template/unicode.h"

namespace ichor::jinja {

std::string TemplateError::where() const { return fmt::format("{}:{}:{}", file, line, column); }

std::string TemplateError::message() const {
  const std::string text = fmt::format("{}: {}", where(), what);
  return fix.empty() ? text : fmt::format("{} ({})", text, fix);
}

bool Rendering::is_empty() const { return strip(text).empty(); }

tl::expected<Rendering, TemplateError> render(std::string_view text, const std::string& file,
                                              const Value& variables, const Options& options,
                                              Loader* loader) {
  check(variables.is(Kind::dict), "the variables are a dict");
  Interpreter interpreter(variables, options, loader);
  auto rendered = interpreter.run(text, file);
  if (!rendered) {
    Trouble& problem = rendered.error();
    const bool is_placed = problem.at.file != nullptr;
    return tl::unexpected(TemplateError{is_placed ? *problem.at.file : file, problem.at.line,
                                        problem.at.column, std::move(problem.what),
                                        std::move(problem.fix)});
  }
  return Rendering{*std::move(rendered), interpreter.take_skipped()};
}

}  // namespace ichor::jinja
