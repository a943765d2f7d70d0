#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// The helm of this machine is replaced by one of another major version for a while.
class HelmSkew final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  Duration longest() const override { return std::chrono::minutes(8); }
  void begin(SimWorld& world) override {
    world.kube()->helm().version = random().chance(0.5) ? "v2.17.0" : "v4.0.1";
  }
  void end(SimWorld& world) override { world.kube()->helm().version = "v3.19.2"; }
};

}  // namespace

std::unique_ptr<Fault> make_kube_helm_skew(SeededRandom random) {
  return std::make_unique<HelmSkew>(random);
}

}  // namespace ichor::sim
