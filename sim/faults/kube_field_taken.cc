#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// Another client writes a bootstrap Secret with another value.
class FieldTaken final : public Fault {
 public:
  using Fault::Fault;
  void on_kube_effect(SimWorld& world, const KubeRequest& request) override {
    const bool first = request.ref.kind.kind == "Namespace" && request.ref.name == "flux-system";
    if (!first || fired() > 0) return;
    fire();
    KubeObject secret{{"apiVersion", "v1"}, {"kind", "Secret"}};
    secret["metadata"] = {{"name", "sops-age"}, {"namespace", "flux-system"}};
    secret["data"]["age.agekey"] = "dGhlaXJz";
    world.kube()->api().put(std::move(secret), "external-secrets");
    world.note_kube_outside("another client wrote Secret/flux-system/sops-age");
  }
};

}  // namespace

std::unique_ptr<Fault> make_kube_field_taken(SeededRandom random) {
  return std::make_unique<FieldTaken>(random);
}

}  // namespace ichor::sim
