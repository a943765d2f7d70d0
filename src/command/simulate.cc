#include <algorithm>
#include <fmt/format.h>
#include <sstream>

#include "command/commands.h"
#include "sim/campaign.h"
#include "sim/crash_sweep.h"
#include "sim/mutants.h"
#include "sim/scenario.h"
#include "yaml/json_node.h"

namespace ichor {

namespace {

Exit misused(Host& host, const std::string& message) {
  host.terminal.out() << fmt::format("simulate: {}\n", message);
  return Exit::usage;
}

Exit to_exit(int code) { return static_cast<Exit>(code); }

/// A file, or the YAML files of a folder in the order of their names.
std::vector<std::string> scenario_files(const std::string& path, Host& host) {
  const auto listed = host.files.list_folder(path);
  if (!listed) return {path};
  std::vector<std::string> files;
  for (const std::string& name : *listed) {
    if (name.ends_with(".yaml")) files.push_back(path + "/" + name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

Exit run_scenarios(const SimulateRequest& request, Host& host) {
  const std::vector<std::string> files = scenario_files(request.scenario, host);
  if (files.empty()) return misused(host, "no scenario in " + request.scenario);
  std::vector<sim::Scenario> scenarios;
  for (const std::string& file : files) {
    auto text = host.files.read_input(file);
    if (!text) return misused(host, text.error().message);
    auto scenario = sim::read_scenario(*text, file);
    if (!scenario) return misused(host, scenario.error().message);
    scenarios.push_back(*std::move(scenario));
  }
  sim::print_scenario_head(host.terminal.out());
  std::size_t good = 0;
  for (const sim::Scenario& scenario : scenarios) {
    const sim::ScenarioResult result =
        sim::run_scenario(scenario, request.trace ? &host.terminal.out() : nullptr);
    sim::print_scenario(scenario, result, host.terminal.out());
    good += result.trouble.empty() ? 1 : 0;
  }
  host.terminal.out() << fmt::format("{} of {} scenarios end as they say\n", good,
                                     scenarios.size());
  return good == scenarios.size() ? Exit::done : Exit::failed;
}

}  // namespace

Exit run(const SimulateRequest& request, const CommonOptions& common, Host& host) {
  if (!request.scenario.empty()) return run_scenarios(request, host);
  const auto faults = sim::parse_faults(request.faults);
  if (!faults) return misused(host, faults.error().message);
  const auto shape = sim::parse_shape(request.shape);
  if (!shape) return misused(host, shape.error().message);

  sim::CampaignOptions options;
  options.first_seed = request.seeds.first;
  options.last_seed = request.seeds.last;
  options.jobs = request.jobs > 0 ? request.jobs : host.environment.processor_count();
  options.shape = *shape;
  options.faults = *faults;
  options.line = request.only_talos ? sim::Line::talos : sim::Line::whole;
  if (request.upgrade) options.line = sim::Line::upgrade;
  options.json = for_programs(common.output);
  options.stopwatch = [&host] { return host.environment.stopwatch(); };

  if (!request.mutants.empty()) {
    return to_exit(sim::hunt_mutants(options, request.mutants, host.terminal.out()));
  }
  if (request.crash_points || request.crash_pairs) {
    const sim::Sweep sweep = request.crash_points ? sim::Sweep::singles : sim::Sweep::pairs;
    const sim::SweepReport report = sim::sweep_crashes(options, sweep);
    return to_exit(sim::print_sweep(options, sweep, report, host.terminal.out()));
  }
  if (request.trace) {
    const sim::SeedReport report = sim::run_traced(options, host.terminal.out());
    return report.violation.empty() ? Exit::done : Exit::failed;
  }
  const sim::CampaignReport report = sim::run_campaign(options);
  if (common.output != OutputFormat::yaml) {
    return to_exit(sim::print_report(options, report, host.terminal.out()));
  }
  std::stringstream lines;
  const Exit exit = to_exit(sim::print_report(options, report, lines));
  for (std::string line; std::getline(lines, line);) {
    host.terminal.out() << yaml::document_of(nlohmann::ordered_json::parse(line));
  }
  return exit;
}

}  // namespace ichor
