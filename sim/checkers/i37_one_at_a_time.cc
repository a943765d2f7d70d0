#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"
#include "sim/checkers/upgrade_calls.h"

namespace ichor::sim {

class OneAtATime final : public Checker {
 public:
  explicit OneAtATime(const Truth& truth) : Checker(truth), nodes_(truth) {}

  std::string_view id() const override { return "I37"; }
  std::string_view promise() const override {
    return "two control planes are never down because of an upgrade";
  }

  void on_effect(const Request& request) override {
    if (!takes_down(request) || !is_control_plane(request.planned)) return;
    if (State* state = nodes_.find(*request.node)) state->left = request.node->boot_id();
  }

  void on_node_changed(const Node& node) override {
    State* state = nodes_.find(node);
    if (state == nullptr || state->left.value().empty()) return;
    const bool back = node.powered() && node.stage() == Stage::running;
    if (back && node.boot_id() != state->left) state->left = {};
  }

  void see_request(const Request& request) override {
    if (!takes_down(request) || !is_control_plane(request.planned)) return;
    for (std::size_t i = 0; i < nodes_.size() && i < truth().nodes.size(); ++i) {
      const Node& other = *truth().nodes[i];
      if (&other == request.node || nodes_[i].left.value().empty()) continue;
      violated(fmt::format("{} left for {} while {} is down for its upgrade", name_of(request.call),
                           request.planned.value(), other.spec().name.value()));
    }
  }

 private:
  struct State {
    BootId left;  // the boot that it was asked to leave; empty: it is back
  };

  bool is_control_plane(const NodeName& name) const {
    const NodePlan* plan = truth().profile.find(name);
    return plan && plan->role == Role::control_plane;
  }

  PerNode<State> nodes_;
};

template std::unique_ptr<Checker> make_checker<OneAtATime>(const Truth& truth);

}  // namespace ichor::sim
