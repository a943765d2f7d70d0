#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// A kubelet says that it is not Ready, again and again.
class NodeFlaps final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  void begin(SimWorld& world) override {
    node_ = random().below(world.nodes().size());
    const std::uint64_t now = ++window_;
    for (int i = 0; i < 10; ++i) {
      const Duration at = std::chrono::seconds(7) * i;
      world.clock().call_at(later(world.clock().now(), at), [this, &world, now, i] {
        if (window_ == now) world.kube()->kubelets().make_sick(node_, i % 2 == 0);
      });
    }
  }
  void end(SimWorld& world) override {
    ++window_;
    world.kube()->kubelets().make_sick(node_, false);
  }

  std::uint64_t window_{0};
  std::size_t node_{0};
};

}  // namespace

std::unique_ptr<Fault> make_kube_node_flaps(SeededRandom random) {
  return std::make_unique<NodeFlaps>(random);
}

}  // namespace ichor::sim
