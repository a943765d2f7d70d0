#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// Kubelets ask for their certificates minutes after they have registered.
class CsrLate final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    if (!world.kube()) return;
    fire();
    world.kube()->kubelets().certify_late(
        random().between(std::chrono::minutes(1), std::chrono::minutes(6)));
  }
};

}  // namespace

std::unique_ptr<Fault> make_kube_csr_late(SeededRandom random) {
  return std::make_unique<CsrLate>(random);
}

}  // namespace ichor::sim
