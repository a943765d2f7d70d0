#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_discover(FlagSet& flags, Request& request) {
  DiscoverRequest& discover = request.emplace<DiscoverRequest>();
  declare_nodes(flags, discover.nodes);
}

}  // namespace ichor
