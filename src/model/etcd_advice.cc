#include "model/etcd_advice.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>

namespace ichor {

namespace {

std::string_view name_of(EtcdAlarmKind kind) {
  return kind == EtcdAlarmKind::no_space ? "NOSPACE" : "CORRUPT";
}

/// "memberID:7 alarm:CORRUPT ", as etcd's status repeats an alarm.
std::optional<EtcdAlarm> alarm_from_status(std::string_view error) {
  constexpr std::string_view kMember = "memberID:";
  if (!error.starts_with(kMember)) return std::nullopt;
  std::uint64_t member = 0;
  const char* const begin = error.data() + kMember.size();
  if (std::from_chars(begin, error.data() + error.size(), member).ec != std::errc{}) {
    return std::nullopt;
  }
  for (const EtcdAlarmKind kind : {EtcdAlarmKind::no_space, EtcdAlarmKind::corrupt}) {
    if (error.find(fmt::format("alarm:{}", name_of(kind))) != std::string_view::npos) {
      return EtcdAlarm{EtcdMemberId(member), kind};
    }
  }
  return std::nullopt;
}

bool is_control_plane(const ClusterProfile& profile, const EtcdMember& member) {
  const NodePlan* plan = profile.find(NodeName(member.hostname));
  return plan && plan->role == Role::control_plane;
}

/// Where talosctl reaches a member.
std::string address_of(const ClusterProfile& profile, const std::string& hostname) {
  const NodePlan* plan = profile.find(NodeName(hostname));
  return plan && !plan->address.value().empty() ? plan->address.value() : hostname;
}

bool is_corrupt(const std::vector<RaisedAlarm>& alarms, const EtcdMember& member) {
  return std::any_of(alarms.begin(), alarms.end(), [&](const RaisedAlarm& raised) {
    return raised.alarm.kind == EtcdAlarmKind::corrupt && raised.alarm.member == member.id;
  });
}

std::string corrupt_advice(const ClusterProfile& profile, const EtcdView& etcd,
                           const RaisedAlarm& raised) {
  const std::vector<EtcdMember> members = etcd.members.value_or(std::vector<EtcdMember>());
  const std::vector<RaisedAlarm> alarms = raised_alarms(etcd);
  std::vector<std::string> addresses;
  std::vector<EtcdMember> sound;
  std::size_t voters = 0;
  for (const EtcdMember& member : members) {
    addresses.push_back(address_of(profile, member.hostname));
    if (member.is_learner) continue;
    ++voters;
    if (!is_corrupt(alarms, member)) sound.push_back(member);
  }
  if (raised.hostname.empty()) {
    return fmt::format(
        "etcd does not say which member is damaged: reset no control plane before you know. "
        "Compare "
        "`talosctl -n {} etcd status`, and keep a snapshot: `talosctl etcd snapshot`",
        addresses.empty() ? std::string("NODE") : fmt::format("{}", fmt::join(addresses, ",")));
  }
  if (sound.size() <= voters / 2) {
    return fmt::format(
        "without {} only {} of {} members are sound, too few to replace it: restore etcd from a "
        "snapshot, `talosctl bootstrap --recover-from`",
        raised.hostname, sound.size(), voters);
  }
  const std::string other = address_of(profile, sound.front().hostname);
  return fmt::format(
      "replace the member {1} and no other: keep a snapshot, `talosctl -n {0} etcd snapshot "
      "etcd.snapshot`; then `talosctl -n {0} etcd remove-member {2:016x}`, `ichor reset {1}` and "
      "`ichor up`",
      other, raised.hostname, raised.alarm.member.value());
}

}  // namespace

std::vector<RaisedAlarm> raised_alarms(const EtcdView& etcd) {
  std::vector<EtcdAlarm> alarms = etcd.alarms.value_or(std::vector<EtcdAlarm>());
  if (etcd.status) {
    for (const std::string& error : etcd.status->errors) {
      const auto told = alarm_from_status(error);
      const bool is_new =
          told && std::none_of(alarms.begin(), alarms.end(), [&](const EtcdAlarm& known) {
            return known.member == told->member && known.kind == told->kind;
          });
      if (is_new) alarms.push_back(*told);
    }
  }
  std::vector<RaisedAlarm> raised;
  for (const EtcdAlarm& alarm : alarms) {
    RaisedAlarm& one = raised.emplace_back(RaisedAlarm{alarm, {}});
    for (const EtcdMember& member : etcd.members.value_or(std::vector<EtcdMember>())) {
      if (member.id == alarm.member) one.hostname = member.hostname;
    }
  }
  return raised;
}

std::string to_text(const RaisedAlarm& raised) {
  if (raised.hostname.empty()) {
    return fmt::format("{} of an unknown member ({:016x})", name_of(raised.alarm.kind),
                       raised.alarm.member.value());
  }
  return fmt::format("{} of {} (member {:016x})", name_of(raised.alarm.kind), raised.hostname,
                     raised.alarm.member.value());
}

std::string alarm_advice(const ClusterProfile& profile, const EtcdView& etcd,
                         const RaisedAlarm& raised) {
  if (raised.alarm.kind == EtcdAlarmKind::corrupt) return corrupt_advice(profile, etcd, raised);
  const std::string node =
      raised.hostname.empty() ? std::string("NODE") : address_of(profile, raised.hostname);
  return fmt::format(
      "`talosctl -n {0} etcd defrag`, then on the other control planes one after another, then "
      "`talosctl -n {0} etcd alarm disarm`",
      node);
}

bool has_member_of(const ClusterProfile& profile, const std::vector<EtcdMember>& members) {
  return std::any_of(members.begin(), members.end(),
                     [&](const EtcdMember& member) { return is_control_plane(profile, member); });
}

std::vector<EtcdMember> unknown_members(const ClusterProfile& profile,
                                        const std::vector<EtcdMember>& members) {
  std::vector<EtcdMember> unknown;
  std::copy_if(members.begin(), members.end(), std::back_inserter(unknown),
               [&](const EtcdMember& member) {
                 // A member that joins has no name yet.
                 return !member.hostname.empty() && !is_control_plane(profile, member);
               });
  return unknown;
}

std::string unknown_member_advice(const ClusterProfile& profile,
                                  const std::vector<EtcdMember>& members,
                                  const EtcdMember& unknown) {
  const auto known = std::find_if(members.begin(), members.end(), [&](const EtcdMember& member) {
    return is_control_plane(profile, member);
  });
  if (known == members.end()) {
    return "the data belongs to another cluster: `talosctl etcd members` shows whose it is";
  }
  return fmt::format(
      "if {0} is in use, add it to the profile as a control plane; if it is gone for good, "
      "`talosctl "
      "-n {1} etcd remove-member {2:016x}`. The other members are this cluster's own: reset none",
      unknown.hostname, address_of(profile, known->hostname), unknown.id.value());
}

}  // namespace ichor
