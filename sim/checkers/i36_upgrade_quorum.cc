#include <algorithm>
#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/checkers/upgrade_calls.h"
#include "sim/checkers/voters_left.h"

namespace ichor::sim {

namespace {

/// How old what a run knows of etcd may be when its call arrives: a look, and the call itself.
constexpr Duration kKnows = std::chrono::seconds(75);

}  // namespace

class UpgradeQuorum final : public Checker {
 public:
  explicit UpgradeQuorum(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I36"; }
  std::string_view promise() const override {
    return "an upgrade takes no control plane down that etcd needs for its quorum, unless the "
           "operator agreed";
  }

  void on_node_changed(const Node& /*node*/) override {
    const bool whole =
        std::all_of(truth().fabric.clusters().begin(), truth().fabric.clusters().end(),
                    [](const auto& cluster) { return cluster->voters_up() == cluster->voters(); });
    if (whole != whole_) since_ = truth().clock.now();
    whole_ = whole;
  }

  void see_request(const Request& request) override {
    if (!takes_down(request) || !truth().upgrade || truth().upgrade->downtime) return;
    const std::optional<VotersLeft> left = voters_without(truth(), *request.node);
    if (!left || left->has_quorum()) return;
    // Another member that went down just now cannot have been seen.
    if (!whole_ && since_ > truth().clock.now() - kKnows) return;
    violated(fmt::format("{} left for {}, and without it {} of {} voters are up",
                         name_of(request.call), request.planned.value(), left->up, left->all));
  }

 private:
  bool whole_{true};
  MonoTime since_{};
};

template std::unique_ptr<Checker> make_checker<UpgradeQuorum>(const Truth& truth);

}  // namespace ichor::sim
