#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/kube/request.h"

namespace ichor::sim {

namespace {

constexpr Duration kEndsWithin = std::chrono::seconds(10);

}  // namespace

class PromptCancel final : public Checker {
 public:
  explicit PromptCancel(const Truth& truth) : Checker(truth, Reads::requests) {}

  std::string_view id() const override { return "I21"; }
  std::string_view promise() const override {
    return "a run that is asked to stop sends no more mutations and ends within ten seconds";
  }

  void on_process_cancelled(int process) override {
    // A second signal gives no more time.
    for (const Leaving& leaving : leaving_) {
      if (leaving.process == process) return;
    }
    leaving_.push_back({process, later(truth().clock.now(), kEndsWithin)});
  }
  void on_process_crashed(int process) override { forget(process); }
  void on_process_ended(int process, const RunResult& /*result*/) override {
    check_time();
    forget(process);
  }
  void see_request(const Request& request) override {
    check_time();
    if (leaving_.empty() || !mutates(request.call)) return;
    for (const Leaving& leaving : leaving_) {
      if (leaving.process != request.process) continue;
      violated(fmt::format("run {} sent {} after it was asked to stop", request.process,
                           name_of(request.call)));
    }
  }
  void on_kube_request(const KubeRequest& request) override {
    check_time();
    if (!request.changes_something()) return;
    for (const Leaving& leaving : leaving_) {
      if (leaving.process != request.process) continue;
      violated(fmt::format("run {} sent {} after it was asked to stop", request.process,
                           name_of(request.call)));
    }
  }
  void on_node_changed(const Node& /*node*/) override { check_time(); }
  void on_durable(const JournalRecord& /*record*/) override { check_time(); }
  void at_end() override { check_time(); }

 private:
  struct Leaving {
    int process{0};
    MonoTime until{};
  };

  void forget(int process) {
    std::erase_if(leaving_, [&](const Leaving& leaving) { return leaving.process == process; });
  }

  void check_time() {
    if (!leaving_.empty()) find_late();
  }

  void find_late() {
    const MonoTime now = truth().clock.now();
    for (const Leaving& leaving : leaving_) {
      if (now <= leaving.until) continue;
      violated(fmt::format("run {} was asked to stop {} ago and still runs", leaving.process,
                           to_text(now - leaving.until + kEndsWithin)));
    }
  }

  std::vector<Leaving> leaving_;  // nearly always empty
};

template std::unique_ptr<Checker> make_checker<PromptCancel>(const Truth& truth);

}  // namespace ichor::sim
