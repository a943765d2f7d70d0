#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// Another client cordons a node for a while.
class NodeCordoned final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  void begin(SimWorld& world) override {
    node_ = random().below(world.nodes().size());
    world.kube()->kubelets().cordon(node_, true);
  }
  void end(SimWorld& world) override { world.kube()->kubelets().cordon(node_, false); }

  std::size_t node_{0};
};

}  // namespace

std::unique_ptr<Fault> make_kube_node_cordoned(SeededRandom random) {
  return std::make_unique<NodeCordoned>(random);
}

}  // namespace ichor::sim
