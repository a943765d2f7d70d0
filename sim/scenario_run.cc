#include <algorithm>
#include <fmt/format.h>

#include "lint/rules.h"
#include "profile/read_profile.h"
#include "sim/campaign.h"
#include "sim/scenario.h"
#include "sim/scenario_script.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

SeedPlan plan_of(const Scenario& scenario) {
  FaultChoice armed;
  armed.everything = false;
  for (const std::string& name : scenario.arm) {
    armed.allowed.push_back(parse_faults(name)->allowed.front());
  }
  SeedPlan plan = draw_plan(scenario.seed, scenario.shape, armed);
  plan.personality = scenario.talos;
  plan.platform = scenario.platform;
  plan.addresses_move = scenario.addresses_move;
  plan.sequential = false;
  plan.fault_phase = scenario.calm;
  return plan;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// How the run differs from what was expected; empty: it does not.
std::string trouble_of(const Expectation& expect, const SeedReport& seed) {
  if (!seed.violation.empty()) return seed.violation;
  if (expect.ready && !seed.ready) return "not ready: " + seed.verdict;
  if (!expect.ready && !seed.ended) {
    return fmt::format("no finding of {}, but {} (exit {}): {}", joined(expect.verdicts),
                       seed.findings.empty() ? "none" : joined(seed.findings),
                       static_cast<int>(seed.exit), seed.verdict);
  }
  if (expect.exit && seed.exit != *expect.exit) {
    return fmt::format("exit {} instead of {}: {}", static_cast<int>(seed.exit),
                       static_cast<int>(*expect.exit), seed.verdict);
  }
  const int happened = seed.fired.back();
  if (happened == 0 &&
      std::all_of(seed.fired.begin(), seed.fired.end(), [](int count) { return count == 0; })) {
    return "nothing of what it is about happened";
  }
  if (seed.time_to_ready > expect.within) {
    return fmt::format("ready after {}, and {} were given", ichor::to_text(seed.time_to_ready),
                       ichor::to_text(expect.within));
  }
  return {};
}

/// A profile that is wrong in itself is refused before anybody is called.
ScenarioResult judge_profile(const Scenario& scenario) {
  ProfileReading reading = read_profile(scenario.profile, scenario.name);
  if (reading.ok()) reading.findings = lint({reading.profile, reading.source});
  ScenarioResult result;
  result.exit = reading.findings.empty() ? Exit::done : Exit::findings;
  const auto expected = [&](const Finding& finding) {
    const auto& rows = scenario.expect.verdicts;
    return std::find(rows.begin(), rows.end(), finding.id) != rows.end();
  };
  const auto found = std::find_if(reading.findings.begin(), reading.findings.end(), expected);
  if (found != reading.findings.end()) {
    result.verdict = fmt::format("{}: {}", found->where, found->what);
  } else {
    result.trouble = fmt::format("no finding of {}", joined(scenario.expect.verdicts));
  }
  return result;
}

}  // namespace

ScenarioResult run_scenario(const Scenario& scenario, std::ostream* trace) {
  if (!scenario.profile.empty()) return judge_profile(scenario);
  const SeedPlan plan = plan_of(scenario);
  ClusterFixture fixture = make_fixture(plan);
  SimWorld world(plan, fixture);
  const std::string verdicts = joined(scenario.expect.verdicts);
  world.add(make_script(scenario), Recovery{verdicts});
  Trace::Listener listener;
  if (trace != nullptr) listener = [trace](const std::string& line) { *trace << line << '\n'; };
  const SeedReport seed = world.run(std::move(listener));
  ScenarioResult result;
  result.trouble = trouble_of(scenario.expect, seed);
  result.ready = seed.ready;
  result.took = seed.time_to_ready;
  result.exit = seed.exit;
  result.verdict = seed.verdict;
  return result;
}

void print_scenario_head(std::ostream& out) {
  out << fmt::format("{:<34} {:<14} {:<7} {:>9}  {}\n", "scenario", "faults", "result", "ready in",
                     "verdict");
}

void print_scenario(const Scenario& scenario, const ScenarioResult& result, std::ostream& out) {
  const bool good = result.trouble.empty();
  const std::string took = result.ready ? ichor::to_text(result.took) : std::string("-");
  std::string line = fmt::format("exit {}: {}", static_cast<int>(result.exit), result.verdict);
  if (!good) line = result.trouble;
  std::replace(line.begin(), line.end(), '\n', ' ');
  out << fmt::format("{:<34} {:<14} {:<7} {:>9}  {}\n", scenario.name, joined(scenario.faults),
                     good ? "ok" : "FAILED", took, line);
}

}  // namespace ichor::sim
