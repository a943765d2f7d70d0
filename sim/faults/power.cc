#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

/// When a node enters `stage`, the power fails a moment later: for an instant (the machine reboots)
/// or for a while (it is gone). Once per seed, on the first node that gets there.
class PowerFault final : public Fault {
 public:
  PowerFault(SeededRandom random, Stage stage, bool stays_down)
      : Fault(random), stage_(stage), stays_down_(stays_down) {}

  void on_node_changed(SimWorld& world, Node& node) override {
    if (planned_ || world.quiet() || !random().chance(0.5)) return;
    if (!node.powered() || node.stage() != stage_) return;
    planned_ = true;
    const MonoTime now = world.clock().now();
    const MonoTime fails = later(now, random().between(Duration{}, std::chrono::seconds(20)));
    const Duration down = random().between(std::chrono::seconds(5), std::chrono::seconds(200));
    world.clock().call_at(fails, [this, &world, &node, down] { cut(world, node, down); });
  }

 private:
  void cut(SimWorld& world, Node& node, Duration down) {
    if (world.quiet() || !node.powered()) return;
    fire();
    if (!stays_down_) {
      node.power_cycle();
      return;
    }
    node.power_off();
    world.clock().call_at(later(world.clock().now(), down), [&node] {
      if (!node.powered()) node.power_on();
    });
  }

  Stage stage_;
  bool stays_down_;
  bool planned_{false};
};

template <Stage stage, bool stays_down>
std::unique_ptr<Fault> make_power(SeededRandom random) {
  return std::make_unique<PowerFault>(random, stage, stays_down);
}

/// A node that boots reboots again and again, up to five times.
class RebootLoop final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    node_ = world.nodes()[random().below(world.nodes().size())].get();
    left_ = random().between(std::uint64_t{3}, 5);
  }
  void on_node_changed(SimWorld& world, Node& node) override {
    if (&node != node_ || waiting_ || left_ == 0 || world.quiet()) return;
    if (!node.powered() || node.stage() != Stage::booting) return;
    waiting_ = true;
    const Duration delay = random().between(std::chrono::seconds(5), std::chrono::seconds(40));
    world.clock().call_at(later(world.clock().now(), delay), [this, &world] {
      waiting_ = false;
      if (world.quiet() || !node_->powered()) return;
      --left_;
      fire();
      node_->power_cycle();
    });
  }

 private:
  Node* node_{nullptr};
  std::uint64_t left_{0};
  bool waiting_{false};
};

/// The bootstrap target loses power while the request to bootstrap is only in its memory.
class RebootAfterBootstrap final : public Fault {
 public:
  using Fault::Fault;
  void on_passage(SimWorld& world, Passage& passage) override {
    if (passage.call != Call::bootstrap || done_ || !passage.node) return;
    done_ = true;
    const Duration delay = random().between(std::chrono::milliseconds(20), std::chrono::seconds(4));
    Node& node = *passage.node;
    world.clock().call_at(later(world.clock().now(), delay), [this, &world, &node] {
      if (world.quiet() || !node.powered()) return;
      fire();
      node.power_cycle();
    });
  }

 private:
  bool done_{false};
};

}  // namespace

std::unique_ptr<Fault> make_reboot_in_maintenance(SeededRandom random) {
  return make_power<Stage::maintenance, false>(random);
}
std::unique_ptr<Fault> make_reboot_in_installing(SeededRandom random) {
  return make_power<Stage::installing, false>(random);
}
std::unique_ptr<Fault> make_reboot_in_booting(SeededRandom random) {
  return make_power<Stage::booting, false>(random);
}
std::unique_ptr<Fault> make_reboot_in_running(SeededRandom random) {
  return make_power<Stage::running, false>(random);
}
std::unique_ptr<Fault> make_crash_in_maintenance(SeededRandom random) {
  return make_power<Stage::maintenance, true>(random);
}
std::unique_ptr<Fault> make_crash_in_installing(SeededRandom random) {
  return make_power<Stage::installing, true>(random);
}
std::unique_ptr<Fault> make_crash_in_booting(SeededRandom random) {
  return make_power<Stage::booting, true>(random);
}
std::unique_ptr<Fault> make_crash_in_running(SeededRandom random) {
  return make_power<Stage::running, true>(random);
}
std::unique_ptr<Fault> make_reboot_loop(SeededRandom random) {
  return std::make_unique<RebootLoop>(random);
}
std::unique_ptr<Fault> make_reboot_after_bootstrap(SeededRandom random) {
  return std::make_unique<RebootAfterBootstrap>(random);
}

}  // namespace ichor::sim
