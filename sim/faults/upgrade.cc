#include "sim/faults/catalogue.h"
#include "sim/faults/windows.h"
#include "sim/kube/kubernetes.h"

namespace ichor::sim {

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// How long something may be wrong with an image.
constexpr Duration kImageWindow = minutes(10);

/// A budget that wants all pods of a workload.
class DrainBlocked final : public WindowFault {
 public:
  using WindowFault::WindowFault;
  void quiet(SimWorld& world) override { release(world); }

 protected:
  Duration longest() const override { return minutes(15); }
  void schedule(SimWorld& world, const Window& window) override {
    world.clock().call_at(window.begin, [this, &world] {
      if (world.quiet() || !world.kube()) return;
      fire();
      KubeObject budget{{"apiVersion", "policy/v1"}, {"kind", "PodDisruptionBudget"}};
      budget["metadata"] = {{"name", "all-of-them"}, {"namespace", kWorkloadSpace}};
      budget["spec"] = {{"maxUnavailable", 0},
                        {"selector", {{"matchLabels", {{"app", kWorkload}}}}}};
      world.kube()->api().put(std::move(budget), "operator");
    });
    world.clock().call_at(window.end, [this, &world] { release(world); });
  }

 private:
  static void release(SimWorld& world) {
    if (!world.kube()) return;
    world.kube()->api().erase(
        {{"policy", "v1", "PodDisruptionBudget"}, kWorkloadSpace, "all-of-them"});
  }
};

/// The node has the new image in its other slot when the power goes.
class PowerBeforeBoot final : public Fault {
 public:
  using Fault::Fault;
  void on_node_changed(SimWorld& world, Node& node) override {
    const bool armed = node.powered() && node.disk().boots_other && node.disk().upgrade_mark;
    if (!armed || world.quiet() || planned_ || !random().chance(0.4)) return;
    planned_ = true;
    const Duration delay = random().between(Duration{}, seconds(20));
    world.clock().call_at(later(world.clock().now(), delay), [this, &world, &node] {
      if (world.quiet() || !node.powered()) return;
      fire();
      node.power_off();
      world.clock().call_at(later(world.clock().now(), seconds(10)), [&node] { node.power_on(); });
    });
  }

 private:
  bool planned_{false};
};

/// A control plane loses power for minutes while others are being upgraded.
class MemberLost final : public Fault {
 public:
  using Fault::Fault;
  void on_node_changed(SimWorld& world, Node& node) override {
    const bool upgrading = world.upgrade() && node.facts() &&
                           node.facts()->role == Role::control_plane && node.disk().upgrade_mark;
    if (!upgrading || planned_ || world.quiet()) return;
    planned_ = true;
    const Duration delay = random().between(Duration{}, seconds(90));
    const Duration away = random().between(minutes(2), minutes(6));
    world.clock().call_at(later(world.clock().now(), delay), [this, &world, &node, away] {
      Node* other = another_member(world, node);
      if (world.quiet() || !other) return;
      fire();
      other->power_off();
      world.clock().call_at(later(world.clock().now(), away), [other] { other->power_on(); });
    });
  }

 private:
  static Node* another_member(SimWorld& world, const Node& node) {
    for (const auto& other : world.nodes()) {
      const bool member = other->powered() && other->facts() &&
                          other->facts()->role == Role::control_plane && other.get() != &node;
      if (member) return other.get();
    }
    return nullptr;
  }

  bool planned_{false};
};

class InstallStreamBroken final : public Fault {
 public:
  using Fault::Fault;
  void on_passage(SimWorld& world, Passage& passage) override {
    if (passage.call != Call::upgrade || world.quiet() || !random().chance(0.03)) return;
    fire();
    passage.break_after = true;
  }
};

}  // namespace

std::unique_ptr<Fault> make_image_missing(SeededRandom random) {
  return std::make_unique<SwitchFault>(
      random, [](Node& node, bool on) { node.miss_image(on); }, kImageWindow);
}
std::unique_ptr<Fault> make_image_broken(SeededRandom random) {
  return std::make_unique<SwitchFault>(
      random, [](Node& node, bool on) { node.break_image(on); }, kImageWindow);
}
std::unique_ptr<Fault> make_installer_fails(SeededRandom random) {
  return std::make_unique<SwitchFault>(
      random, [](Node& node, bool on) { node.fail_installer(on); }, kImageWindow);
}
std::unique_ptr<Fault> make_drain_blocked(SeededRandom random) {
  return std::make_unique<DrainBlocked>(random);
}
std::unique_ptr<Fault> make_power_before_boot(SeededRandom random) {
  return std::make_unique<PowerBeforeBoot>(random);
}
std::unique_ptr<Fault> make_member_lost(SeededRandom random) {
  return std::make_unique<MemberLost>(random);
}
std::unique_ptr<Fault> make_install_stream_broken(SeededRandom random) {
  return std::make_unique<InstallStreamBroken>(random);
}

}  // namespace ichor::sim
