#include "machineconfig/validate/report.h"

#include <fmt/format.h>

#include "machineconfig/cel/cel.h"

namespace ichor::validate {

void Report::error(const View& at, std::string_view what, std::string_view fix) {
  findings_.push_back({Severity::error, at.at(), std::string(what), std::string(fix)});
}

void Report::warning(const View& at, std::string_view what, std::string_view fix) {
  findings_.push_back({Severity::warning, at.at(), std::string(what), std::string(fix)});
}

void Report::expression(const View& at, std::string_view name, cel::Place place) {
  for (const cel::Problem& problem : cel::check_expression(at.text(), place, minor_)) {
    error(at, fmt::format("{}: {} (character {})", name, problem.what, problem.at + 1),
          problem.fix);
  }
}

}  // namespace ichor::validate
