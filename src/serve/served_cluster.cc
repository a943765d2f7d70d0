#include "serve/served_cluster.h"

#include <algorithm>

#include "model/journal_facts.h"

namespace ichor {

namespace {

std::string_view stage_of(const JournalFacts& facts, const NodeName& node) {
  if (facts.excluded(node)) return "excluded";
  if (facts.settled(node)) return "running";
  const MutationFact* config = facts.last(Call::apply_configuration, node);
  if (config && config->outcome == OutcomeKind::done) return "configured";
  return facts.bound(node) ? "bound" : "planned";
}

}  // namespace

std::vector<NodeStage> node_stages(const ServedCluster& cluster) {
  JournalFacts facts;
  for (const JournalRecord& record : cluster.records) facts.fold(record, MonoTime{});
  std::vector<std::string> names = cluster.nodes;
  for (const auto& [node, bound] : facts.identities()) {
    const bool known = std::find(names.begin(), names.end(), node.value()) != names.end();
    if (!known) names.push_back(node.value());
  }
  std::vector<NodeStage> stages;
  for (std::string& name : names) {
    const std::string_view stage = stage_of(facts, NodeName(name));
    stages.push_back({std::move(name), stage});
  }
  return stages;
}

}  // namespace ichor
