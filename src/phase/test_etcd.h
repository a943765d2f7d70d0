#pragma once

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "phase/phase.h"
#include "phase/test_words.h"

namespace ichor {

/// Three control planes, healthy voters of one etcd that cp1 leads. Tests break one thing.
class ThreeMembers : public testing::Test {
 protected:
  ThreeMembers() {
    std::vector<EtcdMember> members;
    for (std::uint64_t i = 1; i <= 3; ++i) {
      NodePlan plan;
      plan.name = NodeName("cp" + std::to_string(i));
      plan.role = Role::control_plane;
      plan.address = IpAddress("192.0.2." + std::to_string(i));
      profile_.nodes.push_back(plan);
      members.push_back({EtcdMemberId(i), plan.name.value(), false});
    }
    for (std::uint64_t i = 1; i <= 3; ++i) {
      const NodePlan& plan = profile_.nodes[i - 1];
      NodeView node;
      node.node = plan.name;
      node.at = now_;
      node.address = plan.address;
      node.presence = Presence::configured;
      node.identity = Identity{MachineUuid("uuid-" + plan.name.value()), {}, {}, BootId("boot")};
      node.status = MachineStatus{Stage::running, true, {}};
      node.etcd.has_data = Known::yes;
      node.etcd.service_state = "Running";
      node.etcd.service_healthy = true;
      node.etcd.members = members;
      node.etcd.status = EtcdStatus{EtcdMemberId(i), EtcdMemberId(1), 9000, 9000, false, {}};
      node.etcd.status->db_bytes = 50u << 20;
      node.etcd.status->db_bytes_in_use = 20u << 20;
      node.etcd.alarms.emplace();
      view_.nodes.push_back(node);
    }
  }
  EtcdStatus& status(std::size_t index) { return *view_.nodes[index].etcd.status; }

  /// What the journal knows of a call that was sent: an intent, and its outcome.
  void sent(Call call, const char* node, OutcomeKind outcome, Duration ago = {},
            Digest payload = {}) {
    JournalRecord record;
    record.kind = RecordKind::intent;
    record.call = call;
    record.node = NodeName(node);
    record.key = "boot";
    record.value = payload.empty() ? "" : to_hex(payload);
    record.seq = ++seq_;
    facts_.fold(record, now_ - ago);
    record.kind = RecordKind::outcome;
    record.ref = seq_;
    record.seq = ++seq_;
    record.outcome = outcome;
    facts_.fold(record, now_ - ago);
  }
  Wanted wanted() const { return {profile_, configs_, facts_, now_}; }

  /// "act EtcdDefragment cp1", "wait …", "stop O6", "remember cp1" or "satisfied".
  static std::string reported(const Decision& decision) {
    return (std::holds_alternative<Act>(decision) ? "act " : "") + words_of(decision);
  }

  MonoTime now_{MonoTime{} + std::chrono::minutes(60)};
  ClusterProfile profile_;
  ConfigSet configs_;
  JournalFacts facts_;
  ClusterView view_;

 private:
  std::uint64_t seq_{0};
};

}  // namespace ichor
