#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_plan(FlagSet& flags, Request& request) {
  PlanRequest& plan = request.emplace<PlanRequest>();
  flags.flag("--detailed-exitcode", plan.change.detailed_exitcode);
  flags.flag("--offline", plan.change.offline);
  declare_configs(flags, plan.change);
  declare_order(flags, plan.change);
  declare_consents(flags, plan.nodes);
  declare_addresses(flags, plan.nodes);
  declare_identity(flags, plan.nodes.access);
  declare_trust(flags, plan.nodes.trust);
  declare_exclude(flags, plan.exclude);
}

}  // namespace ichor
