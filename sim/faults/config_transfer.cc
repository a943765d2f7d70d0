#include "sim/faults/catalogue.h"
#include "sim/faults/windows.h"

namespace ichor::sim {

namespace {

/// Small packets pass and large ones do not: only ApplyConfiguration, which carries a config, never
/// arrives.
class MtuBlackhole final : public WindowFault {
 public:
  using WindowFault::WindowFault;
  void on_passage(SimWorld& world, Passage& passage) override {
    if (passage.call != Call::apply_configuration) return;
    if (!active(passage.node, world.clock().now())) return;
    passage.lose_request = true;
    fire();
  }

 protected:
  Duration longest() const override { return std::chrono::minutes(5); }
};

/// A node takes its config and is at another address before it has answered.
class MovedWithoutReply final : public Fault {
 public:
  using Fault::Fault;
  void on_passage(SimWorld&, Passage& passage) override {
    if (passage.call != Call::apply_configuration || !passage.maintenance) return;
    passage.lose_reply = true;
    fire();
  }
};

}  // namespace

std::unique_ptr<Fault> make_mtu_blackhole(SeededRandom random) {
  return std::make_unique<MtuBlackhole>(random);
}
std::unique_ptr<Fault> make_moved_without_reply(SeededRandom random) {
  return std::make_unique<MovedWithoutReply>(random);
}

}  // namespace ichor::sim
