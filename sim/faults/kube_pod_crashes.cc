#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// The pods of a workload crash for a while.
class PodCrashes final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  Duration longest() const override { return std::chrono::minutes(5); }
  void begin(SimWorld& world) override {
    static const char* const names[] = {"coredns", "cert-manager", "flux-operator", "cilium",
                                        "cilium-operator"};
    world.kube()->workloads().crash(names[random().below(std::size(names))]);
  }
  void end(SimWorld& world) override { world.kube()->workloads().recover(); }
};

}  // namespace

std::unique_ptr<Fault> make_kube_pod_crashes(SeededRandom random) {
  return std::make_unique<PodCrashes>(random);
}

}  // namespace ichor::sim
