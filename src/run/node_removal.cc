#include "run/node_removal.h"

#include <csignal>
#include <fmt/format.h>

#include "engine/node_object.h"
#include "run/kube_reach.h"

namespace ichor {

namespace {

/// What came of it, or why it was not done.
struct NodeDeletion {
  bool existed{false};
  std::optional<Error> trouble;
};

void refuse(NodeDeletion& deletion, Errc code, std::string why) {
  deletion.trouble = Error{code, std::move(why)};
}

Task<void> delete_under_lock(Context context, Journal& journal, const RunTurn& turn,
                             KubeClient& kube, NodeName node, NodeDeletion& deletion) {
  Ledger ledger(context, journal, turn.id, turn.lock.lease());
  if (const auto loaded = co_await ledger.load(); !loaded) {
    deletion.trouble = loaded.error();
    co_return;
  }
  const auto seen = co_await see_node_object(context, kube, node);
  if (!seen) {
    refuse(deletion, Errc::io, to_text(seen.error()));
    co_return;
  }
  if (!*seen) co_return;
  deletion.existed = true;
  const BoundIdentity* bound = ledger.facts().bound(node);
  const std::string ours = bound ? bound->identity.uuid.value() : "";
  const std::string& theirs = (*seen)->machine_uuid;
  if (!ours.empty() && !theirs.empty() && ours != theirs) {
    refuse(deletion, Errc::unsafe,
           fmt::format("the Node {} is of the machine {}, and {} was removed: it is left alone",
                       node.value(), theirs, ours));
    co_return;
  }
  const Outcome outcome = co_await delete_node_object(context, ledger, kube, node, **seen);
  if (outcome.kind != OutcomeKind::done) {
    refuse(deletion, Errc::io, outcome.error ? to_text(*outcome.error) : "no answer");
  }
}

}  // namespace

OrEnd<bool> delete_node(const ProfileInput& input, const RunTarget& target, Workspace& space,
                        const RunTurn& turn, const NodeName& node, Host& host) {
  const auto kubeconfig =
      kubeconfig_of("", *space.state, kubeconfig_check(input.profile, space), host);
  if (!kubeconfig) return forward_error(kubeconfig);
  auto client = host.network.open_kube(*kubeconfig, target.dial);
  if (!client) return end_with(client.error());
  CancelScope scope;
  NodeDeletion deletion;
  const Context context{&host.loop.clock(), &scope};
  const int signal = host.loop.drive(
      delete_under_lock(context, space.state->journal(), turn, **client, node, deletion), scope);
  if (signal == SIGTERM) return end_with(Exit::terminated, "terminated");
  if (signal != 0) return end_with(Exit::interrupted, "interrupted");
  if (deletion.trouble) {
    Error trouble = *deletion.trouble;
    trouble.message = fmt::format("the Node {} was not deleted: {}", node.value(), trouble.message);
    return end_with(trouble);
  }
  return deletion.existed;
}

}  // namespace ichor
