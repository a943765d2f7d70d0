#include "sim/faults/catalogue.h"
#include "sim/faults/windows.h"

namespace ichor::sim {

namespace {

/// Packets to a node are lost, reordered and doubled. TCP repairs that and takes its time: each
/// loss costs one more retransmission, and those double.
class PacketLoss final : public WindowFault {
 public:
  using WindowFault::WindowFault;
  void on_passage(SimWorld& world, Passage& passage) override {
    if (!active(passage.node, world.clock().now())) return;
    Duration wait = std::chrono::milliseconds(200);
    while (random().chance(0.3) && wait < std::chrono::seconds(7)) {
      passage.delay += wait;
      wait *= 2;
      fire();
    }
  }
};

}  // namespace

std::unique_ptr<Fault> make_packet_loss(SeededRandom random) {
  return std::make_unique<PacketLoss>(random);
}

}  // namespace ichor::sim
