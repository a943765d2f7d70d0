#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"
#include "sim/checkers/make.h"
#include "sim/kube/kubernetes.h"
#include "sim/kube/request.h"

namespace ichor::sim {

class GentleDrain final : public Checker {
 public:
  explicit GentleDrain(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I39"; }
  std::string_view promise() const override {
    return "a pod is asked to leave by an eviction, which heeds its budget, and only from a "
           "cordoned node of the plan; it is never deleted";
  }

  void on_kube_request(const KubeRequest& request) override {
    if (!truth().upgraded || request.ref.kind.kind != "Pod") return;
    if (request.call == Call::kube_delete) {
      violated(fmt::format("{} was deleted past its budget", to_text(request.ref)));
    }
  }

  void on_kube_effect(const KubeRequest& request) override {
    if (!truth().upgraded || request.call != Call::kube_apply) return;
    if (request.ref.kind.kind == "Node") return;
    violated(fmt::format("an upgrade changed {}", to_text(request.ref)));
  }

  /// A node that goes down had its pods moved away, as far as they could be.
  void on_effect(const Request& request) override {
    if (request.call != Call::upgrade || !truth().upgrade || !truth().upgrade->drain) return;
    const KubeObject* node =
        truth().upgraded->api().find({{"", "v1", "Node"}, "", request.planned.value()});
    if (!node || flag_at(*node, {"spec", "unschedulable"})) return;
    violated(fmt::format("{} was installed without being cordoned", request.planned.value()));
  }
};

template std::unique_ptr<Checker> make_checker<GentleDrain>(const Truth& truth);

}  // namespace ichor::sim
