#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_certs_status(FlagSet& flags, Request& request) {
  CertsStatusRequest& status = request.emplace<CertsStatusRequest>();
  declare_nodes(flags, status.nodes);
  declare_identity(flags, status.nodes.access);
  declare_endpoints(flags, status.nodes.access);
}

void declare_certs_renew(FlagSet& flags, Request& request) {
  CertsRenewRequest& renew = request.emplace<CertsRenewRequest>();
  declare_addresses(flags, renew.nodes);
  declare_adopt(flags, renew.change);
}

}  // namespace ichor
