#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// The agent of the CNI does not start on one node for minutes.
class CniStuck final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  Duration longest() const override { return std::chrono::minutes(6); }
  void begin(SimWorld& world) override {
    world.kube()->workloads().hold("cilium", random().below(world.nodes().size()));
  }
  void end(SimWorld& world) override { world.kube()->workloads().recover(); }
};

}  // namespace

std::unique_ptr<Fault> make_kube_cni_stuck(SeededRandom random) {
  return std::make_unique<CniStuck>(random);
}

}  // namespace ichor::sim
