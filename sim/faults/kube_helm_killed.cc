#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// helm is killed in the middle of installs.
class HelmKilled final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  Duration longest() const override { return std::chrono::minutes(5); }
  void begin(SimWorld& world) override { world.kube()->helm().dies = 0.4; }
  void end(SimWorld& world) override { world.kube()->helm().dies = 0.0; }
};

}  // namespace

std::unique_ptr<Fault> make_kube_helm_killed(SeededRandom random) {
  return std::make_unique<HelmKilled>(random);
}

}  // namespace ichor::sim
