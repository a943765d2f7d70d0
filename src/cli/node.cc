#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

namespace {

NodeRequest& declare_node(FlagSet& flags, Request& request, NodeDeed deed) {
  NodeRequest& node = request.emplace<NodeRequest>();
  node.deed = deed;
  flags.argument("NODE", FlagSet::Need::required, [&node](const std::string& text) {
    std::string wrong = take_names(text, node.nodes.nodes);
    if (wrong.empty() && node.nodes.nodes.size() > 1) wrong = "one node at a time";
    return wrong;
  });
  declare_dry_run(flags, node.change);
  declare_adopt(flags, node.change);
  declare_addresses(flags, node.nodes);
  declare_identity(flags, node.nodes.access);
  declare_consents(flags, node.nodes);
  return node;
}

/// What a machine that is installed demands besides.
void declare_install(FlagSet& flags, NodeRequest& node) {
  declare_trust(flags, node.nodes.trust);
  declare_patience(flags, node.change.patience);
}

}  // namespace

void declare_node_add(FlagSet& flags, Request& request) {
  declare_install(flags, declare_node(flags, request, NodeDeed::add));
}

void declare_node_remove(FlagSet& flags, Request& request) {
  NodeRequest& node = declare_node(flags, request, NodeDeed::remove);
  flags.flag("--dead", node.dead);
}

void declare_node_replace(FlagSet& flags, Request& request) {
  NodeRequest& node = declare_node(flags, request, NodeDeed::replace);
  flags.flag("--dead", node.dead);
  declare_install(flags, node);
}

}  // namespace ichor
