#pragma once

#include <vector>

#include "sim/faults/fault.h"
#include "sim/world.h"

namespace ichor::sim {

/// A fault that lasts for a while on one node at a time, a few times during the fault phase.
class WindowFault : public Fault {
 public:
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
  virtual Duration longest() const { return std::chrono::seconds(150); }
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

}  // namespace ichor::sim
