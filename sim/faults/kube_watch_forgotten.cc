#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// The API server forgets its history and ends its watches: they must start with a list again.
class WatchForgotten final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  void begin(SimWorld& world) override { forget(world); }
  void end(SimWorld& world) override { forget(world); }
  static void forget(SimWorld& world) {
    world.kube()->api().compact();
    world.kube()->api().end_watches(false);
  }
};

}  // namespace

std::unique_ptr<Fault> make_kube_watch_forgotten(SeededRandom random) {
  return std::make_unique<WatchForgotten>(random);
}

}  // namespace ichor::sim
