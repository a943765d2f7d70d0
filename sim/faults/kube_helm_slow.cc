#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// helm takes up to a hundred times as long.
class HelmSlow final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  void begin(SimWorld& world) override {
    world.kube()->helm().slowness = 10.0 + 90.0 * random().fraction();
  }
  void end(SimWorld& world) override { world.kube()->helm().slowness = 1.0; }
};

}  // namespace

std::unique_ptr<Fault> make_kube_helm_slow(SeededRandom random) {
  return std::make_unique<HelmSlow>(random);
}

}  // namespace ichor::sim
