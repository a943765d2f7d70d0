#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"

namespace ichor::sim {

/// A bootstrap that a node took plays out in two steps: it is in memory first and on disk a moment
/// later. Both count, because two nodes that hold one in either form end up as two clusters; a
/// reboot in between is the proven loss after which a second one is right.
class BootstrapOnce final : public Checker {
 public:
  explicit BootstrapOnce(const Truth& truth) : Checker(truth), nodes_(truth) {}

  std::string_view id() const override { return "I1"; }
  std::string_view promise() const override {
    return "etcd is bootstrapped once: no two planned nodes ever belong to different clusters";
  }

  void on_process_started(int /*process*/) override {
    if (std::exchange(begun_, true)) return;
    for (const auto& node : truth().nodes) remember(*node);
    clusters_max_ = std::max(clusters(), 1);
  }

  void on_node_changed(const Node& node) override {
    if (!remember(node) || clusters() <= clusters_max_) return;
    violated(fmt::format("{} etcd clusters exist; the last to appear is on {}", clusters(),
                         node.spec().name.value()));
  }

  void on_effect(const Request& request) override {
    if (request.call != Call::bootstrap || request.node == nullptr) return;
    for (std::size_t i = 0; i < truth().nodes.size(); ++i) {
      const Node& other = *truth().nodes[i];
      if (&other == request.node || !holds_bootstrap(other)) continue;
      violated(fmt::format("{} took a bootstrap while {} holds one", request.planned.value(),
                           other.spec().name.value()));
    }
    if (State* state = nodes_.find(*request.node)) state->taken_in = request.node->boot_id();
  }

  /// A cluster that another client made is nothing that ichor could have prevented.
  void on_outside_act(const Node& node, Call call) override {
    State* state = call == Call::bootstrap ? nodes_.find(node) : nullptr;
    if (state == nullptr || std::exchange(state->by_others, true)) return;
    ++clusters_max_;
  }

  void on_process_ended(int process, const RunResult& result) override {
    if (result.exit != Exit::done) return;
    for (const auto& node : truth().nodes) remember(*node);
    if (clusters() == 1) return;
    violated(fmt::format("run {} succeeded with {} etcd clusters", process, clusters()));
  }

 private:
  struct State {
    std::uint64_t cluster{0};  // of its data directory; zero without one
    BootId taken_in;           // the boot in which it took a bootstrap
    bool by_others{false};     // another client has bootstrapped it
  };

  /// Whether the node's data directory is another one now.
  bool remember(const Node& node) {
    State* state = nodes_.find(node);
    if (state == nullptr) return false;
    const std::uint64_t cluster = node.disk().etcd_cluster.value_or(0);
    return std::exchange(state->cluster, cluster) != cluster;
  }

  bool holds_bootstrap(const Node& node) {
    const State* state = nodes_.find(node);
    if (state == nullptr || state->by_others) return false;
    if (node.disk().etcd_cluster) return true;
    return !state->taken_in.value().empty() && state->taken_in == node.boot_id();
  }

  int clusters() const {
    int distinct = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].cluster == 0) continue;
      bool seen = false;
      for (std::size_t j = 0; j < i && !seen; ++j) seen = nodes_[j].cluster == nodes_[i].cluster;
      if (!seen) ++distinct;
    }
    return distinct;
  }

  PerNode<State> nodes_;
  bool begun_{false};
  int clusters_max_{1};  // more only where stale data lay around before ichor came
};

template std::unique_ptr<Checker> make_checker<BootstrapOnce>(const Truth& truth);

}  // namespace ichor::sim
