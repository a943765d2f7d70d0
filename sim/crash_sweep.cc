#include "sim/crash_sweep.h"

#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <vector>

#include "sim/faults/fault.h"
#include "sim/jobs.h"

namespace ichor::sim {

namespace {

/// Long enough for a bring-up that is killed twice, so that every point can still be met.
constexpr Duration kSweepPhase = std::chrono::minutes(60);

struct Kill {
  CrashPoint point;
  std::uint64_t passage{1};  // counted from the kill before it
};

std::string to_text(const std::vector<Kill>& kills) {
  std::string text;
  for (const Kill& kill : kills) {
    if (!text.empty()) text += ", then ";
    text += fmt::format("{} (passage {})", to_text(kill.point), kill.passage);
  }
  return text;
}

/// Kills ichor at these places, one after the other.
class PlannedKills final : public Fault {
 public:
  explicit PlannedKills(std::vector<Kill> kills) : Fault(SeededRandom(1)), kills_(kills) {}
  bool crash_at(SimWorld&, const CrashPoint& point) override {
    const auto next = static_cast<std::size_t>(fired());
    if (next >= kills_.size() || kills_[next].point != point) return false;
    if (--kills_[next].passage > 0) return false;
    fire();
    return true;
  }

 private:
  std::vector<Kill> kills_;
};

/// Kills no process and counts how often each point is passed.
class PassageCounter final : public Fault {
 public:
  explicit PassageCounter(std::map<std::string, std::uint64_t>& counts)
      : Fault(SeededRandom(1)), counts_(counts) {}
  bool crash_at(SimWorld&, const CrashPoint& point) override {
    if (!over_) ++counts_[to_text(point)];
    return false;
  }
  void on_process_ended(SimWorld&) override { over_ = true; }

 private:
  std::map<std::string, std::uint64_t>& counts_;
  bool over_{false};
};

class CrashSweep {
 public:
  CrashSweep(const CampaignOptions& options, Sweep sweep)
      : options_(options),
        plan_(draw_plan(options.first_seed, options.shape, {{}, false}, options.line)) {
    plan_.fault_phase = kSweepPhase;
    count_passages();
    if (sweep == Sweep::singles) {
      plan_singles();
    } else {
      plan_pairs();
    }
  }

  SweepReport run() {
    side_by_side(options_.jobs, [this] { work(); });
    return std::move(report_);
  }

 private:
  void count_passages() {
    ClusterFixture fixture = make_fixture(plan_);
    SimWorld world(plan_, fixture);
    world.add(std::make_unique<PassageCounter>(report_.passages));
    world.run();
  }

  void plan_singles() {
    for (const CrashPoint& point : crash_points(options_.line)) {
      const std::uint64_t passages = report_.passages[ichor::sim::to_text(point)];
      for (std::uint64_t i = 1; i <= passages; ++i) plans_.push_back({{point, i}});
    }
  }

  void plan_pairs() {
    for (const CrashPoint& first : crash_points(options_.line)) {
      for (const CrashPoint& second : crash_points(options_.line)) {
        plans_.push_back({{first, 1}, {second, 1}});
      }
    }
  }

  void work() {
    ClusterFixture fixture = make_fixture(plan_);
    for (;;) {
      const std::size_t index = next_.fetch_add(1);
      if (index >= plans_.size() || stop_) return;
      SimWorld world(plan_, fixture);
      world.add(std::make_unique<PlannedKills>(plans_[index]));
      const SeedReport seed = world.run();
      const std::lock_guard lock(mutex_);
      add(index, seed);
    }
  }

  void add(std::size_t index, const SeedReport& seed) {
    ++report_.runs;
    report_.ready += seed.ready ? 1 : 0;
    const auto asked = static_cast<int>(plans_[index].size());
    report_.killed_as_told += seed.fired.back() == asked ? 1 : 0;
    if (seed.violation.empty() || (stop_ && index > failed_index_)) return;
    failed_index_ = index;
    report_.failed_at = to_text(plans_[index]);
    report_.violation = seed.violation;
    stop_ = true;
  }

  const CampaignOptions& options_;
  SeedPlan plan_;
  std::vector<std::vector<Kill>> plans_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::size_t failed_index_{0};
  SweepReport report_;
};

/// Of the points that every bring-up passes; which of the others it does depends on the stack.
std::vector<std::string> never_passed(const SweepReport& report) {
  std::vector<std::string> names;
  for (const CrashPoint& point : crash_points()) {
    std::string name = to_text(point);
    const auto passed = report.passages.find(name);
    if (passed == report.passages.end() || passed->second == 0) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

SweepReport sweep_crashes(const CampaignOptions& options, Sweep sweep) {
  const double begin = options.stopwatch ? options.stopwatch() : 0;
  SweepReport report = CrashSweep(options, sweep).run();
  if (options.stopwatch) report.seconds = options.stopwatch() - begin;
  return report;
}

int print_sweep(const CampaignOptions& options, Sweep sweep, const SweepReport& report,
                std::ostream& out) {
  const std::vector<std::string> unpassed = never_passed(report);
  const int exit = report.violation.empty() && unpassed.empty() ? 0 : 1;
  const std::string_view what = sweep == Sweep::singles ? "crash-points" : "crash-pairs";
  if (options.json) {
    out << fmt::format(
        R"({{"type":"{}","points":{},"runs":{},"killed":{},"ready":{},"never_passed":{})", what,
        crash_points(options.line).size(), report.runs, report.killed_as_told, report.ready,
        unpassed.size());
    out << fmt::format(
        "}}\n{{\"type\":\"summary\",\"ok\":{},\"exit\":{},\"mutations\":0,\"nodes\":{{}},"
        "\"seconds\":{:.3f}}}\n",
        exit == 0, exit, report.seconds);
    return exit;
  }
  if (sweep == Sweep::singles) {
    out << fmt::format("{:<42} {:>8}\n", "crash point", "passages");
    for (const CrashPoint& point : crash_points(options.line)) {
      const auto passed = report.passages.find(to_text(point));
      out << fmt::format("{:<42} {:>8}\n", to_text(point),
                         passed == report.passages.end() ? 0 : passed->second);
    }
  }
  out << fmt::format("{} crash points, {} runs: {} killed as planned, {} ready afterwards\n",
                     crash_points(options.line).size(), report.runs, report.killed_as_told,
                     report.ready);
  if (sweep == Sweep::pairs) {
    out << fmt::format("{} pairs cannot be: what the first kill left makes no second passage\n",
                       report.runs - report.killed_as_told);
  }
  if (report.seconds > 0) out << fmt::format("{:.1f} s\n", report.seconds);
  for (const std::string& name : unpassed) {
    out << fmt::format("crash point {} is never passed\n", name);
  }
  if (!report.violation.empty()) {
    out << fmt::format("\nviolated: {}\nkilled:   {}\n", report.violation, report.failed_at);
  } else if (exit == 0) {
    out << "every invariant held\n";
  }
  return exit;
}

}  // namespace ichor::sim
