#include <algorithm>
#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"
#include "sim/kube/kubernetes.h"
#include "sim/kube/request.h"

namespace ichor::sim {

class TrueHandover final : public Checker {
 public:
  explicit TrueHandover(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I32"; }
  std::string_view promise() const override {
    return "the handover is reported only when namespaces, secrets, CRDs and releases are as "
           "wanted, all nodes are Ready and GitOps is reconciled";
  }

  void on_process_started(int process) override { started_[process] = truth().clock.now(); }

  void on_process_ended(int process, const RunResult& result) override {
    if (!truth().kube || result.exit != Exit::done) return;
    const std::string wrong = what_is_wrong(process);
    if (!wrong.empty()) {
      violated(fmt::format("run {} reported the handover, but {}", process, wrong));
    }
  }

 private:
  std::string what_is_wrong(int process) {
    const SimKubernetes& kube = *truth().kube;
    const MonoTime lately = truth().known_from();
    const MonoTime begun = std::min(started_[process], lately);
    if (!kube.secrets_held(begun)) return "its secrets are not as wanted";
    if (!kube.crds_established()) return "not all CRDs are Established";
    for (const WantedRelease& release : kube.stack().wanted) {
      if (!kube.helm().deployed(release)) return release.name + " is not deployed as wanted";
    }
    if (!kube.kubelets().all_ready().held_since(lately)) return "not all nodes are Ready";
    if (!kube.flux().ready().held_since(lately)) return "Flux is not reconciled";
    return {};
  }

  PerProcess<MonoTime> started_;
};

template std::unique_ptr<Checker> make_checker<TrueHandover>(const Truth& truth);

}  // namespace ichor::sim
