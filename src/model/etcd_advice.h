#pragma once

#include <string>
#include <vector>

#include "model/cluster_profile.h"
#include "model/node_view.h"

namespace ichor {

/// An alarm and the member that it was raised for. etcd keeps alarms for the whole cluster and
/// every member lists all of them, so the node that was asked says nothing about which member is
/// ill.
struct RaisedAlarm {
  EtcdAlarm alarm;
  std::string hostname;  // of the member; empty: etcd does not say which member it is
};

/// The alarms that a control plane lists, by its own member list; also those that only its status
/// repeats.
std::vector<RaisedAlarm> raised_alarms(const EtcdView& etcd);

/// "CORRUPT of cp3 (member 00000000000000c3)".
std::string to_text(const RaisedAlarm& alarm);

/// What the operator can do about the alarm. A member is given up only if etcd names it and the
/// others are a healthy majority without it.
std::string alarm_advice(const ClusterProfile& profile, const EtcdView& etcd,
                         const RaisedAlarm& alarm);

/// Whether a member list belongs to the profile's cluster: it has a control plane of the profile.
bool has_member_of(const ClusterProfile& profile, const std::vector<EtcdMember>& members);

/// The members that are no control plane of the profile.
std::vector<EtcdMember> unknown_members(const ClusterProfile& profile,
                                        const std::vector<EtcdMember>& members);

/// What the operator can do about such a member of the profile's own etcd.
std::string unknown_member_advice(const ClusterProfile& profile,
                                  const std::vector<EtcdMember>& members,
                                  const EtcdMember& unknown);

}  // namespace ichor
