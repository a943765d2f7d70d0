#include <algorithm>
#include <fmt/format.h>

#include "base/check.h"
#include "doctor/name_fault.h"
#include "lint/read_patch.h"
#include "lint/rules.h"
#include "model/reporter.h"
#include "profile/read_profile.h"
#include "profile/template_variables.h"
#include "secrets/secrets_bundle.h"
#include "sim/campaign.h"
#include "sim/scenario.h"
#include "sim/scenario_script.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

SeedPlan plan_of(const Scenario& scenario) {
  FaultChoice armed;
  armed.everything = false;
  // One that disturbs Kubernetes needs the phases to meet it.
  Line line = Line::talos;
  for (const std::string& name : scenario.arm) {
    armed.allowed.push_back(parse_faults(name)->allowed.front());
    if (fault_catalogue()[armed.allowed.back()].of_kubernetes) line = Line::whole;
    if (fault_catalogue()[armed.allowed.back()].of_upgrade) line = Line::upgrade;
  }
  SeedPlan plan = draw_plan(scenario.seed, scenario.shape, armed, line);
  plan.personality = scenario.talos;
  if (line == Line::upgrade) {
    const bool newest = scenario.talos == Personality::v1_14;
    plan.target = talos_version(newest ? scenario.talos : Personality::v1_13);
    if (scenario.talos == Personality::v1_13 || newest) ++plan.target.patch;
  }
  plan.typed_configs = scenario.talos == Personality::v1_14;
  plan.etcd_volume = false;
  plan.platform = scenario.platform;
  plan.addresses_move = scenario.addresses_move;
  plan.addresses_unknown = scenario.addresses_move && scenario.addresses_unknown;
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

/// How what is read before anybody is called was judged.
ScenarioResult judged(const Expectation& expect, const std::vector<Finding>& findings, Exit exit) {
  ScenarioResult result;
  result.exit = findings.empty() ? Exit::done : exit;
  const auto expected = [&](const Finding& finding) {
    const auto& rows = expect.verdicts;
    return std::find(rows.begin(), rows.end(), finding.id) != rows.end();
  };
  const auto found = std::find_if(findings.begin(), findings.end(), expected);
  if (found == findings.end()) {
    result.trouble = fmt::format("no finding of {}", joined(expect.verdicts));
  } else if (expect.exit && *expect.exit != result.exit) {
    result.trouble = fmt::format("exit {}", static_cast<int>(result.exit));
  } else {
    result.verdict =
        found->where.empty() ? found->what : fmt::format("{}: {}", found->where, found->what);
  }
  return result;
}

/// The scenario's patch as `ichor lint` sees it, rendered if it is a template.
std::optional<LintPatch> read_patch(const Scenario& scenario, ProfileReading& reading) {
  const PatchFile file{scenario.patch_is_template ? "patch.yaml.j2" : "patch.yaml", {}, false, {}};
  std::string text = scenario.patch;
  if (scenario.patch_is_template) {
    const auto variables =
        template_variables(reading.profile, reading.variables, reading.source.file());
    check(variables.has_value(), "a scenario's profile has no bad variables");
    const auto rendering = jinja::render(text, file.path, *variables, patch_template_options(text));
    if (!rendering) {
      Reporter(reading.findings)
          .error("patch.template", rendering.error().where(), rendering.error().what,
                 rendering.error().fix);
      return std::nullopt;
    }
    text = rendering->text;
  }
  return read_lint_patch(file, text, reading.findings);
}

/// A profile that is wrong in itself is refused before anybody is called.
ScenarioResult judge_profile(const Scenario& scenario) {
  ProfileReading reading = read_profile(scenario.profile, scenario.name);
  LintMaterial material;
  if (reading.ok() && !scenario.patch.empty()) {
    if (auto patch = read_patch(scenario, reading)) material.patches.push_back(*std::move(patch));
  }
  if (reading.ok()) reading.findings = lint({reading.profile, reading.source, material});
  return judged(scenario.expect, reading.findings, Exit::findings);
}

/// So are secrets that do not fit together.
ScenarioResult judge_secrets(const Scenario& scenario) {
  pki::SecretsOptions options;
  options.contract = {1, 6, 0};  // the last with a key that is made in no time
  pki::SecretsBundle bundle = pki::generate_secrets(VirtualClock().wall(), options);
  bundle.os.key = scenario.secrets == "no-key" ? SecretString("-") : bundle.etcd.key;
  const auto read = pki::read_secrets(pki::write_secrets(bundle).reveal(), "secrets.yaml");
  RunResult run;
  run.exit = Exit::failed;
  if (!read) run.verdict = read.error().message;
  if (!read) run.fault = read.error().fault;
  name_fault(run);
  return judged(scenario.expect, run.findings, run.exit);
}

}  // namespace

ScenarioResult run_scenario(const Scenario& scenario, std::ostream* trace) {
  if (!scenario.profile.empty()) return judge_profile(scenario);
  if (!scenario.secrets.empty()) return judge_secrets(scenario);
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
