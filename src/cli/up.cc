#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_up(FlagSet& flags, Request& request) {
  UpRequest& up = request.emplace<UpRequest>();
  declare_dry_run(flags, up.change);
  declare_adopt(flags, up.change);
  declare_order(flags, up.change);
  declare_addresses(flags, up.nodes);
  declare_exclude(flags, up.exclude);
  flags.text("--kubeconfig", "FILE", up.kubeconfig);
}

}  // namespace ichor
