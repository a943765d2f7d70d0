#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_bootstrap(FlagSet& flags, Request& request) {
  BootstrapOptions& bootstrap = request.emplace<BootstrapOptions>();
  declare_dry_run(flags, bootstrap.change);
  declare_adopt(flags, bootstrap.change);
  declare_addresses(flags, bootstrap.nodes);
  declare_identity(flags, bootstrap.nodes.access);
  declare_exclude(flags, bootstrap.exclude);
}

}  // namespace ichor
