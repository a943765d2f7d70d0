#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/kube/kubernetes.h"
#include "sim/kube/request.h"

namespace ichor::sim {

class OwnRequests final : public Checker {
 public:
  explicit OwnRequests(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I27"; }
  std::string_view promise() const override {
    return "a certificate request is approved only if the kubelet of a planned node sent it, for "
           "its own name and address";
  }

  void on_kube_effect(const KubeRequest& request) override {
    if (!truth().kube || request.call != Call::approve_csr) return;
    if (truth().kube->kubelets().sent(request.ref.name)) return;
    violated(fmt::format("{} was approved, and no kubelet of ours sent it", to_text(request.ref)));
  }
};

template std::unique_ptr<Checker> make_checker<OwnRequests>(const Truth& truth);

}  // namespace ichor::sim
