#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// The API server was restarted and its cache lags behind: watches show what was for a while. Lists
/// and single objects are read from etcd, because ichor asks for no version.
class StaleView final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  Duration longest() const override { return std::chrono::seconds(30); }
  void begin(SimWorld& world) override {
    world.kube()->api().end_watches(true);
    world.kube()->api().hold_watches();
  }
  void end(SimWorld& world) override { world.kube()->api().release_watches(true); }
};

}  // namespace

std::unique_ptr<Fault> make_kube_stale_view(SeededRandom random) {
  return std::make_unique<StaleView>(random);
}

}  // namespace ichor::sim
