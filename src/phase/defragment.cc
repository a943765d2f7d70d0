#include "phase/defragment.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/etcd_health.h"

namespace ichor {

namespace {

/// The view without what a defragmentation is the remedy for.
ClusterView without_space_alarms(ClusterView view) {
  for (NodeView& node : view.nodes) {
    if (node.etcd.alarms) {
      std::erase_if(*node.etcd.alarms,
                    [](const EtcdAlarm& one) { return one.kind == EtcdAlarmKind::no_space; });
    }
    if (node.etcd.status) {
      std::erase_if(node.etcd.status->errors, [](const std::string& error) {
        return error.find("alarm:NOSPACE") != std::string::npos;
      });
    }
  }
  return view;
}

bool worth_it(const EtcdStatus& status) {
  const std::uint64_t used = std::min(status.db_bytes, status.db_bytes_in_use);
  return (status.db_bytes - used) * 10 >= status.db_bytes;
}

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace

const MutationFact* Defragment::sent_to(const Wanted& wanted, const NodeName& node) const {
  const MutationFact* sent = wanted.facts.last(Call::etcd_defragment, node);
  return sent && sent->intent > plan_.nodes.at(node) ? sent : nullptr;
}

bool Defragment::is_done(const Wanted& wanted, const NodeView& node) const {
  const MutationFact* sent = sent_to(wanted, node.node);
  if (sent && sent->outcome == OutcomeKind::done) return true;
  return node.etcd.status && !worth_it(*node.etcd.status);
}

Decision Defragment::decide(const Wanted& wanted, const ClusterView& view) const {
  for (const NodeView& node : view.nodes) {
    if (node.presence != Presence::foreign && node.presence != Presence::stranger) continue;
    return *decide_presence(*wanted.profile.find(node.node), node);
  }
  // Health first: also the last member must be back before this ends.
  Decision health = decide_etcd_health(wanted, without_space_alarms(view));
  if (!std::holds_alternative<Satisfied>(health)) return health;
  std::vector<const NodeView*> due;
  for (const NodeView& node : view.nodes) {
    if (plan_.nodes.contains(node.node) && !is_done(wanted, node)) due.push_back(&node);
  }
  if (due.empty()) return Satisfied{{}, "no database has space to free"};
  const auto leads = [](const NodeView* node) {
    return node->etcd.status->leader == node->etcd.status->member;
  };
  std::stable_partition(due.begin(), due.end(), [&](const auto* node) { return !leads(node); });
  const NodeView& next = *due.front();
  const MutationFact* sent = sent_to(wanted, next.node);
  const bool open = sent && sent->outcome == OutcomeKind::unknown;
  if (open && wanted.now - sent->at < kSettleTime) {
    return Wait{
        fmt::format("whether etcd on {} was defragmented is not known yet", next.node.value())};
  }
  const EtcdStatus& status = *next.etcd.status;
  return Act{
      NodeCall{Call::etcd_defragment,
               next.node,
               {},
               fmt::format("{} of {} are in use{}", megabytes(status.db_bytes_in_use),
                           megabytes(status.db_bytes), leads(&next) ? ", leader last" : "")}};
}

}  // namespace ichor
