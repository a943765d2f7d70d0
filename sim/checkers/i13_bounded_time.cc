#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "phase/take_snapshot.h"
#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"

namespace ichor::sim {

namespace {

constexpr Duration kCallMax = std::chrono::minutes(5);
/// A database of gigabytes, over a slow line.
constexpr Duration kUploadMax = std::chrono::minutes(10);
constexpr Duration kRunMax = std::chrono::minutes(90);

}  // namespace

class BoundedTime final : public Checker {
 public:
  explicit BoundedTime(const Truth& truth) : Checker(truth, Reads::requests) {}

  std::string_view id() const override { return "I13"; }
  std::string_view promise() const override {
    return "every call has a deadline, and without faults every run ends within 90 minutes";
  }

  void see_request(const Request& request) override {
    const MonoTime now = truth().clock.now();
    if (request.deadline == kNever) {
      violated(fmt::format("{} left for {} without a deadline", name_of(request.call),
                           request.planned.value()));
    } else if (request.deadline - now > longest(request.call)) {
      violated(fmt::format("{} left for {} with {} to go", name_of(request.call),
                           request.planned.value(), to_text(request.deadline - now)));
    }
    check_runs(now);
  }

  void on_process_started(int process) override {
    runs_[process] = {true, truth().clock.now()};
    latest_ = std::max(latest_, process);
    find_limit();
  }
  void on_process_crashed(int process) override { end(process); }
  void on_process_ended(int process, const RunResult& /*result*/) override {
    check_runs(truth().clock.now());
    end(process);
  }
  void on_node_changed(const Node& /*node*/) override {
    if (limit_ != kNever) check_runs(truth().clock.now());
  }
  void on_quiet() override {
    quiet_at_ = truth().clock.now();
    find_limit();
  }
  void at_end() override { check_runs(truth().clock.now()); }

 private:
  /// Calls that move images take as long as those.
  Duration longest(Call call) const {
    const Budgets& budgets = truth().profile.budgets;
    if (call == Call::etcd_recover) return kUploadMax;
    if (call == Call::etcd_snapshot) return kSnapshotTime;
    if (call == Call::pull_image) return std::max(budgets.pull, kCallMax);
    return call == Call::upgrade ? std::max(budgets.upgrade, kCallMax) : kCallMax;
  }

  struct Run {
    bool alive{false};
    MonoTime since{};
  };

  void end(int process) {
    runs_[process].alive = false;
    find_limit();
  }

  /// When the first of the living runs must have ended.
  void find_limit() {
    limit_ = kNever;
    if (!quiet_at_) return;
    for (int process = 1; process <= latest_; ++process) {
      const Run& run = runs_[process];
      if (run.alive) limit_ = std::min(limit_, std::max(run.since, *quiet_at_) + kRunMax);
    }
  }

  void check_runs(MonoTime now) {
    if (now <= limit_) return;
    violated(fmt::format("a run has not ended {} after the last fault", to_text(now - *quiet_at_)));
  }

  PerProcess<Run> runs_;
  int latest_{0};
  std::optional<MonoTime> quiet_at_;
  MonoTime limit_{kNever};
};

template std::unique_ptr<Checker> make_checker<BoundedTime>(const Truth& truth);

}  // namespace ichor::sim
