#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "phase/phase.h"
#include "phase/test_words.h"
#include "phase/upgrade_plan.h"
#include "secrets/digest.h"

namespace ichor {

/// Three control planes and two workers that run 1.12.6 and are to run another version.
class UpgradeRig : public testing::Test {
 protected:
  UpgradeRig() {
    profile_.name = "infra";
    profile_.talos.kubernetes_version = "1.35.2";
    plan_.target = {1, 12, 7};
    plan_.target_given = true;
    std::vector<EtcdMember> members;
    for (const char* name : {"cp1", "cp2", "cp3"}) {
      members.push_back({EtcdMemberId(members.size() + 1), name, false});
    }
    for (const std::string name : {"cp1", "cp2", "cp3", "w1", "w2"}) add(name, members);
  }

  void add(const std::string& name, const std::vector<EtcdMember>& members) {
    NodePlan plan;
    plan.name = NodeName(name);
    plan.role = name[0] == 'c' ? Role::control_plane : Role::worker;
    plan.address = IpAddress("192.0.2." + std::to_string(profile_.nodes.size() + 1));
    profile_.nodes.push_back(plan);
    plan_.nodes.insert(plan.name);
    NodeView node;
    node.node = plan.name;
    node.at = now_;
    node.presence = Presence::configured;
    node.identity =
        Identity{MachineUuid("uuid-" + name), {}, {MacAddress(name)}, BootId("boot-" + name)};
    node.status = MachineStatus{Stage::running, true, {}};
    node.version = TalosVersion{1, 12, 6};
    node.upgrade.emplace();
    node.kube.emplace();
    node.kube->uid = "node-" + name;
    node.kube->ready = true;
    if (plan.role == Role::control_plane) {
      node.etcd.service_healthy = true;
      node.etcd.service_state = "Running";
      node.etcd.members = members;
      node.etcd.status = EtcdStatus{};
      node.etcd.status->member = members[view_.nodes.size()].id;
      node.etcd.status->leader = EtcdMemberId(1);
      node.etcd.alarms.emplace();
    }
    view_.nodes.push_back(node);
    JournalRecord bound;
    bound.kind = RecordKind::identity_bound;
    bound.node = plan.name;
    bound.value = encode_identity(*node.identity, {});
    facts_.fold(bound, now_);
  }

  void leave_out(const std::string& name) {
    std::erase_if(profile_.nodes, [&](const NodePlan& plan) { return plan.name.value() == name; });
    std::erase_if(view_.nodes, [&](const NodeView& one) { return one.node.value() == name; });
    plan_.nodes.erase(NodeName(name));
    for (NodeView& one : view_.nodes) {
      if (!one.etcd.members) continue;
      std::erase_if(*one.etcd.members,
                    [&](const EtcdMember& member) { return member.hostname == name; });
    }
  }

  Wanted wanted() const { return {profile_, configs_, facts_, now_}; }

  NodeView& node(const std::string& name) {
    return *std::find_if(view_.nodes.begin(), view_.nodes.end(),
                         [&](const NodeView& one) { return one.node.value() == name; });
  }
  const NodePlan& plan_of(const std::string& name) const { return *profile_.find(NodeName(name)); }

  ClusterView control_planes() const {
    ClusterView seen = view_;
    std::erase_if(seen.nodes, [](const NodeView& one) { return one.node.value()[0] == 'w'; });
    return seen;
  }

  std::string image() const { return "ghcr.io/siderolabs/installer:" + to_text(plan_.target); }

  /// What a run's journal would say of a call that it made in the node's boot of now.
  void sent(Call call, const std::string& name, OutcomeKind outcome, Duration ago = {}) {
    JournalRecord record;
    record.kind = RecordKind::intent;
    record.call = call;
    record.node = NodeName(name);
    record.seq = ++records_;
    record.key = node(name).identity->boot_id.value();
    record.value = to_hex(pki::sha256(image()));
    facts_.fold(record, now_ - ago);
    record.kind = RecordKind::outcome;
    record.ref = record.seq;
    record.seq = ++records_;
    record.outcome = outcome;
    facts_.fold(record, now_ - ago);
  }
  /// An intent whose end no run has heard of.
  void started(Call call, const std::string& name) { sent(call, name, OutcomeKind::unknown); }

  void boots(const std::string& name, TalosVersion version) {
    node(name).identity->boot_id = BootId("next boot of " + name);
    node(name).version = version;
  }

  MonoTime now_{MonoTime{} + std::chrono::minutes(60)};
  ClusterProfile profile_;
  ConfigSet configs_;
  JournalFacts facts_;
  ClusterView view_;
  UpgradePlan plan_;
  std::uint64_t records_{0};
};

}  // namespace ichor
