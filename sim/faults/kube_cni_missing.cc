#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// The profile says that Talos installs no CNI, and no release does.
class CniMissing final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    if (!world.plan().stack.cilium) return;
    fire();
    world.forget_release("cilium");
  }
};

}  // namespace

std::unique_ptr<Fault> make_kube_cni_missing(SeededRandom random) {
  return std::make_unique<CniMissing>(random);
}

}  // namespace ichor::sim
