#include "phase/machine_match.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "base/ip.h"
#include "phase/discover.h"

namespace ichor {

namespace {

/// How well a machine fits a node.
enum class Fit { none, by_address, by_identity };

struct Verdict {
  Fit fit{Fit::none};
  std::string why;
};

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : std::string(between)) + part;
  return text;
}

/// What the profile says of the node's machine, which is known to be true of this one.
std::string declared_marks(const NodePlan& plan) {
  std::vector<std::string> marks;
  if (!plan.uuid.value().empty()) marks.push_back("UUID " + plan.uuid.value());
  if (!plan.serial.value().empty()) marks.push_back("serial " + plan.serial.value());
  if (!plan.mac.value().empty()) marks.push_back("MAC " + plan.mac.value());
  return join(marks, ", ");
}

std::string marks_of(const Identity& identity) {
  std::vector<std::string> marks;
  if (!identity.uuid.value().empty()) marks.push_back("UUID " + identity.uuid.value());
  if (!identity.serial.value().empty()) marks.push_back("serial " + identity.serial.value());
  for (const MacAddress& mac : identity.macs) marks.push_back("MAC " + mac.value());
  return marks.empty() ? "no UUID and no MAC" : join(marks, ", ");
}

Verdict judge(const NodePlan& plan, const JournalFacts& facts, const Sighting& sight) {
  if (!sight.identity) {
    return {Fit::none, sight.is_talos() ? "it did not say which machine it is" : "not Talos"};
  }
  std::string conflict = identity_conflict(plan, *sight.identity);
  if (!conflict.empty()) return {Fit::none, std::move(conflict)};
  const BoundIdentity* bound = facts.bound(plan.name);
  if (bound && !bound->identity.same_machine(*sight.identity)) {
    return {Fit::none, fmt::format("the journal binds another machine to {}: {}", plan.name.value(),
                                   marks_of(bound->identity))};
  }
  std::string declared = declared_marks(plan);
  if (!declared.empty()) return {Fit::by_identity, std::move(declared)};
  if (bound) return {Fit::by_identity, "the journal knows it: " + marks_of(bound->identity)};
  const bool at_home = sight.address == plan.address || sight.address == plan.maintenance_address;
  if (at_home) return {Fit::by_address, "address " + sight.address.value()};
  return {Fit::none,
          fmt::format("the profile says neither mac, uuid nor serial of {}", plan.name.value())};
}

class Matching {
 public:
  Matching(const ClusterProfile& profile, const JournalFacts& facts,
           const std::vector<Sighting>& seen)
      : profile_(profile), facts_(facts), seen_(seen) {}

  MachineMatch run(MatchOptions options) {
    find_machines();
    name_twins();
    match_by(Fit::by_identity);
    match_by(Fit::by_address);
    if (options.by_order) match_by_order();
    raise_alarms();
    note_missing();
    return std::move(match_);
  }

 private:
  /// A machine that answers at several addresses is one machine; a key is not shared.
  void find_machines() {
    std::map<Fingerprint, std::size_t> first;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (seen_[i].kind != PeerKind::maintenance && seen_[i].kind != PeerKind::ours) continue;
      const auto [known, fresh] = first.emplace(seen_[i].fingerprint, i);
      if (fresh || seen_[i].fingerprint.value().empty()) {
        machines_.push_back(i);
      } else if (is_home(i) && !is_home(known->second)) {
        std::replace(machines_.begin(), machines_.end(), known->second, i);
        known->second = i;
      }
    }
  }

  bool is_home(std::size_t machine) const {
    return std::any_of(profile_.nodes.begin(), profile_.nodes.end(), [&](const NodePlan& plan) {
      return plan.address == seen_[machine].address ||
             plan.maintenance_address == seen_[machine].address;
    });
  }

  void name_twins() {
    for (std::size_t a = 0; a < machines_.size(); ++a) {
      for (std::size_t b = a + 1; b < machines_.size(); ++b) name_twins(machines_[a], machines_[b]);
    }
  }

  void name_twins(std::size_t a, std::size_t b) {
    if (!seen_[a].identity || !seen_[b].identity) return;
    const Identity& one = *seen_[a].identity;
    const Identity& other = *seen_[b].identity;
    std::vector<std::string> shared;
    if (!one.uuid.value().empty() && one.uuid == other.uuid) {
      shared.push_back("UUID " + one.uuid.value());
    }
    for (const MacAddress& mac : one.macs) {
      const bool both = std::find(other.macs.begin(), other.macs.end(), mac) != other.macs.end();
      if (both) shared.push_back("MAC " + mac.value());
    }
    if (shared.empty()) return;
    Finding finding;
    // A clone that differs in what the profile goes by can still be distinguished.
    finding.severity = Severity::warning;
    finding.id = "D8";
    finding.where = "scan";
    finding.what = fmt::format("two machines share {}: {} ({}) and {} ({})", join(shared, " and "),
                               seen_[a].address.value(), marks_of(one), seen_[b].address.value(),
                               marks_of(other));
    finding.fix = "give the clone a UUID and MACs of its own, or switch it off";
    match_.findings.push_back(std::move(finding));
  }

  bool taken(std::size_t machine) const {
    return match_.node_of(machine) != nullptr || disputed_.contains(machine);
  }
  bool settled(const NodeName& node) const {
    return match_.machine_of.contains(node) ||
           std::find(match_.ambiguous.begin(), match_.ambiguous.end(), node) !=
               match_.ambiguous.end();
  }

  void match_by(Fit fit) {
    struct Candidate {
      std::size_t machine;
      std::string why;
    };
    std::map<NodeName, std::vector<Candidate>> of_node;
    std::map<std::size_t, std::vector<NodeName>> of_machine;
    for (const NodePlan& plan : profile_.nodes) {
      if (settled(plan.name)) continue;
      for (const std::size_t machine : machines_) {
        Verdict verdict = judge(plan, facts_, seen_[machine]);
        if (verdict.fit != fit || taken(machine)) continue;
        of_node[plan.name].push_back({machine, std::move(verdict.why)});
        of_machine[machine].push_back(plan.name);
      }
    }
    for (const auto& [machine, nodes] : of_machine) {
      if (nodes.size() > 1) dispute_machine(machine, nodes);
    }
    for (const auto& [node, candidates] : of_node) {
      if (candidates.size() > 1) {
        std::vector<std::size_t> machines;
        for (const Candidate& candidate : candidates) machines.push_back(candidate.machine);
        dispute_node(node, machines);
      } else if (!disputed_.contains(candidates.front().machine)) {
        match_.machine_of[node] = candidates.front().machine;
        match_.proof[node] = candidates.front().why;
      }
    }
  }

  void dispute_machine(std::size_t machine, const std::vector<NodeName>& nodes) {
    disputed_.insert(machine);
    std::vector<std::string> names;
    for (const NodeName& node : nodes) {
      names.push_back(node.value());
      mark_ambiguous(node);
    }
    match_.findings.push_back(
        {Severity::error, "O2", nodes.front(), "scan",
         fmt::format("the machine at {} ({}) fits more than one node: {}",
                     seen_[machine].address.value(), marks_of(*seen_[machine].identity),
                     join(names, ", ")),
         "set mac, uuid or serial of each of them in the profile, with different values"});
  }

  void dispute_node(const NodeName& node, const std::vector<std::size_t>& machines) {
    mark_ambiguous(node);
    std::vector<std::string> places;
    for (const std::size_t machine : machines) {
      disputed_.insert(machine);
      places.push_back(fmt::format("{} ({})", seen_[machine].address.value(),
                                   marks_of(*seen_[machine].identity)));
    }
    match_.findings.push_back(
        {Severity::error, "D8", node, "scan",
         fmt::format("more than one machine fits {}: {}", node.value(), join(places, " and ")),
         fmt::format("add mac, uuid or serial to {} in the profile so that only one matches; a "
                     "clone needs a UUID and MACs of its own",
                     node.value())});
  }

  void mark_ambiguous(const NodeName& node) {
    auto& nodes = match_.ambiguous;
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  }

  /// Only nodes that the profile does not identify, and only machines that match no other node.
  void match_by_order() {
    std::vector<const NodePlan*> nodes;
    for (const NodePlan& plan : profile_.nodes) {
      const bool unnamed = declared_marks(plan).empty() && !facts_.bound(plan.name);
      if (unnamed && !settled(plan.name)) nodes.push_back(&plan);
    }
    std::vector<std::size_t> left;
    for (const std::size_t machine : machines_) {
      const Sighting& sight = seen_[machine];
      if (sight.kind == PeerKind::maintenance && sight.identity && !taken(machine)) {
        left.push_back(machine);
      }
    }
    if (nodes.empty()) return;
    if (nodes.size() != left.size()) {
      match_.findings.push_back(
          {Severity::error, "O2", nodes.front()->name, "scan",
           fmt::format("--match-by-order needs as many machines as nodes: {} without mac, uuid and "
                       "serial, and {} in maintenance mode that fit no other node",
                       nodes.size(), left.size()),
           "say mac, uuid or serial of the nodes in the profile, or scan fewer addresses"});
      return;
    }
    std::sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
      return parse_ip(seen_[a].address.value()) < parse_ip(seen_[b].address.value());
    });
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      match_.machine_of[nodes[i]->name] = left[i];
      match_.proof[nodes[i]->name] = "its place in the order of addresses";
    }
  }

  /// A node that was installed keeps its config; without one it was wiped, or booted from
  /// elsewhere.
  void raise_alarms() {
    for (const auto& [node, machine] : match_.machine_of) {
      const bool fell_back = seen_[machine].kind == PeerKind::maintenance && facts_.settled(node);
      if (!fell_back) continue;
      match_.findings.push_back(fallen_back(node, seen_[machine].address, "scan"));
    }
  }

  void note_missing() {
    for (const NodePlan& plan : profile_.nodes) {
      if (match_.machine_of.contains(plan.name)) continue;
      if (!settled(plan.name)) match_.missing.push_back(plan.name);
      for (const std::size_t machine : machines_) {
        Verdict verdict = judge(plan, facts_, seen_[machine]);
        const NodeName* owner = match_.node_of(machine);
        if (verdict.fit != Fit::none && owner) verdict.why = "it is " + owner->value();
        match_.matrix.push_back({plan.name, seen_[machine].address,
                                 verdict.fit != Fit::none && !owner, std::move(verdict.why)});
      }
    }
  }

  const ClusterProfile& profile_;
  const JournalFacts& facts_;
  const std::vector<Sighting>& seen_;
  std::vector<std::size_t> machines_;
  std::set<std::size_t> disputed_;
  MachineMatch match_;
};

}  // namespace

bool MachineMatch::complete() const {
  return missing.empty() && ambiguous.empty() &&
         std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.severity == Severity::error; });
}

const NodeName* MachineMatch::node_of(std::size_t machine) const {
  for (const auto& [node, number] : machine_of) {
    if (number == machine) return &node;
  }
  return nullptr;
}

MachineMatch match_machines(const ClusterProfile& profile, const JournalFacts& facts,
                            const std::vector<Sighting>& seen, MatchOptions options) {
  return Matching(profile, facts, seen).run(options);
}

}  // namespace ichor
