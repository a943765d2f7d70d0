#include <fmt/format.h>
#include <map>
#include <string>

#include "phase/kubernetes/json_view.h"
#include "sim/checkers/make.h"
#include "sim/kube/kubernetes.h"
#include "sim/kube/request.h"

namespace ichor::sim {

class NothingChanges final : public Checker {
 public:
  explicit NothingChanges(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I31"; }
  std::string_view promise() const override {
    return "a run on a cluster that was handed over leaves every object at its version and every "
           "release at its revision";
  }

  void on_process_started(int) override {
    effects_ = 0;
    if (truth().kube) before_ = versions();
  }
  // A kubelet may ask for a certificate at any time; an answer to it is no change.
  void on_kube_effect(const KubeRequest& request) override {
    if (request.call != Call::approve_csr) ++effects_;
  }

  void on_repeated(const RunResult&) override {
    if (!truth().kube) return;
    if (effects_ != 0) violated(fmt::format("the repeated run changed {} objects", effects_));
    for (const auto& [object, version] : versions()) {
      if (before_[object] == version) continue;
      violated(fmt::format("the repeated run took {} from version {} to {}", object,
                           before_[object], version));
    }
  }

 private:
  std::map<std::string, std::string> versions() const {
    const SimKubernetes& kube = *truth().kube;
    const KubernetesMaterial& material = kube.stack().material;
    std::map<std::string, std::string> found;
    for (const auto* list : {&material.namespaces, &material.secrets, &material.crds}) {
      for (const KubeObject& wanted : *list) {
        const KubeRef ref = ref_of(wanted);
        const KubeObject* live = kube.api().find(ref);
        if (live) found[to_text(ref)] = text_at(*live, {"metadata", "resourceVersion"});
      }
    }
    return found;
  }

  std::map<std::string, std::string> before_;
  int effects_{0};
};

template std::unique_ptr<Checker> make_checker<NothingChanges>(const Truth& truth);

}  // namespace ichor::sim
