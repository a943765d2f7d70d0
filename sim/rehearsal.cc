#include "sim/rehearsal.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <functional>

#include "sim/faults/fault.h"
#include "sim/jobs.h"
#include "sim/rehearsal_cast.h"
#include "sim/rehearsal_settings.h"
#include "sim/step_times.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

/// Fewer seeds without a fault say too little about what is usual.
constexpr std::size_t kCalmSeedsMin = 5;

/// The value below which a part of the values lies; they are sorted and not empty.
Duration part_of(const std::vector<Duration>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(place + 0.5)];
}

RehearsedSeed rehearse_one(const SeedPlan& plan, ClusterFixture& fixture) {
  StepTimes times;
  SimWorld world(plan, fixture);
  world.add(watch_steps(world, times));
  const SeedReport report = world.run();
  RehearsedSeed seed;
  seed.seed = plan.seed;
  seed.runs = times.runs;
  seed.spent = std::move(times.spent);
  seed.out_of_time = std::move(times.out_of_time);
  seed.findings = report.findings;
  seed.verdict = report.verdict;
  for (std::size_t i = 0; i < plan.faults.size(); ++i) {
    if (report.fired[i] > 0) seed.faults.push_back(plan.faults[i]);
  }
  if (report.ready) {
    seed.end = RehearsalEnd::ready;
    seed.ready_after = times.ready_at.value_or(report.time_to_ready);
  } else if (report.ended) {
    seed.end = RehearsalEnd::stopped;
  } else if (report.gave_up) {
    seed.end = RehearsalEnd::late;
  }
  if (seed.end != RehearsalEnd::ready) seed.ended_in = times.ended_in;
  const bool wrong = !report.violation.empty() && !report.gave_up;
  if (wrong) seed.end = RehearsalEnd::wrong;
  if (wrong) seed.verdict = report.violation;
  return seed;
}

/// One profile and all seeds, by several jobs.
class Rehearsing {
 public:
  Rehearsing(const ClusterProfile& profile, const RehearsalOptions& options)
      : profile_(profile), options_(options) {
    seeds_.resize(options.last_seed - options.first_seed + 1);
  }

  std::vector<RehearsedSeed> run() {
    side_by_side(options_.jobs, [this] { work(); });
    return std::move(seeds_);
  }

 private:
  void work() {
    std::optional<ClusterFixture> fixtures[2];  // by whether addresses are unknown
    for (;;) {
      const std::size_t place = next_.fetch_add(1);
      if (place >= seeds_.size()) return;
      const SeedPlan plan = rehearsal_plan(profile_, options_.first_seed + place, options_.faults);
      auto& fixture = fixtures[plan.addresses_unknown ? 1 : 0];
      if (!fixture) fixture.emplace(rehearsal_fixture(profile_, plan));
      seeds_[place] = rehearse_one(plan, *fixture);
    }
  }

  const ClusterProfile& profile_;
  const RehearsalOptions& options_;
  std::atomic<std::size_t> next_{0};
  std::vector<RehearsedSeed> seeds_;  // each place is written by one job
};

RehearsalFigures figures_of(const std::vector<RehearsedSeed>& seeds) {
  RehearsalFigures figures;
  figures.seeds = seeds.size();
  std::vector<Duration> times;
  for (const RehearsedSeed& seed : seeds) {
    ++figures.ends[seed.end];
    if (seed.end != RehearsalEnd::ready) continue;
    times.push_back(seed.ready_after);
    if (seed.runs == 1) ++figures.at_once;
  }
  if (times.empty()) return figures;
  std::sort(times.begin(), times.end());
  figures.p50 = part_of(times, 0.5);
  figures.p95 = part_of(times, 0.95);
  figures.max = times.back();
  return figures;
}

std::vector<Duration> times_in(const std::vector<RehearsedSeed>& seeds, std::size_t step,
                               const std::function<bool(const RehearsedSeed&)>& counts) {
  std::vector<Duration> times;
  for (const RehearsedSeed& seed : seeds) {
    if (counts(seed)) times.push_back(seed.spent[step]);
  }
  std::sort(times.begin(), times.end());
  return times;
}

/// What the step cost in the seeds that took longer than most, or were late.
Duration lost_in(const std::vector<RehearsedSeed>& seeds, std::size_t step, Duration typical,
                 Duration slower_than) {
  Duration lost{};
  for (const RehearsedSeed& seed : seeds) {
    const bool slow = seed.end == RehearsalEnd::ready && seed.ready_after > slower_than;
    if (!slow && seed.end != RehearsalEnd::late) continue;
    lost += std::max(Duration{}, seed.spent[step] - typical);
  }
  return lost;
}

StepFigures figures_of_step(const RehearsalReport& report, std::string_view name,
                            std::size_t step) {
  StepFigures figures;
  figures.name = name;
  const auto ready = [](const RehearsedSeed& seed) { return seed.end == RehearsalEnd::ready; };
  const auto calm = [&](const RehearsedSeed& seed) { return ready(seed) && seed.faults.empty(); };
  const std::vector<Duration> all = times_in(report.seeds, step, ready);
  std::vector<Duration> usual = times_in(report.seeds, step, calm);
  if (usual.size() < kCalmSeedsMin) usual = all;
  if (!all.empty()) figures.p95 = part_of(all, 0.95);
  if (!usual.empty()) figures.typical = part_of(usual, 0.5);
  figures.lost =
      lost_in(report.seeds, step, figures.typical, report.figures.p50.value_or(Duration{}));
  for (const RehearsedSeed& seed : report.seeds) {
    if (seed.ended_in == step) ++figures.ended_here;
    const auto late = seed.out_of_time.find(step);
    if (late != seed.out_of_time.end()) figures.out_of_time += static_cast<unsigned>(late->second);
  }
  return figures;
}

void weigh_steps(const ClusterProfile& profile, RehearsalReport& report) {
  Duration lost{};
  for (const std::string_view name : step_names(profile)) {
    report.steps.push_back(figures_of_step(report, name, report.steps.size()));
    lost += report.steps.back().lost;
  }
  for (std::size_t i = 0; i < report.steps.size() && lost > Duration{}; ++i) {
    StepFigures& step = report.steps[i];
    step.share = static_cast<double>(step.lost.count()) / static_cast<double>(lost.count());
    if (!report.weakest || step.lost > report.steps[*report.weakest].lost) report.weakest = i;
  }
}

}  // namespace

std::string_view name_of(RehearsalEnd end) {
  switch (end) {
    case RehearsalEnd::ready: return "ready";
    case RehearsalEnd::stopped: return "stopped";
    case RehearsalEnd::late: return "late";
    case RehearsalEnd::wrong: return "wrong";
  }
  return "?";
}

double RehearsalFigures::success_rate() const {
  const auto ready = ends.find(RehearsalEnd::ready);
  if (ready == ends.end() || seeds == 0) return 0;
  return static_cast<double>(ready->second) / static_cast<double>(seeds);
}

RehearsalReport rehearse(const ClusterProfile& wanted, const RehearsalOptions& options) {
  const ClusterProfile profile = playable(wanted);
  RehearsalReport report;
  report.seeds = Rehearsing(profile, options).run();
  report.figures = figures_of(report.seeds);
  weigh_steps(profile, report);
  for (const Setting& setting : settings_to_try(profile, report)) {
    ClusterProfile changed = profile;
    setting.change(changed);
    SettingTrial trial{setting.name, setting.now, setting.tried, {}, false};
    trial.figures = figures_of(Rehearsing(changed, options).run());
    trial.helps = helps(report.figures, trial.figures);
    report.trials.push_back(std::move(trial));
  }
  return report;
}

}  // namespace ichor::sim
