#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/provider/request.h"
#include "sim/provider/vm_host.h"

namespace ichor::sim {

class OneMachine final : public Checker {
 public:
  explicit OneMachine(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I33"; }
  std::string_view promise() const override {
    return "no machine is created twice: a creation is not asked for while its machine exists or "
           "is "
           "being made";
  }

  void on_vm_request(const VmRequest& request) override {
    if (request.deed != VmDeed::create || !truth().provider) return;
    const auto vm = truth().provider->vms.find(request.place.id);
    if (vm == truth().provider->vms.end()) return;
    violated(fmt::format("run {} asked for VM {}, which {}", request.process, request.place.id,
                         vm->second.made ? "exists" : "is being made"));
  }
};

template std::unique_ptr<Checker> make_checker<OneMachine>(const Truth& truth);

}  // namespace ichor::sim
