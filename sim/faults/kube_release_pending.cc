#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// Another helm began a release and never ended it.
class ReleasePending final : public Fault {
 public:
  using Fault::Fault;
  void on_kube_effect(SimWorld& world, const KubeRequest& request) override {
    if (request.ref.kind.kind != "CustomResourceDefinition" || fired() > 0) return;
    // Where ichor has tried before, it would be unclear whose it is.
    for (const JournalRecord& record : world.store().records()) {
      if (record.call == Call::install_release) return;
    }
    fire();
    world.kube()->helm().begin_by_others("cert-manager");
    world.note_kube_outside("another client began Release/cert-manager");
  }
};

}  // namespace

std::unique_ptr<Fault> make_kube_release_pending(SeededRandom random) {
  return std::make_unique<ReleasePending>(random);
}

}  // namespace ichor::sim
