#include "sim/faults/catalogue.h"
#include "sim/faults/windows.h"

namespace ichor::sim {

namespace {

/// Talos makes a new maintenance key when its clock is set: the pin changes within one boot.
class NewKeyOnTimeSync final : public Fault {
 public:
  using Fault::Fault;
  void prepare(SimWorld&, std::vector<NodeSpec>& hardware) override {
    for (NodeSpec& spec : hardware) spec.new_key_on_time_sync = true;
    fire();
  }
};

/// The operator's clock jumps by up to a year, either way.
class WallClockJump final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    const MonoTime at(random().between(Duration{}, world.plan().fault_phase));
    const std::int64_t year_ms = 365ll * 24 * 3600 * 1000;
    const std::int64_t jump =
        static_cast<std::int64_t>(random().below(static_cast<std::uint64_t>(2 * year_ms))) -
        year_ms;
    world.clock().call_at(at, [this, &world, jump] {
      fire();
      world.clock().set_wall(WallTime{world.clock().wall().unix_ms + jump});
    });
  }
};

}  // namespace

std::unique_ptr<Fault> make_frozen(SeededRandom random) {
  return std::make_unique<SwitchFault>(random, [](Node& node, bool on) { node.freeze(on); });
}
std::unique_ptr<Fault> make_time_unsynced(SeededRandom random) {
  return std::make_unique<SwitchFault>(random,
                                       [](Node& node, bool on) { node.hold_time_sync(on); });
}
std::unique_ptr<Fault> make_pull_fails(SeededRandom random) {
  return std::make_unique<SwitchFault>(random,
                                       [](Node& node, bool on) { node.fail_install_pull(on); });
}
std::unique_ptr<Fault> make_apply_in_progress(SeededRandom random) {
  return std::make_unique<SwitchFault>(random, [](Node& node, bool on) { node.hold_apply(on); });
}
std::unique_ptr<Fault> make_slow_learner(SeededRandom random) {
  return std::make_unique<SwitchFault>(random, [](Node& node, bool on) { node.hold_learner(on); });
}
std::unique_ptr<Fault> make_new_key_on_time_sync(SeededRandom random) {
  return std::make_unique<NewKeyOnTimeSync>(random);
}
std::unique_ptr<Fault> make_wall_clock_jump(SeededRandom random) {
  return std::make_unique<WallClockJump>(random);
}

}  // namespace ichor::sim
