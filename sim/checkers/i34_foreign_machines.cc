#include <algorithm>
#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/provider/request.h"
#include "sim/provider/vm_host.h"

namespace ichor::sim {

class ForeignMachines final : public Checker {
 public:
  explicit ForeignMachines(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I34"; }
  std::string_view promise() const override {
    return "no machine is removed, stopped or started that does not have the cluster's tag";
  }

  void on_vm_request(const VmRequest& request) override {
    if (request.deed == VmDeed::create || !truth().provider) return;
    const auto vm = truth().provider->vms.find(request.place.id);
    if (vm == truth().provider->vms.end()) return;
    // In words of our own: the product's judgement would hide its own mistakes.
    const std::vector<std::string>& tags = vm->second.seen.tags;
    const std::string ours = "ichor-" + truth().profile.name;
    if (std::find(tags.begin(), tags.end(), ours) != tags.end()) return;
    violated(fmt::format("run {} asked to {} VM {} ({}), which is not ours", request.process,
                         name_of(request.deed), request.place.id, vm->second.seen.name));
  }
};

template std::unique_ptr<Checker> make_checker<ForeignMachines>(const Truth& truth);

}  // namespace ichor::sim
