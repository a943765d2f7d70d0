#include "engine/live_look.h"

#include <memory>
#include <utility>

#include "async/task_group.h"
#include "engine/node_link.h"

namespace ichor {

namespace {

constexpr Reads kReads{.status = true, .version = true, .config = true, .hardware = true};

Task<void> look_at_one(Context context, NodeLink& link, Duration limit, LiveConfigs configs,
                       LiveNode& node) {
  node.view = co_await link.look(context, kReads);
  const std::shared_ptr<TalosSession> session = link.session();
  if (!session) co_return;
  node.certificate_expires = session->peer().expires;
  const bool wanted = configs == LiveConfigs::read && node.view.presence == Presence::configured;
  if (!wanted) co_return;
  auto config = co_await session->machine_config(context.within(limit));
  if (config) {
    node.config = *std::move(config);
  } else if (!node.view.trouble) {
    node.view.trouble = std::move(config).error();
  }
}

}  // namespace

Task<std::vector<LiveNode>> look_live(Context context, World& world, const ClusterProfile& profile,
                                      const JournalFacts& facts, LiveConfigs configs) {
  Bell changed;
  std::vector<std::unique_ptr<NodeLink>> links;
  for (const NodePlan& plan : profile.nodes) {
    links.push_back(std::make_unique<NodeLink>(world, profile, plan, facts, changed));
  }
  std::vector<LiveNode> nodes(links.size());
  TaskGroup group(context);
  for (std::size_t i = 0; i < links.size(); ++i) {
    group.spawn(look_at_one(context, *links[i], profile.budgets.call, configs, nodes[i]));
  }
  co_await group.join();
  co_return nodes;
}

}  // namespace ichor
