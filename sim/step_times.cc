#include "sim/step_times.h"

#include <algorithm>

#include "phase/sequence.h"
#include "sim/world.h"

namespace ichor::sim {

std::vector<std::string_view> step_names(const ClusterProfile& profile) {
  std::vector<std::string_view> names;
  for (const Step& step : bring_up(profile)) {
    const std::string_view name = step.phase->name();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

namespace {

class StepWatcher final : public Checker {
 public:
  StepWatcher(const SimWorld& world, StepTimes& times)
      : Checker(world.truth()),
        world_(world),
        times_(times),
        names_(step_names(world.truth().profile)) {
    times_.spent.assign(names_.size(), Duration{});
  }

  std::string_view id() const override { return "steps"; }
  std::string_view promise() const override { return "every moment counts for one step"; }
  bool hears() const override { return true; }

  void on_process_started(int) override {
    count();
    if (!times_.ready_at) ++times_.runs;
  }

  void on_process_crashed(int process) override {
    count();
    drop(process);
  }

  void on_event(int process, const Event& event) override {
    const bool begins = event.kind == EventKind::phase_started;
    const bool ends = event.kind == EventKind::phase_done ||
                      event.kind == EventKind::phase_failed || event.kind == EventKind::blocked;
    if (!begins && !ends) return;
    const auto found = std::find(names_.begin(), names_.end(), event.phase);
    if (found == names_.end()) return;
    count();
    const auto step = static_cast<std::size_t>(found - names_.begin());
    if (event.kind == EventKind::phase_failed) failed_in_[process] = step;
    const Open open{process, event.node.value(), step};
    if (begins) {
      open_.insert(open);
    } else {
      open_.erase(open);
    }
    find_frontier();
  }

  void on_process_ended(int process, const RunResult& result) override {
    count();
    drop(process);
    const auto failed = failed_in_.find(process);
    if (failed != failed_in_.end()) times_.ended_in = failed->second;
    if (result.exit == Exit::out_of_time && !times_.ready_at) {
      ++times_.out_of_time[times_.ended_in.value_or(frontier_)];
    }
    if (!world_.reached(result)) return;
    times_.ended_in.reset();
    if (!times_.ready_at) times_.ready_at = truth().clock.now().time_since_epoch();
  }

 private:
  using Open = std::tuple<int, std::string, std::size_t>;

  /// The time since the last look belongs to the step that was waited for.
  void count() {
    const MonoTime now = truth().clock.now();
    if (!times_.ready_at && !times_.spent.empty()) times_.spent[frontier_] += now - counted_;
    counted_ = now;
  }

  void drop(int process) {
    std::erase_if(open_, [&](const Open& open) { return std::get<0>(open) == process; });
    find_frontier();
  }

  void find_frontier() {
    if (open_.empty()) return;
    // A worker's step stays open while it waits for certificates from a control plane.
    std::pair<bool, std::size_t> first{true, names_.size() - 1};
    for (const Open& open : open_) {
      const NodePlan* plan = truth().profile.find(NodeName(std::get<1>(open)));
      const bool of_worker = plan != nullptr && plan->role == Role::worker;
      first = std::min(first, std::pair(of_worker, std::get<2>(open)));
    }
    frontier_ = first.second;
  }

  const SimWorld& world_;
  StepTimes& times_;
  std::vector<std::string_view> names_;
  std::set<Open> open_;
  std::map<int, std::size_t> failed_in_;  // by process
  std::size_t frontier_{0};
  MonoTime counted_{};
};

}  // namespace

std::unique_ptr<Checker> watch_steps(const SimWorld& world, StepTimes& times) {
  return std::make_unique<StepWatcher>(world, times);
}

}  // namespace ichor::sim
