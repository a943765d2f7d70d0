#include <algorithm>
#include <fmt/format.h>

#include "cluster/profile_input.h"
#include "command/commands.h"
#include "run/finish.h"
#include "sim/campaign.h"
#include "sim/faults/fault.h"
#include "sim/rehearsal.h"
#include "sim/rehearsal_cast.h"
#include "sim/rehearsal_page.h"

namespace ichor {

namespace {

using Json = nlohmann::ordered_json;
using sim::RehearsalEnd;

double seconds(Duration time) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) /
         1000.0;
}

Json seconds_or_null(const std::optional<Duration>& time) {
  return time ? Json(seconds(*time)) : Json(nullptr);
}

Json ready_seconds(const sim::RehearsalFigures& figures) {
  Json json;
  json["p50"] = seconds_or_null(figures.p50);
  json["p95"] = seconds_or_null(figures.p95);
  json["max"] = seconds_or_null(figures.max);
  return json;
}

std::uint64_t count(const sim::RehearsalFigures& figures, RehearsalEnd end) {
  const auto found = figures.ends.find(end);
  return found == figures.ends.end() ? 0 : found->second;
}

/// For programs: every seed.
Listing seed_listing(const sim::RehearsalReport& report) {
  Listing listing{"seed", {}, {}};
  for (const sim::RehearsedSeed& seed : report.seeds) {
    Json row;
    row["seed"] = seed.seed;
    row["end"] = name_of(seed.end);
    const bool ready = seed.end == RehearsalEnd::ready;
    row["seconds"] = ready ? Json(seconds(seed.ready_after)) : Json(nullptr);
    row["runs"] = seed.runs;
    row["faults"] = Json::array();
    for (const std::size_t fault : seed.faults) {
      row["faults"].push_back(sim::fault_catalogue()[fault].name);
    }
    if (seed.ended_in) row["step"] = report.steps[*seed.ended_in].name;
    if (!ready) row["findings"] = seed.findings;
    if (!ready) row["verdict"] = seed.verdict;
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

Listing step_listing(const sim::RehearsalReport& report, bool for_people) {
  Listing listing{"step",
                  {{"step", "STEP"},
                   {"usually", "USUALLY"},
                   {"p95", "95 OF 100"},
                   {"lost", "LOST"},
                   {"ended_here", "ENDED HERE"},
                   {"out_of_time", "OUT OF TIME"}},
                  {}};
  for (const sim::StepFigures& step : report.steps) {
    Json row;
    row["step"] = step.name;
    const auto time = [&](Duration value) {
      return for_people ? Json(time_text(value)) : Json(seconds(value));
    };
    row["usually"] = time(step.typical);
    row["p95"] = time(step.p95);
    row["lost"] = for_people ? Json(percent_text(step.share)) : Json(step.share);
    row["ended_here"] = step.ended_here;
    row["out_of_time"] = step.out_of_time;
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

Listing setting_listing(const sim::RehearsalReport& report, bool for_people) {
  Listing listing{"setting",
                  {{"setting", "SETTING"},
                   {"now", "NOW"},
                   {"tried", "TRIED"},
                   {"ready", "READY"},
                   {"p50", "MEDIAN"},
                   {"p95", "95 OF 100"},
                   {"helps", "HELPS"}},
                  {}};
  for (const sim::SettingTrial& trial : report.trials) {
    Json row;
    row["setting"] = trial.setting;
    row["now"] = trial.now;
    row["tried"] = trial.tried;
    const double rate = trial.figures.success_rate();
    row["ready"] = for_people ? Json(percent_text(rate)) : Json(rate);
    const auto time = [&](const std::optional<Duration>& value) {
      return for_people ? Json(time_text(value)) : seconds_or_null(value);
    };
    row["p50"] = time(trial.figures.p50);
    row["p95"] = time(trial.figures.p95);
    if (!for_people) row["max"] = time(trial.figures.max);
    row["helps"] = for_people ? Json(trial.helps ? "yes" : "no") : Json(trial.helps);
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

/// For people: what stopped seeds, each cause once.
Listing cause_listing(const sim::RehearsalReport& report) {
  Listing listing{"cause",
                  {{"id", "ID"},
                   {"end", "END"},
                   {"seeds", "SEEDS"},
                   {"seed", "FIRST"},
                   {"verdict", "VERDICT OF THE FIRST"}},
                  {}};
  for (const sim::RehearsedSeed& seed : report.seeds) {
    if (seed.end == RehearsalEnd::ready) continue;
    const std::string id = seed.findings.empty() ? "-" : seed.findings.front();
    const auto known = std::find_if(listing.rows.begin(), listing.rows.end(), [&](const Json& row) {
      return row["id"] == id && row["end"] == name_of(seed.end);
    });
    if (known != listing.rows.end()) {
      (*known)["seeds"] = (*known)["seeds"].get<int>() + 1;
      continue;
    }
    Json row;
    row["id"] = id;
    row["end"] = name_of(seed.end);
    row["seeds"] = 1;
    row["seed"] = seed.seed;
    row["verdict"] = seed.verdict;
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

void show(const sim::RehearsalReport& report, const CommonOptions& common, Host& host) {
  const bool for_people = !for_programs(common.output);
  if (!for_people) host.terminal.display().show(seed_listing(report));
  host.terminal.display().show(step_listing(report, for_people));
  if (!report.trials.empty()) host.terminal.display().show(setting_listing(report, for_people));
  if (for_people && count(report.figures, RehearsalEnd::ready) < report.figures.seeds) {
    host.terminal.display().show(cause_listing(report));
  }
}

std::string advice_of(const sim::RehearsalReport& report) {
  std::string text;
  for (const sim::SettingTrial& trial : report.trials) {
    if (!trial.helps) continue;
    text += fmt::format("\n{}: {} instead of {} helps: {} ready, p50 {}, p95 {}", trial.setting,
                        trial.tried, trial.now, percent_text(trial.figures.success_rate()),
                        time_text(trial.figures.p50), time_text(trial.figures.p95));
  }
  return text.empty() ? "\nno setting that was tried helps" : text;
}

Summary summary_for(const sim::RehearsalReport& report, const ProfileInput& input) {
  const sim::RehearsalFigures& figures = report.figures;
  RunResult result;
  const bool wrong = count(figures, RehearsalEnd::wrong) > 0;
  const bool late = count(figures, RehearsalEnd::late) > 0;
  result.exit = wrong || late ? Exit::failed : Exit::done;
  result.verdict = fmt::format(
      "{}: {} of {} seeds ({})\nready after {} (p50), {} (p95), {} (max); {} by the first run",
      input.profile.name, percent_text(figures.success_rate()), figures.seeds, ends_text(figures),
      time_text(figures.p50), time_text(figures.p95), time_text(figures.max), figures.at_once);
  if (report.weakest) {
    const sim::StepFigures& weakest = report.steps[*report.weakest];
    result.verdict += fmt::format("\nweakest step: {}, {} of the time that slow runs lost",
                                  weakest.name, percent_text(weakest.share));
  }
  result.verdict += advice_of(report);
  Summary summary = summary_of(input, std::move(result));
  summary.figures["success_rate"] = figures.success_rate();
  summary.figures["ready_seconds"] = ready_seconds(figures);
  summary.figures["weakest_step"] =
      report.weakest ? Json(report.steps[*report.weakest].name) : Json(nullptr);
  summary.figures["seeds"] = figures.seeds;
  for (const RehearsalEnd end :
       {RehearsalEnd::ready, RehearsalEnd::stopped, RehearsalEnd::late, RehearsalEnd::wrong}) {
    summary.figures[std::string(name_of(end))] = count(figures, end);
  }
  summary.figures["first_run"] = figures.at_once;
  return summary;
}

std::string about(const ClusterProfile& profile) {
  const int control_planes = profile.control_plane_count();
  return fmt::format("{} control planes, {} workers, Talos {}", control_planes,
                     static_cast<int>(profile.nodes.size()) - control_planes,
                     to_text(profile.talos.version));
}

/// A rehearsal shows what a bring-up meets, so each result names the command that repeats it.
void add_replays(const sim::RehearsalReport& report, const std::string& faults, Summary& summary) {
  for (const sim::RehearsedSeed& seed : report.seeds) {
    if (seed.end != RehearsalEnd::wrong) continue;
    summary.next = {
        fmt::format("ichor rehearse --seeds {0}..{0} --faults {1}  # shows it again; this is a "
                    "bug of ichor, please report it",
                    seed.seed, faults)};
    return;
  }
}

}  // namespace

Exit run(const RehearseRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto faults = sim::parse_faults(request.faults);
  if (!faults) return finish(end_with(Exit::usage, faults.error().message).value(), host.terminal);
  if (const auto fault = sim::unplayable_fault(input->profile, *faults); !fault.empty()) {
    return finish(end_with(Exit::usage,
                           fmt::format("--faults: {} cannot happen to {}: a rehearsal plays faults "
                                       "of Kubernetes only where the profile has phases, and none "
                                       "of providers; leave it out",
                                       fault, input->profile.name))
                      .value(),
                  host.terminal);
  }
  sim::RehearsalOptions options;
  options.first_seed = request.seeds.first;
  options.last_seed = request.seeds.last;
  options.jobs = request.jobs > 0 ? request.jobs : host.environment.processor_count();
  options.faults = *faults;
  const sim::RehearsalReport report = sim::rehearse(input->profile, options);
  show(report, common, host);
  Summary summary = summary_for(report, *input);
  add_replays(report, request.faults, summary);
  if (!request.html.empty()) {
    const RehearsalTitle title{input->profile.name, input->path, about(input->profile)};
    const auto written = host.files.create_reproducible(
        request.html, SecretString(rehearsal_page(title, report)), true);
    if (!written) return finish(end_with(written.error()).value(), host.terminal);
    summary.written.emplace_back("report", request.html);
  }
  return finish(std::move(summary), host.terminal);
}

}  // namespace ichor
