#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/kube/kubernetes.h"
#include "sim/kube/request.h"

namespace ichor::sim {

class ForeignFields final : public Checker {
 public:
  explicit ForeignFields(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I28"; }
  std::string_view promise() const override {
    return "no field that another manager owns is overwritten without the operator's word";
  }

  /// Before it arrives: afterwards the field is ours.
  void on_kube_request(const KubeRequest& request) override {
    if (!truth().kube || request.call != Call::kube_apply || !request.options.force) return;
    if (request.options.dry_run || !request.object) return;
    const ApiServer& api = truth().kube->api();
    const FieldOwners* owners = api.owners_of(request.ref);
    if (!owners) return;
    const Merge merge =
        merge_applied(api.find(request.ref), *owners, *request.object, "ichor", false);
    if (merge.conflicts.empty()) return;
    violated(fmt::format("{} was sent by force, and {} owns {}", to_text(request.ref),
                         merge.conflicts.front().manager, merge.conflicts.front().path));
  }
};

template std::unique_ptr<Checker> make_checker<ForeignFields>(const Truth& truth);

}  // namespace ichor::sim
