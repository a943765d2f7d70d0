#include "sim/faults/catalogue.h"
#include "sim/faults/windows.h"

namespace ichor::sim {

namespace {

/// Seconds of latency each way, sometimes longer than a call may take.
class SlowNetwork final : public WindowFault {
 public:
  using WindowFault::WindowFault;
  void on_passage(SimWorld& world, Passage& passage) override {
    if (!active(passage.node, world.clock().now())) return;
    passage.delay += random().between(std::chrono::milliseconds(200), std::chrono::seconds(6));
    fire();
  }
};

}  // namespace

std::unique_ptr<Fault> make_slow_network(SeededRandom random) {
  return std::make_unique<SlowNetwork>(random);
}

}  // namespace ichor::sim
