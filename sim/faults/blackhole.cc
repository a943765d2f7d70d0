#include "sim/faults/catalogue.h"
#include "sim/faults/windows.h"

namespace ichor::sim {

namespace {

/// Packets to the node vanish: everything runs into its deadline.
class Blackhole final : public WindowFault {
 public:
  using WindowFault::WindowFault;
  void on_passage(SimWorld& world, Passage& passage) override {
    if (!active(passage.node, world.clock().now())) return;
    passage.lose_request = true;
    fire();
  }
};

}  // namespace

std::unique_ptr<Fault> make_blackhole(SeededRandom random) {
  return std::make_unique<Blackhole>(random);
}

}  // namespace ichor::sim
