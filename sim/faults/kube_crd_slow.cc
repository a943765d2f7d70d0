#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// A CustomResourceDefinition takes up to a minute and a half to become Established.
class CrdSlow final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  Duration shortest() const override { return std::chrono::minutes(1); }
  Duration longest() const override { return std::chrono::minutes(6); }
  void begin(SimWorld& world) override {
    world.kube()->controllers().establishes_after =
        random().between(std::chrono::seconds(10), std::chrono::seconds(90));
  }
  void end(SimWorld& world) override {
    world.kube()->controllers().establishes_after = std::chrono::seconds(1);
  }
};

}  // namespace

std::unique_ptr<Fault> make_kube_crd_slow(SeededRandom random) {
  return std::make_unique<CrdSlow>(random);
}

}  // namespace ichor::sim
