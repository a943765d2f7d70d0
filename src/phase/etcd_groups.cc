#include "phase/etcd_groups.h"

#include <algorithm>

namespace ichor {

namespace {

bool overlap(const std::vector<EtcdMember>& one, const std::vector<EtcdMember>& other) {
  return std::any_of(one.begin(), one.end(), [&](const EtcdMember& member) {
    return std::any_of(other.begin(), other.end(),
                       [&](const EtcdMember& candidate) { return candidate.id == member.id; });
  });
}

}  // namespace

std::vector<EtcdGroup> etcd_groups(const ClusterView& view) {
  std::vector<EtcdGroup> groups;
  for (const NodeView& node : view.nodes) {
    if (!node.etcd.members || node.etcd.members->empty()) continue;
    const auto home = std::find_if(groups.begin(), groups.end(), [&](const EtcdGroup& group) {
      return overlap(group.members, *node.etcd.members);
    });
    EtcdGroup& group = home == groups.end() ? groups.emplace_back() : *home;
    group.seen_by.push_back(&node);
    if (node.etcd.members->size() > group.members.size()) group.members = *node.etcd.members;
  }
  return groups;
}

std::string to_text(const EtcdGroup& group) {
  std::string text;
  for (const EtcdMember& member : group.members) {
    if (!text.empty()) text += ", ";
    text += member.hostname;
    if (member.is_learner) text += " (learner)";
  }
  return text;
}

}  // namespace ichor
