#include <algorithm>
#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/checkers/voters_left.h"

namespace ichor::sim {

/// Counts only nodes that are etcd members: a control plane that is being installed is none, and
/// nothing can be lost by disturbing it.
class Quorum final : public Checker {
 public:
  explicit Quorum(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I17"; }
  std::string_view promise() const override {
    return "etcd has at most one learner and unique names, and no step of ours costs it its quorum";
  }

  void see_request(const Request& request) override {
    // A bootstrap goes to a node without etcd; everything else that changes a node disturbs it.
    if (request.call == Call::bootstrap || request.node == nullptr) return;
    // Upgrades have a rule of their own (I36), which knows what takes a node down.
    if (request.call >= Call::pull_image && request.call <= Call::uncordon) return;
    if (request.call == Call::etcd_forfeit_leadership) return;
    const std::optional<VotersLeft> left = voters_without(truth(), *request.node);
    if (!left || left->all == 1 || left->has_quorum()) return;
    violated(fmt::format("{} left for {}, and without it {} of {} voters are up",
                         name_of(request.call), request.planned.value(), left->up, left->all));
  }

  void on_node_changed(const Node& /*node*/) override {
    for (const auto& cluster : truth().fabric.clusters()) {
      if (cluster->revision == seen_revision_ && cluster->id == seen_cluster_) continue;
      seen_revision_ = cluster->revision;
      seen_cluster_ = cluster->id;
      check_members(*cluster);
    }
  }

 private:
  void check_members(const EtcdCluster& cluster) {
    const auto& members = cluster.members;
    const auto learners = std::count_if(members.begin(), members.end(),
                                        [](const auto& member) { return member.learner; });
    if (learners > 1) violated(fmt::format("etcd has {} learners at once", learners));
    for (auto one = members.begin(); one != members.end(); ++one) {
      const bool twice = std::any_of(one + 1, members.end(),
                                     [&](const auto& other) { return other.name == one->name; });
      if (twice) violated(fmt::format("etcd has two members named {}", one->name.value()));
    }
  }

  std::uint64_t seen_revision_{0};
  std::uint64_t seen_cluster_{0};
};

template std::unique_ptr<Checker> make_checker<Quorum>(const Truth& truth);

}  // namespace ichor::sim
