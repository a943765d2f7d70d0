#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_discover(FlagSet& flags, Request& request) {
  DiscoverRequest& discover = request.emplace<DiscoverRequest>();
  declare_nodes(flags, discover.nodes);
  declare_identity(flags, discover.nodes.access);
  declare_trust(flags, discover.nodes.trust);
}

}  // namespace ichor
