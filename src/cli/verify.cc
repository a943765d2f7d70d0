#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_verify(FlagSet& flags, Request& request) {
  VerifyRequest& verify = request.emplace<VerifyRequest>();
  declare_nodes(flags, verify.nodes);
  declare_identity(flags, verify.nodes.access);
  declare_endpoints(flags, verify.nodes.access);
  declare_patience(flags, verify.patience);
}

}  // namespace ichor
