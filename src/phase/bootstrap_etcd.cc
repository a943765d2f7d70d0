#include "phase/bootstrap_etcd.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/check.h"
#include "base/mutant.h"
#include "phase/etcd_groups.h"

namespace ichor {

namespace {

Stop unsafe(std::string fault, NodeName node, std::string what, std::string fix) {
  return Stop{Finding{Severity::error, std::move(fault), std::move(node), "bootstrap",
                      std::move(what), std::move(fix)},
              true};
}

/// Two clusters, or one that is not ours.
std::optional<Decision> decide_existing(const Wanted& wanted,
                                        const std::vector<EtcdGroup>& groups) {
  if (groups.size() > 1 && !mutant("two-clusters-are-one")) {
    return unsafe(
        "E4", {},
        fmt::format("two etcd clusters: [{}] and [{}]", to_text(groups[0]), to_text(groups[1])),
        "nothing was touched; keep the one with the data you want and `ichor reset` the "
        "control planes of the other");
  }
  if (groups.empty()) return std::nullopt;
  for (const EtcdMember& member : groups[0].members) {
    const NodePlan* plan = wanted.profile.find(NodeName(member.hostname));
    if (!member.hostname.empty() && (!plan || plan->role != Role::control_plane)) {
      return unsafe("E5", {},
                    fmt::format("etcd has a member {} that is no control plane of this profile",
                                member.hostname),
                    "this data belongs to another cluster or an old node: `talosctl etcd members`");
    }
  }
  return Satisfied{};
}

/// Why this control plane's answer is not a plain "no etcd data here"; empty if it is.
std::string not_a_no(const NodeView& node) {
  const std::string& name = node.node.value();
  if (node.presence == Presence::maintenance) return {};
  if (node.presence != Presence::configured || node.etcd.has_data == Known::unknown) {
    return node.trouble ? fmt::format("{}: {}", name, to_text(*node.trouble))
                        : fmt::format("{} has not said whether it has etcd data", name);
  }
  if (node.etcd.has_data == Known::yes) {
    return fmt::format("{} has etcd data and its etcd does not answer yet ({})", name,
                       node.etcd.service_state.empty() ? "unknown" : node.etcd.service_state);
  }
  return {};
}

const NodeView* find(const ClusterView& view, const NodeName& name) {
  const auto found = std::find_if(view.nodes.begin(), view.nodes.end(),
                                  [&](const NodeView& node) { return node.node == name; });
  return found == view.nodes.end() ? nullptr : &*found;
}

/// How long the target may look as if it had not been told. One that said yes first pulls etcd's
/// image, and another call would make it begin again.
Duration patience_after(const MutationFact& sent, const NodeView& target) {
  const bool prepares = sent.outcome == OutcomeKind::done && target.etcd.service_state != "Failed";
  return prepares ? kPullTime : kSettleTime;
}

/// Whether the target can be called now.
std::optional<Wait> target_not_ready(const Wanted& wanted, const NodeView& target) {
  const std::string& name = target.node.value();
  if (target.presence != Presence::configured || !target.status || !target.identity) {
    return Wait{fmt::format("{} is not up with its config yet", name)};
  }
  if (target.status->stage != Stage::booting && target.status->stage != Stage::running) {
    return Wait{fmt::format("{} is {}", name, name_of(target.status->stage))};
  }
  const MutationFact* sent = wanted.facts.last(Call::bootstrap, target.node);
  const bool may_have_landed = sent && sent->outcome != OutcomeKind::refused &&
                               sent->mark == target.identity->boot_id.value();
  if (may_have_landed && wanted.now - sent->at < patience_after(*sent, target) &&
      !mutant("bootstrap-without-patience")) {
    return Wait{fmt::format("{} was told to bootstrap and prepares etcd", name)};
  }
  return std::nullopt;
}

}  // namespace

Decision BootstrapEtcd::decide(const Wanted& wanted, const ClusterView& view) const {
  for (const NodeView& node : view.nodes) {
    if (node.presence != Presence::foreign && node.presence != Presence::stranger) continue;
    return *decide_presence(*wanted.profile.find(node.node), node);
  }
  if (auto decided = decide_existing(wanted, etcd_groups(view))) return *std::move(decided);

  MonoTime oldest = wanted.now;
  for (const NodeView& node : view.nodes) {
    if (std::string reason = not_a_no(node); !reason.empty()) {
      if (!mutant("unknown-is-no")) return Wait{std::move(reason)};
    }
    oldest = std::min(oldest, node.at);
  }
  if (wanted.now - oldest > kFreshTime && !mutant("stale-no"))
    return Wait{"the control planes must be looked at again"};

  check(!view.nodes.empty(), "a cluster has a control plane");
  NodeName name =
      wanted.facts.bootstrap_target() ? *wanted.facts.bootstrap_target() : view.nodes.front().node;
  if (mutant("two-bootstraps") && wanted.facts.last(Call::bootstrap, name)) {
    name = view.nodes.back().node;
  }
  const NodeView* target = find(view, name);
  if (!target) {
    return unsafe("O3", name,
                  fmt::format("etcd was or may have been bootstrapped on {}, which is not in the "
                              "profile any more",
                              name.value()),
                  "put the node back, or reset every control plane");
  }
  if (auto wait = target_not_ready(wanted, *target)) return *std::move(wait);
  if (!wanted.facts.bootstrap_target() && !mutant("target-not-pinned")) {
    JournalRecord record;
    record.kind = RecordKind::bootstrap_target;
    record.node = name;
    record.value = encode_identity(*target->identity, {});
    return Remember{std::move(record)};
  }
  return Act{
      Action{Call::bootstrap, name, {}, "no control plane has etcd data", oldest + kFreshTime}};
}

}  // namespace ichor
