#include "engine/etcd_look.h"

#include <memory>
#include <utility>
#include <vector>

#include "async/task_group.h"
#include "engine/node_link.h"

namespace ichor {

namespace {

constexpr Reads kReads{.status = true, .version = true, .etcd_health = true};

/// Keeps an answer; the first error is the trouble of the look.
template <class T>
void keep(CallResult<T> answer, std::optional<T>& target, NodeView& view) {
  if (answer) {
    target = *std::move(answer);
  } else if (!view.trouble) {
    view.trouble = std::move(answer).error();
  }
}

Task<void> look_at_member(Context context, NodeLink& link, Duration limit, NodeView& view) {
  view = co_await link.look(context, kReads);
  const std::shared_ptr<TalosSession> session = link.session();
  if (!session || view.presence != Presence::configured) co_return;
  if (!view.etcd.status) {
    keep(co_await session->etcd_status(context.within(limit)), view.etcd.status, view);
  }
  if (!view.etcd.members) {
    keep(co_await session->etcd_members(context.within(limit)), view.etcd.members, view);
  }
  if (!view.etcd.alarms) {
    keep(co_await session->etcd_alarms(context.within(limit)), view.etcd.alarms, view);
  }
}

}  // namespace

Task<ClusterView> look_at_etcd(Context context, World& world, const ClusterProfile& profile,
                               const JournalFacts& facts) {
  Bell changed;
  std::vector<std::unique_ptr<NodeLink>> links;
  for (const NodePlan& plan : profile.nodes) {
    if (plan.role != Role::control_plane) continue;
    links.push_back(std::make_unique<NodeLink>(world, profile, plan, facts, changed));
  }
  ClusterView view;
  view.nodes.resize(links.size());
  TaskGroup group(context);
  for (std::size_t i = 0; i < links.size(); ++i) {
    group.spawn(look_at_member(context, *links[i], profile.budgets.call, view.nodes[i]));
  }
  co_await group.join();
  co_return view;
}

Task<CallResult<void>> fetch_snapshot(Context context, World& world, const ClusterProfile& profile,
                                      const JournalFacts& facts, const NodePlan& plan,
                                      ByteSink& sink) {
  Bell changed;
  NodeLink link(world, profile, plan, facts, changed);
  const NodeView view = co_await link.look(context, {});
  const std::shared_ptr<TalosSession> session = link.session();
  if (session && view.presence == Presence::configured) {
    co_return co_await session->etcd_snapshot(context, sink);
  }
  if (view.trouble) co_return tl::unexpected(*view.trouble);
  co_return tl::unexpected(
      CallError{Call::etcd_snapshot, Progress::not_sent, TlsVerdict::fine, Code::unavailable,
                plan.name.value() + " is " + std::string(name_of(view.presence))});
}

}  // namespace ichor
