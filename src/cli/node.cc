#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_node_remove(FlagSet& flags, Request& request) {
  NodeRemoveRequest& remove = request.emplace<NodeRemoveRequest>();
  flags.argument("NODE", FlagSet::Need::required, [&remove](const std::string& text) {
    std::string wrong = take_names(text, remove.nodes.nodes);
    if (wrong.empty() && remove.nodes.nodes.size() > 1) wrong = "one node at a time";
    return wrong;
  });
  flags.flag("--dead", remove.dead);
  declare_dry_run(flags, remove.change);
  declare_adopt(flags, remove.change);
  declare_addresses(flags, remove.nodes);
  declare_identity(flags, remove.nodes.access);
  declare_consents(flags, remove.nodes);
}

}  // namespace ichor
