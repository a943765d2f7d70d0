#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// Flux cannot fetch its source for a while.
class RepositoryLocked final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  Duration longest() const override { return std::chrono::minutes(5); }
  void begin(SimWorld& world) override { world.kube()->flux().lock_repository(true); }
  void end(SimWorld& world) override { world.kube()->flux().lock_repository(false); }
};

}  // namespace

std::unique_ptr<Fault> make_kube_repository_locked(SeededRandom random) {
  return std::make_unique<RepositoryLocked>(random);
}

}  // namespace ichor::sim
