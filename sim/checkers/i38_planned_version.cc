#include <fmt/format.h>
#include <set>

#include "phase/kubernetes/json_view.h"
#include "sim/checkers/make.h"
#include "sim/kube/kubernetes.h"

namespace ichor::sim {

class PlannedVersion final : public Checker {
 public:
  explicit PlannedVersion(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I38"; }
  std::string_view promise() const override {
    return "no node is upgraded to anything that the plan does not say, and a success says that "
           "all of them run it and take pods again";
  }

  void on_process_started(int process) override {
    if (truth().upgrade) upgrades_.insert(process);
  }

  void see_request(const Request& request) override {
    const bool installs = request.call == Call::upgrade || request.call == Call::pull_image;
    if (!installs) return;
    const auto slot = slot_of(request.image);
    const bool planned = truth().upgrade && truth().upgrade->nodes.contains(request.planned) &&
                         slot && slot->version == truth().upgrade->target;
    if (planned) return;
    violated(fmt::format("{} of {} was sent to {}", name_of(request.call), request.image,
                         request.planned.value()));
  }

  void on_process_ended(int process, const RunResult& result) override {
    if (!upgrades_.contains(process) || result.exit != Exit::done) return;
    for (const auto& node : truth().nodes) {
      const std::string& name = node->spec().name.value();
      if (!truth().upgrade->nodes.contains(node->spec().name)) continue;
      const TalosVersion runs = version_of(node->spec());
      if (runs != truth().upgrade->target) {
        violated(fmt::format("run {} says that all is upgraded, and {} runs {}", process, name,
                             to_text(runs)));
      }
      const KubeObject* shown = truth().upgraded->api().find({{"", "v1", "Node"}, "", name});
      if (shown && flag_at(*shown, {"spec", "unschedulable"})) {
        violated(
            fmt::format("run {} says that all is upgraded, and {} is cordoned", process, name));
      }
    }
  }

 private:
  std::set<int> upgrades_;
};

template std::unique_ptr<Checker> make_checker<PlannedVersion>(const Truth& truth);

}  // namespace ichor::sim
