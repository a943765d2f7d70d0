#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// Another client deletes what ichor has applied.
class Pruned final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  void begin(SimWorld& world) override {
    const KubeRef ref{{"", "v1", "Secret"}, "flux-system", "deploy-key"};
    world.kube()->api().erase(ref);
    world.note_kube_outside("another client deleted Secret/flux-system/deploy-key");
  }
};

}  // namespace

std::unique_ptr<Fault> make_kube_pruned(SeededRandom random) {
  return std::make_unique<Pruned>(random);
}

}  // namespace ichor::sim
