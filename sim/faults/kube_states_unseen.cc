#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// Watches stand still and then show only how everything ended: states between were never seen.
class StatesUnseen final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  Duration longest() const override { return std::chrono::seconds(50); }
  void begin(SimWorld& world) override { world.kube()->api().hold_watches(); }
  void end(SimWorld& world) override { world.kube()->api().release_watches(false); }
};

}  // namespace

std::unique_ptr<Fault> make_kube_states_unseen(SeededRandom random) {
  return std::make_unique<StatesUnseen>(random);
}

}  // namespace ichor::sim
