#include "sim/faults/catalogue.h"
#include "sim/faults/windows.h"

namespace ichor::sim {

namespace {

/// apid restarts or a firewall rejects: connecting fails at once.
class ConnectionRefused final : public WindowFault {
 public:
  using WindowFault::WindowFault;
  void on_passage(SimWorld& world, Passage& passage) override {
    if (passage.call != Call::open || !active(passage.node, world.clock().now())) return;
    passage.refuse = true;
    fire();
  }
};

}  // namespace

std::unique_ptr<Fault> make_connection_refused(SeededRandom random) {
  return std::make_unique<ConnectionRefused>(random);
}

}  // namespace ichor::sim
