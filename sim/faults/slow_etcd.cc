#include <algorithm>

#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

const Caller kAdmin{.anonymous = false, .admin = true, .reader = true};

/// A part of etcd's start takes minutes on every control plane.
class SlowEtcd final : public Fault {
 public:
  using Part = Duration Durations::*;
  SlowEtcd(SeededRandom random, Part part) : Fault(random), part_(part) {}
  void prepare(SimWorld&, std::vector<NodeSpec>& hardware) override {
    for (NodeSpec& spec : hardware) {
      spec.durations.*part_ = random().between(std::chrono::seconds(30), std::chrono::minutes(3));
    }
    fire();
  }

 private:
  Part part_;
};

/// What the node's etcd says of its cluster; empty where it has none.
std::vector<EtcdMember> members_of(const Node& node) {
  if (!node.disk().etcd_cluster) return {};
  auto members = node.etcd_members(kAdmin);
  return members ? *std::move(members) : std::vector<EtcdMember>();
}

/// One of two voters goes down while the third has not joined: etcd stands still.
class QuorumLost final : public Fault {
 public:
  using Fault::Fault;
  void on_node_changed(SimWorld& world, Node& node) override {
    if (planned_ || world.quiet()) return;
    const std::vector<EtcdMember> members = members_of(node);
    const auto voters = std::count_if(members.begin(), members.end(),
                                      [](const EtcdMember& member) { return !member.is_learner; });
    if (voters != 2) return;
    planned_ = true;
    const Duration down = random().between(std::chrono::seconds(30), std::chrono::minutes(4));
    world.clock().call_at(later(world.clock().now(), std::chrono::seconds(1)),
                          [this, &world, &node, down] {
                            if (world.quiet() || !node.powered()) return;
                            fire();
                            node.power_off();
                            world.clock().call_at(later(world.clock().now(), down), [&node] {
                              if (!node.powered()) node.power_on();
                            });
                          });
  }

 private:
  bool planned_{false};
};

/// A learner restarts and forgets that it wants a vote. etcd does not promote it any more, and as
/// long as it is there no other control plane can join.
class LearnerForgets final : public Fault {
 public:
  using Fault::Fault;
  void prepare(SimWorld&, std::vector<NodeSpec>& hardware) override {
    for (NodeSpec& spec : hardware) spec.learner_forgets_on_restart = true;
  }
  void on_node_changed(SimWorld& world, Node& node) override {
    if (planned_ || world.quiet() || !is_learner(node)) return;
    planned_ = true;
    world.clock().call_at(later(world.clock().now(), std::chrono::seconds(2)),
                          [this, &world, &node] {
                            planned_ = !world.quiet() && is_learner(node);
                            if (!planned_) return;
                            fire();
                            node.power_cycle();
                          });
  }

 private:
  static bool is_learner(const Node& node) {
    const std::vector<EtcdMember> members = members_of(node);
    return std::any_of(members.begin(), members.end(), [&](const EtcdMember& member) {
      return member.is_learner && member.id == node.disk().etcd_member;
    });
  }
  bool planned_{false};
};

/// etcd's disk fills up or lies: an alarm that only a person clears.
class Alarm final : public Fault {
 public:
  using Fault::Fault;
  void on_node_changed(SimWorld& world, Node& node) override {
    if (fired() > 0 || world.quiet() || members_of(node).empty()) return;
    if (!random().chance(0.2)) return;
    const bool full = random().chance(0.5);
    Node* const at = &node;
    world.clock().call_at(
        later(world.clock().now(), std::chrono::seconds(1)), [this, &world, at, full] {
          // An etcd that does not run raises nothing.
          if (fired() > 0 || world.quiet() || !at->etcd_alarms(kAdmin)) return;
          at->raise_alarm(full ? EtcdAlarmKind::no_space : EtcdAlarmKind::corrupt);
          const auto alarms = at->etcd_alarms(kAdmin);
          if (alarms && !alarms->empty()) fire();
        });
  }
};

/// The disk of a control plane that has joined takes no more writes.
class DiskDies final : public Fault {
 public:
  using Fault::Fault;
  void on_node_changed(SimWorld& world, Node& node) override {
    if (planned_ || world.quiet() || members_of(node).empty() || !random().chance(0.2)) return;
    // A container's disk is its host's.
    if (node.spec().platform == Platform::container) return;
    planned_ = true;
    world.clock().call_at(later(world.clock().now(), std::chrono::seconds(1)),
                          [this, &world, &node] {
                            planned_ = !world.quiet() && !members_of(node).empty();
                            if (!planned_) return;
                            fire();
                            node.kill_disk();
                          });
  }

 private:
  bool planned_{false};
};

}  // namespace

std::unique_ptr<Fault> make_etcd_prepares_long(SeededRandom random) {
  return std::make_unique<SlowEtcd>(random, &Durations::etcd_prepare);
}
std::unique_ptr<Fault> make_slow_catch_up(SeededRandom random) {
  return std::make_unique<SlowEtcd>(random, &Durations::etcd_catch_up);
}
std::unique_ptr<Fault> make_quorum_lost(SeededRandom random) {
  return std::make_unique<QuorumLost>(random);
}
std::unique_ptr<Fault> make_learner_forgets(SeededRandom random) {
  return std::make_unique<LearnerForgets>(random);
}
std::unique_ptr<Fault> make_alarm(SeededRandom random) { return std::make_unique<Alarm>(random); }
std::unique_ptr<Fault> make_disk_dies(SeededRandom random) {
  return std::make_unique<DiskDies>(random);
}

}  // namespace ichor::sim
