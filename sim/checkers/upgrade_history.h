#pragma once

#include <string_view>

#include "phase/upgrade_plan.h"
#include "sim/checkers/kube_history.h"

namespace ichor::sim {

/// A history that goes on to an upgrade of all nodes, from 1.12.6 to 1.12.7.
class UpgradeHistory : public KubeHistory {
 public:
  explicit UpgradeHistory(std::string_view invariant) : KubeHistory(invariant) {
    plan.target = {1, 12, 7};
    for (const NodePlan& node : truth.profile.nodes) plan.nodes.insert(node.name);
    truth.upgrade = &plan;
    truth.upgraded = &kube;
    truth.kube = nullptr;
    kube.deploy_workload();
  }

  /// A call of an upgrade with an image, that takes effect.
  void installs(const std::string& node_name, const std::string& image, Call call = Call::upgrade) {
    Request asked = request(call, node_name);
    asked.image = image;
    checker->on_request(asked);
    checker->on_effect(asked);
  }
  void cordons(const std::string& name, bool cordoned) {
    KubeObject node = *kube.api().find({{"", "v1", "Node"}, "", name});
    node["spec"]["unschedulable"] = cordoned;
    kube.api().put(std::move(node), "ichor");
  }

  UpgradePlan plan;
};

}  // namespace ichor::sim
