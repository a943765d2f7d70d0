#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

/// All connections to a node break at some moments: with a reset, or as a NAT box forgets them,
/// without a word.
class BrokenConnections final : public Fault {
 public:
  BrokenConnections(SeededRandom random, bool silently) : Fault(random), silently_(silently) {}

  void arm(SimWorld& world) override {
    const std::uint64_t count = random().between(std::uint64_t{2}, 10);
    for (std::uint64_t i = 0; i < count; ++i) {
      Node* node = world.nodes()[random().below(world.nodes().size())].get();
      const MonoTime at(random().between(Duration{}, world.plan().fault_phase));
      world.clock().call_at(at, [this, &world, node] {
        if (world.quiet()) return;
        fire();
        world.break_connections(*node, silently_);
      });
    }
  }

  /// Long answers are cut in the middle more often than short ones.
  void on_passage(SimWorld&, Passage& passage) override {
    const bool is_long = passage.call == Call::kubeconfig || passage.call == Call::watch;
    if (silently_ || !is_long || !random().chance(0.3)) return;
    passage.break_after = true;
    fire();
  }

 private:
  bool silently_;
};

}  // namespace

std::unique_ptr<Fault> make_reset_mid_stream(SeededRandom random) {
  return std::make_unique<BrokenConnections>(random, false);
}
std::unique_ptr<Fault> make_half_open(SeededRandom random) {
  return std::make_unique<BrokenConnections>(random, true);
}

}  // namespace ichor::sim
