#include "phase/bootstrap_etcd.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/check.h"
#include "model/etcd_advice.h"
#include "phase/dead_disk.h"
#include "phase/etcd_groups.h"
#include "phase/install_disk.h"
#include "phase/unattended_install.h"

namespace ichor {

namespace {

Stop unsafe(std::string fault, NodeName node, std::string what, std::string fix) {
  return Stop{Finding{Severity::error, std::move(fault), std::move(node), "bootstrap",
                      std::move(what), std::move(fix)},
              true};
}

/// "cp1, cp2 (learner)" of each, with the ids that `talosctl etcd remove-member` wants.
std::string with_ids(const EtcdGroup& group) {
  std::string text;
  for (const EtcdMember& member : group.members) {
    text +=
        fmt::format("{}{} {:016x}", text.empty() ? "" : ", ", member.hostname, member.id.value());
  }
  return text;
}

/// What each control plane says of etcd, for people: "cp1: data, Running, 3 members".
std::string signals_of(const ClusterView& view) {
  std::string text;
  for (const NodeView& node : view.nodes) {
    text += fmt::format("{}{}: ", text.empty() ? "" : "; ", node.node.value());
    if (node.presence == Presence::maintenance) {
      text += "in maintenance mode";
      continue;
    }
    switch (node.etcd.has_data) {
      case Known::unknown: text += "has not said whether it has etcd data"; continue;
      case Known::no: text += "no etcd data"; break;
      case Known::yes: text += "etcd data"; break;
    }
    if (!node.etcd.service_state.empty()) text += ", service " + node.etcd.service_state;
    if (node.etcd.members) text += fmt::format(", {} members", node.etcd.members->size());
  }
  return text;
}

/// Two clusters, or one that is not ours.
std::optional<Decision> decide_existing(const Wanted& wanted, const ClusterView& view) {
  const std::vector<EtcdGroup> groups = etcd_groups(view);
  if (groups.size() > 1) {
    return unsafe(
        "E4", {},
        fmt::format("two etcd clusters: [{}] and [{}]", with_ids(groups[0]), with_ids(groups[1])),
        "nothing was sent to either; keep the one that has your data and `ichor reset` the "
        "control planes of the other");
  }
  if (groups.empty()) return std::nullopt;
  const std::vector<EtcdMember>& members = groups[0].members;
  for (const EtcdMember& member : unknown_members(wanted.profile, members)) {
    return unsafe("E5", {},
                  fmt::format("etcd has a member {} that is not a control plane of this profile",
                              member.hostname),
                  unknown_member_advice(wanted.profile, members, member));
  }
  return Satisfied{
      {},
      fmt::format("etcd exists with the members {} ({})", to_text(groups[0]), signals_of(view))};
}

const ServiceStatus* service(const NodeView& node, std::string_view id) {
  if (!node.services) return nullptr;
  const auto found = std::find_if(node.services->begin(), node.services->end(),
                                  [&](const ServiceStatus& one) { return one.id == id; });
  return found == node.services->end() ? nullptr : &*found;
}

/// "Preparing: waiting for etcd spec".
std::string etcd_state(const NodeView& node) {
  const ServiceStatus* etcd = service(node, "etcd");
  std::string state = node.etcd.service_state.empty() ? "unknown" : node.etcd.service_state;
  if (etcd && !etcd->last_message.empty()) state += ": " + etcd->last_message;
  return state;
}

/// E5: a partition of etcd's own outlives a wipe of STATE and EPHEMERAL, and cannot be looked into
/// before the node has its config. An installation removes it with the others.
std::optional<Wait> keeps_etcd_volume(const NodeView& node) {
  if (!node.disks) return std::nullopt;
  for (const Disk& disk : *node.disks) {
    if (!disk.etcd_volume) continue;
    return Wait{fmt::format("{} is in maintenance mode and has a partition ETCD on {}, which may "
                            "hold the data of an old cluster",
                            node.node.value(), disk.dev_path),
                "E5",
                fmt::format("it is looked at once {} has its config; to remove it, wipe the whole "
                            "system disk, or the partition ETCD as well, when you reset a node",
                            node.node.value())};
  }
  return std::nullopt;
}

/// Why this control plane's answer is not a plain "no etcd data here"; nothing if it is.
std::optional<Wait> not_a_no(const Wanted& wanted, const NodeView& node) {
  const std::string& name = node.node.value();
  if (node.presence == Presence::maintenance) return keeps_etcd_volume(node);
  if (node.presence != Presence::configured || node.etcd.has_data == Known::unknown) {
    return Wait{node.trouble ? fmt::format("{}: {}", name, to_text(*node.trouble))
                             : fmt::format("{} has not said whether it has etcd data", name)};
  }
  if (node.etcd.has_data == Known::no) return std::nullopt;
  const bool told = wanted.facts.last(Call::bootstrap, node.node) != nullptr;
  // Data that no call of ours made is an old cluster's, unless its etcd comes up and says
  // otherwise.
  return Wait{
      fmt::format("{} has etcd data and its etcd does not answer yet ({})", name, etcd_state(node)),
      told ? "E3" : "E5",
      told ? fmt::format("see `talosctl -n {} logs etcd`", node.address.value())
           : fmt::format("see `talosctl -n {0} service etcd` and `talosctl -n {0} logs etcd`: a "
                         "member of this cluster comes up by itself. Only if the log proves that "
                         "the data is an old cluster's: `ichor reset {1}`",
                         node.address.value(), name)};
}

/// D4: Talos runs from another disk than the planned one, which would be found out by its loss.
std::optional<Stop> on_wrong_disk(const Wanted& wanted, const NodeView& node) {
  if (node.presence != Presence::configured || !node.disks) return std::nullopt;
  const NodePlan& plan = *wanted.profile.find(node.node);
  const auto meant = install_disks(plan, *node.disks);
  if (!meant || meant->how != InstallDisks::How::found) return std::nullopt;
  for (const Disk& disk : *node.disks) {
    if (!disk.system_disk) continue;
    const bool is_meant = std::any_of(meant->disks.begin(), meant->disks.end(),
                                      [&](const Disk& one) { return one.id == disk.id; });
    if (is_meant) return std::nullopt;
    return unsafe("D4", node.node,
                  fmt::format("{} is installed on {}, but the profile selects another disk",
                              node.node.value(), to_text(disk)),
                  fmt::format("it was booted from a disk image: `ichor reset {0} --consent-wipe "
                              "{0}={1}`, then boot it from an ISO or by network",
                              node.node.value(), consent_name(disk)));
  }
  return std::nullopt;
}

/// L6: see Apply. A cluster that this journal has not made may have its etcd elsewhere.
std::optional<Stop> older_than_journal(const Wanted& wanted) {
  if (wanted.facts.adopted() || wanted.facts.bootstrap_target()) return std::nullopt;
  for (const NodePlan& plan : wanted.profile.nodes) {
    if (plan.role != Role::control_plane || !wanted.facts.found_running(plan.name)) continue;
    return unsafe(
        "L6", plan.name,
        fmt::format("{} was already running when the journal was created, so whether etcd was ever "
                    "bootstrapped is not known",
                    plan.name.value()),
        "restore the lost state folder; or confirm that you continue with this one: "
        "`ichor up --adopt`");
  }
  return std::nullopt;
}

const NodeView* find(const ClusterView& view, const NodeName& name) {
  const auto found = std::find_if(view.nodes.begin(), view.nodes.end(),
                                  [&](const NodeView& node) { return node.node == name; });
  return found == view.nodes.end() ? nullptr : &*found;
}

/// How long the target may look as if the call had not reached it. One that said yes first pulls
/// etcd's image, and another call would make it begin again.
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
  if (auto wait = wait_for_install(*wanted.profile.find(target.node), target)) return wait;
  if (target.time_synced && !*target.time_synced) {
    return Wait{fmt::format("the clock of {} is not in sync yet", name), "T7",
                "the node cannot reach its time servers: check network.ntp and UDP 123"};
  }
  const ServiceStatus* runtime = service(target, "cri");
  if (runtime && !runtime->healthy) {
    return Wait{fmt::format("{} starts its container runtime ({})", name, runtime->state), "A1",
                fmt::format("see `talosctl -n {} service cri`", target.address.value())};
  }
  const MutationFact* sent = wanted.facts.last(Call::bootstrap, target.node);
  const bool may_have_landed = sent && sent->outcome != OutcomeKind::refused &&
                               sent->mark == target.identity->boot_id.value();
  if (may_have_landed && wanted.now - sent->at < patience_after(*sent, target)) {
    return Wait{
        fmt::format("{} accepted the bootstrap and prepares etcd ({})", name, etcd_state(target)),
        "E2", fmt::format("see `talosctl -n {} service etcd`", target.address.value())};
  }
  return std::nullopt;
}

/// E2: the call was taken in this very boot, and etcd waits for something that another call would
/// not bring.
std::optional<Stop> waits_for_spec(const Wanted& wanted, const NodeView& target) {
  const MutationFact* sent = wanted.facts.last(Call::bootstrap, target.node);
  const ServiceStatus* etcd = service(target, "etcd");
  const bool taken =
      sent && sent->outcome == OutcomeKind::done && sent->mark == target.identity->boot_id.value();
  if (!taken || !etcd || etcd->last_message.find("spec") == std::string::npos) return std::nullopt;
  return Stop{Finding{Severity::error, "E2", target.node, "bootstrap",
                      fmt::format("{} accepted the bootstrap, but etcd does not start: {}",
                                  target.node.value(), etcd_state(target)),
                      "no address fits cluster.etcd.advertisedSubnets, or the node has none yet: "
                      "correct it with `talosctl patch machineconfig`, then run `ichor up` again"}};
}

/// Whether this journal has bootstrapped etcd from that snapshot, or may have.
bool was_restored(const Wanted& wanted, const Digest& snapshot) {
  if (!wanted.facts.bootstrap_target()) return false;
  const MutationFact* sent = wanted.facts.last(Call::bootstrap, *wanted.facts.bootstrap_target());
  return sent && sent->payload == snapshot && sent->outcome != OutcomeKind::refused;
}

/// The beginning of a digest, as people compare it.
std::string short_text(const Digest& digest) { return to_hex(digest).substr(0, 12); }

/// Why the call is due, for the journal's readers.
std::string why_now(const Wanted& wanted, const NodeView& target) {
  const MutationFact* sent = wanted.facts.last(Call::bootstrap, target.node);
  if (!sent || sent->outcome == OutcomeKind::refused) return "no control plane has etcd data";
  const bool same_boot = sent->mark == target.identity->boot_id.value();
  return same_boot ? "no control plane has etcd data: the call sent before had no effect"
                   : "no control plane has etcd data: the call was lost by a reboot (E1)";
}

}  // namespace

std::optional<Decision> BootstrapEtcd::before_restore(const Wanted& wanted,
                                                      const ClusterView& view) const {
  const Digest* pending = wanted.facts.restoring();
  if (!snapshot_) {
    const bool exists = !etcd_groups(view).empty();
    if (!pending || exists) return std::nullopt;
    return unsafe("E3", {},
                  fmt::format("a restore of the snapshot {} was started and is not finished: an "
                              "empty etcd would take its place",
                              short_text(*pending)),
                  fmt::format("continue it with `ichor etcd restore FILE --cluster-name {0}`, or "
                              "give it up with `ichor etcd restore --abandon --cluster-name {0}`",
                              wanted.profile.name));
  }
  if (was_restored(wanted, *snapshot_)) return std::nullopt;
  for (const NodeView& node : view.nodes) {
    const bool has_etcd =
        node.etcd.has_data == Known::yes || (node.etcd.members && !node.etcd.members->empty());
    if (!has_etcd) continue;
    return unsafe(
        "E3", node.node,
        fmt::format("{} has etcd data: a restore is for a cluster whose etcd is gone",
                    node.node.value()),
        fmt::format("if this etcd works, there is nothing to restore. To give up all that "
                    "is in it: `ichor reset --all --cluster-name {}`",
                    wanted.profile.name));
  }
  return std::nullopt;
}

std::optional<Decision> BootstrapEtcd::upload_due(const Wanted& wanted,
                                                  const NodeView& target) const {
  if (!snapshot_) return std::nullopt;
  const MutationFact* sent = wanted.facts.last(Call::etcd_recover, target.node);
  const bool is_there = sent && sent->outcome == OutcomeKind::done && sent->payload == *snapshot_ &&
                        sent->mark == target.identity->boot_id.value();
  if (is_there) return std::nullopt;
  NodeCall upload{Call::etcd_recover, target.node, *snapshot_,
                  fmt::format("the snapshot {} is to be restored", short_text(*snapshot_))};
  return Act{std::move(upload)};
}

Decision BootstrapEtcd::decide(const Wanted& wanted, const ClusterView& view) const {
  for (const NodeView& node : view.nodes) {
    if (node.presence != Presence::foreign && node.presence != Presence::stranger) continue;
    return *decide_presence(*wanted.profile.find(node.node), node);
  }
  if (auto decided = before_restore(wanted, view)) return *std::move(decided);
  if (auto decided = decide_existing(wanted, view)) return *std::move(decided);

  MonoTime oldest = wanted.now;
  // Before any wait: a dead disk can be what the node waits for.
  for (const NodeView& node : view.nodes) {
    if (auto stop = on_wrong_disk(wanted, node)) return *std::move(stop);
    if (auto stop = decide_dead_disk(node)) return *std::move(stop);
  }
  for (const NodeView& node : view.nodes) {
    if (auto wait = not_a_no(wanted, node)) return *std::move(wait);
    oldest = std::min(oldest, node.at);
  }
  if (wanted.now - oldest > kFreshTime) return Wait{"the control planes must be looked at again"};

  check(!view.nodes.empty(), "a cluster has a control plane");
  NodeName name =
      wanted.facts.bootstrap_target() ? *wanted.facts.bootstrap_target() : view.nodes.front().node;
  const NodeView* target = find(view, name);
  if (!target) {
    return unsafe("O3", name,
                  fmt::format("etcd was or may have been bootstrapped on {}, which is not in the "
                              "profile any more",
                              name.value()),
                  "put the node back, or reset every control plane");
  }
  if (auto wait = target_not_ready(wanted, *target)) return *std::move(wait);
  if (auto stop = waits_for_spec(wanted, *target)) return *std::move(stop);
  if (auto stop = older_than_journal(wanted)) return *std::move(stop);
  if (snapshot_ && (!wanted.facts.restoring() || *wanted.facts.restoring() != *snapshot_)) {
    JournalRecord record;
    record.kind = RecordKind::observed;
    record.key = kRestoreKey;
    record.value = to_hex(*snapshot_);
    return Remember{std::move(record)};
  }
  if (!wanted.facts.bootstrap_target()) {
    JournalRecord record;
    record.kind = RecordKind::bootstrap_target;
    record.node = name;
    record.value = encode_identity(*target->identity, {});
    return Remember{std::move(record)};
  }
  if (auto upload = upload_due(wanted, *target)) return *std::move(upload);
  NodeCall action{Call::bootstrap, name, snapshot_.value_or(Digest{}),
                  fmt::format("{} ({})", why_now(wanted, *target), signals_of(view)),
                  oldest + kFreshTime};
  action.recover = snapshot_.has_value();
  return Act{std::move(action)};
}

}  // namespace ichor
