#include "cli/command_list.h"
#include "cli/kube_options.h"
#include "cli/options.h"

namespace ichor {

void declare_phase(FlagSet& flags, Request& request) {
  PhaseRequest& phase = request.emplace<PhaseRequest>();
  flags.argument("N", FlagSet::Need::required,
                 [&phase](const std::string& word) { return take_phase(word, phase.phase); },
                 {"0", "1", "2", "3", "secrets", "crds", "core", "validation"});
  declare_dry_run(flags, phase.change);
  declare_adopt(flags, phase.change);
  declare_identity(flags, phase.nodes.access);
  flags.text("--kubeconfig", "FILE", phase.kubeconfig);
  declare_time(flags, "--timeout", phase.timeout);
  flags.flag("--force-conflicts", phase.force_conflicts);
}

}  // namespace ichor
