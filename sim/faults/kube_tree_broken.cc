#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// The GitOps tree cannot be built.
class TreeBroken final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    if (world.kube()) world.kube()->flux().break_kustomization(true);
  }
  void on_kube_effect(SimWorld&, const KubeRequest& request) override {
    const bool last = request.call == Call::install_release && request.ref.name == "flux-instance";
    if (last && fired() == 0) fire();
  }
};

}  // namespace

std::unique_ptr<Fault> make_kube_tree_broken(SeededRandom random) {
  return std::make_unique<TreeBroken>(random);
}

}  // namespace ichor::sim
