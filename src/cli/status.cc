#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_status(FlagSet& flags, Request& request) {
  StatusRequest& status = request.emplace<StatusRequest>();
  declare_nodes(flags, status.nodes);
  declare_identity(flags, status.nodes.access);
  declare_endpoints(flags, status.nodes.access);
  flags.text("--kubeconfig", "FILE", status.kubeconfig);
}

}  // namespace ichor
