#include <algorithm>
#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"
#include "sim/kube/kubernetes.h"
#include "sim/kube/request.h"

namespace ichor::sim {

class GatesFirst final : public Checker {
 public:
  explicit GatesFirst(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I26"; }
  std::string_view promise() const override {
    return "nothing is applied or installed before its gate was really satisfied";
  }

  void on_process_started(int process) override { started_[process] = truth().clock.now(); }

  void on_kube_request(const KubeRequest& request) override {
    if (!truth().kube || !request.changes_something()) return;
    // What a run has seen since it began it may rest on.
    const MonoTime since = std::min(started_[request.process], truth().known_from());
    if (request.call == Call::install_release) check_install(request, since);
    if (request.call != Call::kube_apply) return;
    const SimKubernetes& kube = *truth().kube;
    const bool is_crd = request.ref.kind.kind == "CustomResourceDefinition";
    if (is_crd && !kube.secrets_held(since)) tell(request, "the bootstrap secrets are not there");
    const bool is_key = request.ref.name == "sealed-secrets-key";
    if (is_key && !kube.kubelets().all_ready().held_since(truth().known_from())) {
      tell(request, "not all nodes are Ready");
    }
  }

 private:
  void check_install(const KubeRequest& request, MonoTime since) {
    const SimKubernetes& kube = *truth().kube;
    if (!kube.secrets_held(since)) tell(request, "the bootstrap secrets are not there");
    if (!kube.crds_established()) tell(request, "not all CRDs are Established");
    const WantedRelease* wanted = kube.stack().wants(request.ref.name);
    if (!wanted) return tell(request, "the profile does not want it");
    for (const std::string& need : wanted->needs) {
      if (!kube.release_works(need, since)) tell(request, need + " does not work");
    }
  }

  void tell(const KubeRequest& request, const std::string& why) {
    violated(
        fmt::format("{} of {} left, but {}", name_of(request.call), to_text(request.ref), why));
  }

  PerProcess<MonoTime> started_;
};

template std::unique_ptr<Checker> make_checker<GatesFirst>(const Truth& truth);

}  // namespace ichor::sim
