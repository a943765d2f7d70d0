#include <algorithm>

#include "model/journal_facts.h"
#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

std::string text_of(const ConfigSet& configs, const Node& node) {
  return std::string(configs.nodes.at(node.spec().name).bytes.reveal());
}

/// Another client gives a node in maintenance mode a config before ichor does: ours, or one of
/// another cluster.
class ConfiguredBefore final : public Fault {
 public:
  ConfiguredBefore(SeededRandom random, ConfigSet ClusterFixture::*whose)
      : Fault(random), whose_(whose) {}

  void arm(SimWorld& world) override {
    // A control plane shows whose it is by itself; a worker waits for a control plane to do so.
    const auto count = static_cast<std::uint64_t>(world.plan().shape.control_planes);
    node_ = world.nodes()[random().below(count)].get();
  }

  /// In the moment in which ichor sends its own: before ichor has seen the machine, it would take
  /// it for older than its journal (L6).
  void on_passage(SimWorld& world, Passage& passage) override {
    const bool due = passage.call == Call::apply_configuration && passage.node == node_;
    if (!due || planned_ || world.quiet()) return;
    planned_ = true;
    world.clock().call_at(world.clock().now(), [this, &world] {
      if (node_->listener() != Listener::maintenance) return;
      const std::string config = text_of(world.fixture().*whose_, *node_);
      if (!node_->apply({}, config, Node::ApplyMode::automatic, false)) return;
      given_ = config;
      world.note_outside_act(*node_, Call::apply_configuration);
    });
  }

  /// A power cut during the install takes the config away again, so it counts once it is on disk.
  void on_node_changed(SimWorld&, Node& node) override {
    if (&node != node_ || fired() > 0 || given_.empty()) return;
    if (node.disk().config == given_) fire();
  }

 private:
  ConfigSet ClusterFixture::*whose_;
  Node* node_{nullptr};
  std::string given_;
  bool planned_{false};
};

/// Another client does something to a running node, at some moment.
class ByHand : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    Node* node = world.nodes()[random().below(world.nodes().size())].get();
    for (int i = 0; i < 3; ++i) {
      const MonoTime at(random().between(Duration{}, world.plan().fault_phase));
      world.clock().call_at(at, [this, &world, node] {
        const bool due = fired() == 0 && !world.quiet() && node->stage() == Stage::running;
        if (due) act(world, *node);
      });
    }
  }

 protected:
  virtual void act(SimWorld& world, Node& node) = 0;
};

class ConfigChanged final : public ByHand {
 public:
  using ByHand::ByHand;

 private:
  void act(SimWorld& world, Node& node) override {
    const std::string config = text_of(world.fixture().changed, node);
    if (!node.apply(world.outsider(node), config, Node::ApplyMode::automatic, false)) return;
    fire();
    world.note_outside_act(node, Call::apply_configuration);
  }
};

/// The journal knows the node as installed; its return to maintenance mode is nothing that ichor
/// may take for a fresh machine.
class ResetByHand final : public ByHand {
 public:
  using ByHand::ByHand;

 private:
  void act(SimWorld& world, Node& node) override {
    const auto& records = world.store().records();
    const bool settled = std::any_of(records.begin(), records.end(), [&](const auto& record) {
      return record.kind == RecordKind::observed && record.key == kSettledKey &&
             record.node == node.spec().name;
    });
    // A container keeps its disk, so a reset of it is a restart.
    if (!settled || node.spec().platform == Platform::container) return;
    if (!node.reset(world.outsider(node), ResetRequest{})) return;
    fire();
    world.note_outside_act(node, Call::reset);
  }
};

/// The operator runs `talosctl bootstrap` by hand: on the node that ichor would have chosen, which
/// is a help, or on another one right after ichor did, which makes two clusters.
class BootstrapByHand final : public Fault {
 public:
  using Fault::Fault;
  void on_node_changed(SimWorld& world, Node& node) override {
    const bool first = &node == world.nodes().front().get();
    if (planned_ || world.quiet() || !first || node.stage() != Stage::booting) return;
    if (node.listener() != Listener::apid || !random().chance(0.3)) return;
    planned_ = true;
    const Duration delay = random().between(std::chrono::seconds(1), std::chrono::seconds(20));
    world.clock().call_at(later(world.clock().now(), delay), [this, &world, &node] {
      if (world.quiet() || !node.bootstrap(world.outsider(node))) return;
      fire();
      world.note_outside_act(node, Call::bootstrap);
    });
  }

 private:
  bool planned_{false};
};

class SplitBrain final : public Fault {
 public:
  using Fault::Fault;
  void on_passage(SimWorld& world, Passage& passage) override {
    if (passage.call != Call::bootstrap || world.plan().shape.control_planes < 2) return;
    if (std::exchange(planned_, true) || world.quiet()) return;
    const auto count = static_cast<std::size_t>(world.plan().shape.control_planes);
    Node& other = *world.nodes()[count - 1];
    world.clock().call_at(later(world.clock().now(), std::chrono::milliseconds(500)),
                          [&world, &other] {
                            if (world.quiet() || !other.bootstrap(world.outsider(other))) return;
                            world.note_outside_act(other, Call::bootstrap);
                          });
  }
  void on_node_changed(SimWorld& world, Node&) override {
    if (fired() > 0 || !planned_) return;
    std::optional<std::uint64_t> seen;
    for (const auto& node : world.nodes()) {
      const std::optional<std::uint64_t>& cluster = node->disk().etcd_cluster;
      if (!cluster) continue;
      if (seen && *seen != *cluster) fire();
      seen = cluster;
    }
  }

 private:
  bool planned_{false};
};

/// The addresses of two nodes are mixed up in the profile.
class AddressesSwapped final : public Fault {
 public:
  using Fault::Fault;
  void prepare(SimWorld& world, std::vector<NodeSpec>& hardware) override {
    const auto count = static_cast<std::uint64_t>(world.plan().shape.control_planes);
    if (hardware.size() < 2) return;
    // Machines that are looked for are found wherever they are.
    if (world.plan().addresses_unknown) return;
    const std::uint64_t one = random().below(count);
    std::uint64_t other = random().below(hardware.size() - 1);
    if (other >= one) ++other;
    std::swap(hardware[one].dhcp_address, hardware[other].dhcp_address);
    fire();
  }
};

/// `gen secrets` was run again between two runs.
class SecretsRegenerated final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    const MonoTime at(random().between(std::chrono::seconds(5), world.plan().fault_phase));
    world.clock().call_at(at, [this, &world] {
      if (world.quiet()) return;
      wanted_ = true;
      world.interrupt_running();
    });
  }
  void before_run(SimWorld& world) override {
    if (!wanted_ || fired() > 0 || world.quiet()) return;
    const auto& records = world.store().records();
    const bool fixed = std::any_of(records.begin(), records.end(), [](const auto& record) {
      return record.kind == RecordKind::secrets_fixed;
    });
    if (!fixed) return;
    fire();
    world.configs() = world.fixture().regenerated;
  }

 private:
  bool wanted_{false};
};

}  // namespace

std::unique_ptr<Fault> make_configured_before(SeededRandom random) {
  return std::make_unique<ConfiguredBefore>(random, &ClusterFixture::configs);
}
std::unique_ptr<Fault> make_taken_by_others(SeededRandom random) {
  return std::make_unique<ConfiguredBefore>(random, &ClusterFixture::foreign);
}
std::unique_ptr<Fault> make_config_changed(SeededRandom random) {
  return std::make_unique<ConfigChanged>(random);
}
std::unique_ptr<Fault> make_reset_by_hand(SeededRandom random) {
  return std::make_unique<ResetByHand>(random);
}
std::unique_ptr<Fault> make_bootstrap_by_hand(SeededRandom random) {
  return std::make_unique<BootstrapByHand>(random);
}
std::unique_ptr<Fault> make_split_brain(SeededRandom random) {
  return std::make_unique<SplitBrain>(random);
}
std::unique_ptr<Fault> make_addresses_swapped(SeededRandom random) {
  return std::make_unique<AddressesSwapped>(random);
}
std::unique_ptr<Fault> make_secrets_regenerated(SeededRandom random) {
  return std::make_unique<SecretsRegenerated>(random);
}

}  // namespace ichor::sim
