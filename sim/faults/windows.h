#pragma once

#include <vector>

#include "sim/faults/fault.h"
#include "sim/world.h"

namespace ichor::sim {

/// A fault that lasts for a while on one node at a time, a few times during the fault phase.
class WindowFault : public Fault {
 public:
  static constexpr Duration kLongest = std::chrono::seconds(150);

  using Fault::Fault;

  void arm(SimWorld& world) override {
    const std::uint64_t count = random().between(std::uint64_t{1}, 4);
    for (std::uint64_t i = 0; i < count; ++i) {
      Window window;
      window.node = world.nodes()[random().below(world.nodes().size())].get();
      window.begin = MonoTime(random().between(Duration{}, world.plan().fault_phase));
      window.end = window.begin + random().between(shortest(), longest());
      windows_.push_back(window);
      schedule(world, window);
    }
  }

 protected:
  struct Window {
    Node* node{nullptr};
    MonoTime begin{};
    MonoTime end{};
  };

  virtual Duration shortest() const { return std::chrono::seconds(2); }
  virtual Duration longest() const { return kLongest; }
  /// For faults that do something at the edges of a window.
  virtual void schedule(SimWorld& /*world*/, const Window& /*window*/) {}

  bool active(const Node* node, MonoTime now) const {
    for (const Window& window : windows_) {
      if (window.node == node && now >= window.begin && now < window.end) return true;
    }
    return false;
  }

 private:
  std::vector<Window> windows_;
};

/// Something about a machine is wrong from the beginning of a window to its end.
class SwitchFault final : public WindowFault {
 public:
  using Switch = void (*)(Node& node, bool on);
  SwitchFault(SeededRandom random, Switch set, Duration longest = kLongest)
      : WindowFault(random), set_(set), longest_(longest) {}

  void quiet(SimWorld& world) override {
    for (const auto& node : world.nodes()) set_(*node, false);
  }

 protected:
  Duration longest() const override { return longest_; }
  void schedule(SimWorld& world, const Window& window) override {
    Node* node = window.node;
    world.clock().call_at(window.begin, [this, &world, node] {
      if (world.quiet()) return;
      fire();
      set_(*node, true);
    });
    world.clock().call_at(window.end, [this, node] { set_(*node, false); });
  }

 private:
  Switch set_;
  Duration longest_;
};

}  // namespace ichor::sim
