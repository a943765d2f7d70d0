#include "phase/reset.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/discover.h"
#include "phase/install_disk.h"

namespace ichor {

namespace {

bool is_container(const NodeView& view) { return view.hardware && view.hardware->container; }

/// What a consent must name: the disk that Talos runs from; in a container, which has none, the
/// node or one of its MACs.
std::vector<std::string> consent_words(const NodePlan& plan, const NodeView& view) {
  std::vector<std::string> words;
  for (const Disk& disk : view.disks.value_or(std::vector<Disk>())) {
    if (!disk.system_disk) continue;
    words.push_back(consent_name(disk));
    if (!disk.wwid.empty()) words.push_back(disk.wwid);
  }
  if (!words.empty() || !is_container(view)) return words;
  words.push_back(plan.name.value());
  if (!view.identity) return words;
  for (const MacAddress& mac : view.identity->macs) words.push_back(mac.value());
  return words;
}

JournalRecord reset_record(const NodeView& node) {
  JournalRecord record;
  record.kind = RecordKind::observed;
  record.node = node.node;
  record.key = kResetKey;
  if (node.presence == Presence::configured) record.value = node.identity->boot_id.value();
  return record;
}

/// Containers have neither, and a node that is off is known only by what the journal remembers.
bool was_container(const Wanted& wanted, const NodeName& node) {
  const BoundIdentity* bound = wanted.facts.bound(node);
  return bound && bound->identity.uuid.value().empty() && bound->identity.serial.value().empty();
}

bool healthy_voter(const NodeView& node) {
  return node.presence == Presence::configured && node.etcd.service_healthy && node.etcd.status &&
         node.etcd.status->leader != EtcdMemberId{} && !node.etcd.status->is_learner;
}

}  // namespace

std::optional<Finding> missing_consent(const Wanted& wanted, const NodePlan& plan,
                                       const NodeView& view) {
  const std::vector<std::string> words = consent_words(plan, view);
  const std::string& name = plan.name.value();
  const auto given = wanted.profile.wipe_consents.find(plan.name);
  const bool is_given = given != wanted.profile.wipe_consents.end();
  if (words.empty()) {
    return Finding{
        Severity::error,
        "O6",
        plan.name,
        "consent",
        fmt::format("{} does not say which disk it runs from, so no consent can name it", name),
        fmt::format("reset it at its console, or with `talosctl -n {} reset`",
                    plan.address.value())};
  }
  if (is_given && std::find(words.begin(), words.end(), given->second) != words.end()) {
    return std::nullopt;
  }
  return Finding{
      Severity::error,
      "O6",
      plan.name,
      "consent",
      is_given ? fmt::format("the consent for {} names {}, and its disk is {}", name, given->second,
                             words.front())
               : fmt::format("a reset wipes {}, and there is no consent for it", name),
      fmt::format("to wipe all data on it: `--consent-wipe {}={}`", name, words.front())};
}

namespace {

/// E5: a member that left finds its old data again when it comes back, and starts no etcd.
std::optional<Finding> etcd_data_stays(const ResetRequest& request, const NodePlan& plan,
                                       const NodeView& view) {
  const std::vector<std::string>& labels = request.partitions;
  const auto wipes = [&](std::string_view label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  };
  const bool returns = request.graceful || wipes("STATE");
  if (labels.empty() || wipes("ETCD") || !returns || !view.disks) return std::nullopt;
  for (const Disk& disk : *view.disks) {
    if (!disk.etcd_volume) continue;
    return Finding{
        Severity::error,
        "E5",
        plan.name,
        "--system-labels-to-wipe",
        fmt::format("etcd of {} has a partition of its own on {}, and a wipe of {} keeps its data",
                    plan.name.value(), disk.dev_path, fmt::join(labels, ",")),
        "name ETCD as well, or leave --system-labels-to-wipe out to wipe the whole system disk"};
  }
  return std::nullopt;
}

}  // namespace

Duration Reset::budget(const Budgets& budgets) const {
  // Control planes go one after another, so each has its time.
  return budgets.reset * static_cast<int>(std::max<std::size_t>(plan_.nodes.size(), 1));
}

/// Whether the node has no config afterwards.
bool Reset::leaves_maintenance_behind() const {
  const std::vector<std::string>& labels = plan_.request.partitions;
  return labels.empty() || std::find(labels.begin(), labels.end(), "STATE") != labels.end();
}

Reset::Progress Reset::progress(const Wanted& wanted, const NodePlan& plan,
                                const NodeView& view) const {
  using Kind = Progress::Kind;
  const std::string& name = plan.name.value();
  const MutationFact* sent = wanted.facts.last(Call::reset, plan.name);
  const bool may_have_landed = sent && sent->outcome != OutcomeKind::refused;
  const std::string* came_back = sent ? nullptr : wanted.facts.came_back_in(plan.name);
  const Duration since = may_have_landed ? wanted.now - sent->at : Duration::zero();
  if (view.presence == Presence::maintenance) {
    const bool untold = sent || wanted.facts.settled(plan.name) ||
                        wanted.facts.last(Call::apply_configuration, plan.name);
    return {untold ? Kind::told : Kind::done, {}};
  }
  if (view.presence == Presence::silent) {
    // It was to go off, and a container always does.
    const bool stays_off = !plan_.request.reboot || was_container(wanted, plan.name);
    if (came_back && stays_off) return {Kind::done, {}};
    if (may_have_landed && stays_off && since > kSettleTime) return {Kind::told, {}};
    if (may_have_landed) return {Kind::under_way, fmt::format("{} is away, being reset", name)};
    return {Kind::to_do, {}};
  }
  if (!view.status || !view.identity) return {Kind::to_do, {}};
  if (view.status->stage == Stage::resetting) {
    return {Kind::under_way, fmt::format("{} is resetting", name)};
  }
  if (came_back && *came_back == view.identity->boot_id.value()) return {Kind::done, {}};
  if (!may_have_landed) return {Kind::to_do, {}};
  if (sent->mark != view.identity->boot_id.value()) {
    // A new boot with its config: the reset is over, or never was.
    return {leaves_maintenance_behind() ? Kind::to_do : Kind::told, {}};
  }
  const Duration patience = sent->outcome == OutcomeKind::done ? kDrainTime : kSettleTime;
  if (since >= patience) return {Kind::to_do, {}};
  return {Kind::under_way,
          fmt::format("{} accepted the reset and is {}", name, name_of(view.status->stage))};
}

std::optional<Stop> Reset::find_refusals(const Wanted& wanted, const ClusterView& view) const {
  std::vector<Finding> found;
  for (const NodeView& node : view.nodes) {
    const NodePlan& plan = *wanted.profile.find(node.node);
    if (!plan_.nodes.contains(node.node)) continue;
    const bool answers = node.presence == Presence::configured && node.status && node.disks;
    if (!answers || progress(wanted, plan, node).kind != Progress::Kind::to_do) continue;
    if (auto finding = missing_consent(wanted, plan, node)) found.push_back(*std::move(finding));
    if (auto finding = etcd_data_stays(plan_.request, plan, node)) {
      found.push_back(*std::move(finding));
    }
  }
  if (found.empty()) return std::nullopt;
  Stop stop{std::move(found.front()), true};
  stop.more.assign(std::move_iterator(found.begin() + 1), std::move_iterator(found.end()));
  return stop;
}

std::optional<std::string> Reset::quorum_unmet(const Wanted& wanted, const ClusterView& view,
                                               const NodeName& node) const {
  if (plan_.whole_cluster) return std::nullopt;
  std::size_t members = 0;
  std::size_t healthy_without = 0;
  for (const NodeView& other : view.nodes) {
    if (wanted.profile.find(other.node)->role != Role::control_plane) continue;
    if (other.etcd.members) members = std::max(members, other.etcd.members->size());
    if (other.node != node && healthy_voter(other)) ++healthy_without;
  }
  if (members == 0) {
    // No node knows of an etcd; then there is none to protect, if all nodes say so.
    const bool all_answer = std::all_of(view.nodes.begin(), view.nodes.end(), [&](const auto& one) {
      return wanted.profile.find(one.node)->role != Role::control_plane ||
             one.presence == Presence::maintenance;
    });
    if (all_answer) return std::nullopt;
    return fmt::format("{} waits: no control plane shows etcd's members", node.value());
  }
  if (healthy_without > members / 2) return std::nullopt;
  return fmt::format("{} waits: without it {} of {} etcd members would be healthy; {} are needed",
                     node.value(), healthy_without, members, members / 2 + 1);
}

Decision Reset::decide(const Wanted& wanted, const ClusterView& view) const {
  using Kind = Progress::Kind;
  if (auto stop = find_refusals(wanted, view)) return *std::move(stop);
  std::string waiting;
  bool control_plane_away = false;
  // Workers first: draining them needs the control planes.
  for (const Role role : {Role::worker, Role::control_plane}) {
    for (const NodeView& node : view.nodes) {
      const NodePlan& plan = *wanted.profile.find(node.node);
      if (plan.role != role || !plan_.nodes.contains(node.node)) continue;
      const Progress at = progress(wanted, plan, node);
      if (at.kind == Kind::done) continue;
      if (at.kind == Kind::told) return Remember{reset_record(node)};
      if (at.kind == Kind::under_way) {
        if (waiting.empty()) waiting = at.reason;
        control_plane_away = control_plane_away || role == Role::control_plane;
        continue;
      }
      // The machine must be the one that bears the name, and known to the journal.
      const Decision bound = Discover().decide(wanted, plan, node);
      if (const Wait* wait = std::get_if<Wait>(&bound)) {
        if (waiting.empty()) waiting = wait->reason;
        control_plane_away = control_plane_away || role == Role::control_plane;
        continue;
      }
      if (!std::holds_alternative<Satisfied>(bound)) return bound;
      if (role == Role::control_plane) {
        if (control_plane_away || !waiting.empty()) continue;
        if (auto unmet = quorum_unmet(wanted, view, node.node)) return Wait{*std::move(unmet)};
      }
      if (!node.status || !node.disks) return wait_for_node(plan, node);
      NodeCall action{Call::reset, node.node, {}, "the operator requested a reset", kNever};
      action.reset = plan_.request;
      return Act{std::move(action)};
    }
  }
  if (!waiting.empty()) return Wait{std::move(waiting)};
  return Satisfied{};
}

}  // namespace ichor
