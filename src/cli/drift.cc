#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_drift(FlagSet& flags, Request& request) {
  DriftRequest& drift = request.emplace<DriftRequest>();
  declare_nodes(flags, drift.nodes);
  flags.flag("--fix", drift.fix);
  flags.flag("--detailed-exitcode", drift.change.detailed_exitcode);
  flags.text("--kubeconfig", "FILE", drift.kubeconfig);
  declare_identity(flags, drift.nodes.access);
  declare_adopt(flags, drift.change);
  declare_configs(flags, drift.change);
}

}  // namespace ichor
