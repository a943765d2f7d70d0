#include "sim/campaign.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fmt/format.h>
#include <mutex>

#include "sim/checkers/i23_determinism.h"
#include "sim/faults/fault.h"
#include "sim/jobs.h"
#include "sim/pool.h"

namespace ichor::sim {

namespace {

/// Every twentieth seed is run a second time to prove that a seed is one history.
bool proved_twice(std::uint64_t seed) { return seed % 20 == 0; }

/// Fixtures differ only in what changes profile or configs; durations are applied per seed.
class FixtureCache {
 public:
  ClusterFixture& of(const SeedPlan& plan) {
    const std::size_t key = (plan.worker_order == WorkerOrder::after_api ? 1u : 0u) |
                            (plan.sequential ? 2u : 0u) | (plan.addresses_move ? 4u : 0u) |
                            (plan.stack.cilium ? 8u : 0u) | (plan.stack.helmfile ? 16u : 0u) |
                            (plan.stack.connect ? 32u : 0u) | (plan.addresses_unknown ? 64u : 0u) |
                            (plan.typed_configs ? 128u : 0u) | (plan.etcd_volume ? 256u : 0u);
    if (!fixtures_[key]) fixtures_[key] = std::make_unique<ClusterFixture>(make_fixture(plan));
    return *fixtures_[key];
  }

 private:
  std::unique_ptr<ClusterFixture> fixtures_[512];
};

SeedReport run_seed(const CampaignOptions& options, FixtureCache& fixtures, std::uint64_t seed,
                    Trace::Listener listener = {}) {
  const SeedPlan plan = draw_plan(seed, options.shape, options.faults, options.line);
  SimWorld world(plan, fixtures.of(plan));
  return world.run(std::move(listener));
}

void add(CampaignReport& total, const SeedReport& seed, const SeedPlan& plan) {
  ++total.seeds;
  total.ready += seed.ready ? 1 : 0;
  total.ended += seed.ended ? 1 : 0;
  total.unrecoverable += plan.unrecoverable() ? 1 : 0;
  const auto quiet_runs = static_cast<std::size_t>(seed.quiet_runs);
  if (quiet_runs >= total.quiet_runs.size()) total.quiet_runs.resize(quiet_runs + 1);
  ++total.quiet_runs[quiet_runs];
  total.runs += static_cast<std::uint64_t>(seed.runs);
  total.crashes += static_cast<std::uint64_t>(seed.crashes);
  total.events += seed.events;
  total.simulated_hours +=
      std::chrono::duration<double, std::ratio<3600>>(seed.time_to_ready).count();
  for (std::size_t i = 0; i < plan.faults.size(); ++i) {
    ++total.armed[plan.faults[i]];
    if (i < seed.fired.size())
      total.fired[plan.faults[i]] += static_cast<std::uint64_t>(seed.fired[i]);
  }
  for (const auto& [site, count] : seed.crash_sites) {
    total.crash_sites[site] += static_cast<std::uint64_t>(count);
  }
  const bool first = total.violation.empty() || seed.seed < total.failed_seed;
  if (!seed.violation.empty() && first) {
    total.violation = seed.violation;
    total.failed_seed = seed.seed;
  }
}

/// Seeds are handed out one by one, so that a slow one delays no other.
class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options) : options_(options), next_(options.first_seed) {
    report_.armed.resize(fault_catalogue().size());
    report_.fired.resize(fault_catalogue().size());
  }

  CampaignReport run() {
    side_by_side(options_.jobs, [this] { work(); });
    return report_;
  }

 private:
  void work() {
    FixtureCache fixtures;
    for (;;) {
      const std::uint64_t seed = next_.fetch_add(1);
      if (seed > options_.last_seed || stop_) return;
      SeedReport report = run_seed(options_, fixtures, seed);
      const bool again = proved_twice(seed);
      if (again && report.violation.empty()) {
        const SeedReport second = run_seed(options_, fixtures, seed);
        report.violation = determinism_broken(report, second);
      }
      const std::lock_guard lock(mutex_);
      add(report_, report, draw_plan(seed, options_.shape, options_.faults, options_.line));
      if (again) ++report_.proved_twice;
      if (!report.violation.empty()) stop_ = true;
    }
  }

  const CampaignOptions& options_;
  std::atomic<std::uint64_t> next_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  CampaignReport report_;
};

/// A campaign of a few seeds cannot be expected to have met every fault.
constexpr std::uint64_t kSeedsForCoverage = 500;

/// Whether seeds of this line can meet the fault.
bool takes_part(const CampaignOptions& options, std::size_t fault) {
  const FaultClass& type = fault_catalogue()[fault];
  if (options.line == Line::upgrade) {
    return type.recovery.heals() && !type.of_kubernetes && !type.of_provider;
  }
  return !type.of_upgrade && (options.line == Line::whole || !type.of_kubernetes);
}

std::vector<std::string_view> never_fired(const CampaignOptions& options,
                                          const CampaignReport& report) {
  std::vector<std::string_view> names;
  if (report.seeds < kSeedsForCoverage) return names;
  for (const std::size_t index : options.faults.allowed) {
    if (!takes_part(options, index)) continue;
    if (report.fired[index] == 0) names.push_back(fault_catalogue()[index].name);
  }
  return names;
}

/// Chance decides which points a seed is killed at; this many seeds meet each of them often.
constexpr std::uint64_t kSeedsForCrashPoints = 4000;

std::vector<std::string> never_hit(const CampaignOptions& options, const CampaignReport& report) {
  std::vector<std::string> names;
  if (report.seeds < kSeedsForCrashPoints || !options.faults.everything) return names;
  for (const CrashPoint& point : crash_points(options.line)) {
    std::string name = to_text(point);
    if (!report.crash_sites.contains(name)) names.push_back(std::move(name));
  }
  return names;
}

/// Of those that every bring-up passes; in seeds that make their machines there are more.
std::size_t hit_points(const CampaignOptions& options, const CampaignReport& report) {
  const std::vector<CrashPoint>& points = crash_points(options.line);
  const auto hit = std::count_if(points.begin(), points.end(), [&](const CrashPoint& point) {
    return report.crash_sites.contains(to_text(point));
  });
  return static_cast<std::size_t>(hit);
}

/// "1: 900, 2: 17": how many seeds needed how many runs after the faults.
std::string distribution(const std::vector<std::uint64_t>& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", i, counts[i]);
  }
  return text;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1));
}

void print_json(const CampaignOptions& options, const CampaignReport& report, int exit,
                std::ostream& out) {
  out << R"({"type":"campaign")";
  out << fmt::format(R"(,"seeds":{},"ready":{},"ended":{},"unrecoverable":{})", report.seeds,
                     report.ready, report.ended, report.unrecoverable);
  out << fmt::format(R"(,"runs":{},"crashes":{},"events":{})", report.runs, report.crashes,
                     report.events);
  out << fmt::format(R"(,"proved_twice":{},"simulated_hours":{:.1f},"seconds":{:.3f})",
                     report.proved_twice, report.simulated_hours, report.seconds);
  out << R"(,"faults":{)";
  bool first = true;
  for (const std::size_t index : options.faults.allowed) {
    if (!takes_part(options, index)) continue;
    out << fmt::format(R"({}"{}":{{"armed":{},"fired":{}}})", first ? "" : ",",
                       fault_catalogue()[index].name, report.armed[index], report.fired[index]);
    first = false;
  }
  out << R"(},"crash_sites":{)";
  first = true;
  for (const auto& [site, count] : report.crash_sites) {
    out << fmt::format(R"({}"{}":{})", first ? "" : ",", site, count);
    first = false;
  }
  out << "}";
  if (!report.violation.empty()) {
    out << fmt::format(R"(,"failed_seed":{})", report.failed_seed);
  }
  out << fmt::format(
      "}}\n{{\"type\":\"summary\",\"ok\":{},\"exit\":{},\"mutations\":0,\"nodes\":{{}},"
      "\"seconds\":{:.3f}}}\n",
      exit == 0, exit, report.seconds);
}

void print_text(const CampaignOptions& options, const CampaignReport& report, std::ostream& out) {
  out << fmt::format("{:<24} {:<4} {:>9} {:>10}\n", "fault", "row", "armed in", "fired");
  for (const std::size_t index : options.faults.allowed) {
    if (!takes_part(options, index)) continue;
    const FaultClass& fault = fault_catalogue()[index];
    out << fmt::format("{:<24} {:<4} {:>8.1f}% {:>10}\n", fault.name, fault.row,
                       percent(report.armed[index], report.seeds), report.fired[index]);
  }
  out << fmt::format(
      "\n{} seeds of {}+{} nodes: {} ready, {} ended with the declared verdict; {} runs of ichor, "
      "{} of them killed, {:.0f} simulated hours\n",
      report.seeds, options.shape.control_planes, options.shape.workers, report.ready, report.ended,
      report.runs, report.crashes, report.simulated_hours);
  out << fmt::format("{} seeds ({:.1f}%) declared unrecoverable before they ran\n",
                     report.unrecoverable, percent(report.unrecoverable, report.seeds));
  out << fmt::format("runs after the faults: {}\n", distribution(report.quiet_runs));
  out << fmt::format("{} of {} crash points hit, {} seeds proved twice, {} events\n",
                     hit_points(options, report), crash_points(options.line).size(),
                     report.proved_twice, report.events);
  if (report.seconds > 0) {
    const double runs = static_cast<double>(report.seeds + report.proved_twice);
    out << fmt::format("{:.1f} s with {} jobs: {:.0f} bring-ups per second and job\n",
                       report.seconds, options.jobs, runs / report.seconds / options.jobs);
  }
}

}  // namespace

Result<FaultChoice> parse_faults(const std::string& text) {
  const std::vector<FaultClass>& catalogue = fault_catalogue();
  FaultChoice choice;
  if (text == "none") return choice;
  choice.everything = text == "all";
  if (choice.everything) {
    for (std::size_t i = 0; i < catalogue.size(); ++i) choice.allowed.push_back(i);
    return choice;
  }
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    const auto found = std::find_if(catalogue.begin(), catalogue.end(),
                                    [&](const FaultClass& fault) { return fault.name == name; });
    if (found == catalogue.end()) {
      return fail(Errc::invalid, fmt::format("unknown fault '{}'; the table that ends a campaign "
                                             "names them all",
                                             name));
    }
    choice.allowed.push_back(static_cast<std::size_t>(found - catalogue.begin()));
  }
  return choice;
}

Result<Shape> parse_shape(const std::string& text) {
  Shape shape;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shape.control_planes);
  const bool plus = first.ec == std::errc{} && first.ptr != end && *first.ptr == '+';
  const auto second = plus ? std::from_chars(first.ptr + 1, end, shape.workers) : first;
  const bool whole = plus && second.ec == std::errc{} && second.ptr == end;
  const bool sane = shape.control_planes >= 1 && shape.control_planes <= 9 && shape.workers >= 0 &&
                    shape.workers <= 90;
  if (!whole || !sane) {
    return fail(Errc::invalid, fmt::format("'{}' is no shape: write CONTROLPLANES+WORKERS, such as "
                                           "3+3, with 1-9 and 0-90",
                                           text));
  }
  return shape;
}

CampaignReport run_campaign(const CampaignOptions& options) {
  use_pool();
  const double begin = options.stopwatch ? options.stopwatch() : 0;
  CampaignReport report = Campaign(options).run();
  if (options.stopwatch) report.seconds = options.stopwatch() - begin;
  return report;
}

SeedReport run_traced(const CampaignOptions& options, std::ostream& out) {
  FixtureCache fixtures;
  return run_seed(options, fixtures, options.first_seed,
                  [&out](const std::string& line) { out << line << '\n'; });
}

int print_report(const CampaignOptions& options, const CampaignReport& report, std::ostream& out) {
  const std::vector<std::string_view> unfired = never_fired(options, report);
  const std::vector<std::string> unhit = never_hit(options, report);
  const int exit = report.violation.empty() && unfired.empty() && unhit.empty() ? 0 : 1;
  if (options.json) {
    print_json(options, report, exit, out);
    return exit;
  }
  print_text(options, report, out);
  for (const std::string_view name : unfired) {
    out << fmt::format("fault {} never fired: the campaign proves nothing about it\n", name);
  }
  for (const std::string& name : unhit) {
    out << fmt::format("crash point {} was never hit\n", name);
  }
  if (!report.violation.empty()) {
    out << fmt::format("\nviolated: {}\nreplay:   {} simulate --seed {} --shape {}+{}{} --trace\n",
                       report.violation, options.replay_prefix, report.failed_seed,
                       options.shape.control_planes, options.shape.workers,
                       options.line == Line::talos     ? " --only talos"
                       : options.line == Line::upgrade ? " --upgrade"
                                                       : "");
  } else if (exit == 0) {
    out << "every invariant held\n";
  }
  return exit;
}

}  // namespace ichor::sim
