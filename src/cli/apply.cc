#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_apply(FlagSet& flags, Request& request) {
  ApplyOptions& apply = request.emplace<ApplyOptions>();
  declare_dry_run(flags, apply.change);
  declare_adopt(flags, apply.change);
  declare_configs(flags, apply.change);
  declare_order(flags, apply.change);
  declare_backoff(flags, apply.change.patience);
  declare_consents(flags, apply.nodes);
  declare_nodes(flags, apply.nodes);
  declare_identity(flags, apply.nodes.access);
  declare_trust(flags, apply.nodes.trust);
}

}  // namespace ichor
