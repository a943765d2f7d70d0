#include "machineconfig/validate/report.h"

#include <fmt/format.h>

#include "machineconfig/cel/cel.h"

namespace ichor::validate {

void Report::expression(const View& at, std::string_view name, cel::Place place) {
  for (cel::Problem& problem : cel::check_expression(at.text(), place, minor_)) {
    error(at, fmt::format("{}: {} (character {})", name, problem.what, problem.at + 1),
          std::move(problem.fix));
  }
}

}  // namespace ichor::validate
