#include <fmt/format.h>
#include <sstream>

#include "command/commands.h"
#include "sim/campaign.h"
#include "sim/crash_sweep.h"
#include "sim/mutants.h"
#include "yaml/json_node.h"

namespace ichor {

namespace {

Exit misused(Desk& desk, const std::string& message) {
  desk.out() << fmt::format("simulate: {}\n", message);
  return Exit::usage;
}

Exit to_exit(int code) { return static_cast<Exit>(code); }

}  // namespace

Exit run(const SimulateRequest& request, const CommonOptions& common, Desk& desk) {
  const auto faults = sim::parse_faults(request.faults);
  if (!faults) return misused(desk, faults.error().message);
  const auto shape = sim::parse_shape(request.shape);
  if (!shape) return misused(desk, shape.error().message);

  sim::CampaignOptions options;
  options.first_seed = request.seeds.first;
  options.last_seed = request.seeds.last;
  options.jobs = request.jobs > 0 ? request.jobs : desk.processor_count();
  options.shape = *shape;
  options.faults = *faults;
  options.json = for_programs(common.output);
  options.stopwatch = [&desk] { return desk.stopwatch(); };

  if (!request.mutants.empty()) {
    return to_exit(sim::hunt_mutants(options, request.mutants, desk.out()));
  }
  if (request.crash_points || request.crash_pairs) {
    const sim::Sweep sweep = request.crash_points ? sim::Sweep::singles : sim::Sweep::pairs;
    const sim::SweepReport report = sim::sweep_crashes(options, sweep);
    return to_exit(sim::print_sweep(options, sweep, report, desk.out()));
  }
  if (request.trace) {
    const sim::SeedReport report = sim::run_traced(options, desk.out());
    return report.violation.empty() ? Exit::done : Exit::failed;
  }
  const sim::CampaignReport report = sim::run_campaign(options);
  if (common.output != OutputFormat::yaml) {
    return to_exit(sim::print_report(options, report, desk.out()));
  }
  std::stringstream lines;
  const Exit exit = to_exit(sim::print_report(options, report, lines));
  for (std::string line; std::getline(lines, line);) {
    desk.out() << yaml::document_of(nlohmann::ordered_json::parse(line));
  }
  return exit;
}

}  // namespace ichor
