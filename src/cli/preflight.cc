#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_preflight(FlagSet& flags, Request& request) {
  PreflightRequest& preflight = request.emplace<PreflightRequest>();
  declare_nodes(flags, preflight.nodes);
  declare_identity(flags, preflight.nodes.access);
  declare_trust(flags, preflight.nodes.trust);
  declare_consents(flags, preflight.nodes);
}

}  // namespace ichor
