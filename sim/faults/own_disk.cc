#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

/// The folder for kubeconfig and talosconfig cannot be written for a while.
class FolderUnwritable final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    const MonoTime begin(random().between(Duration{}, world.plan().fault_phase));
    world.clock().call_at(begin, [this, &world] {
      if (world.quiet()) return;
      fire();
      world.set_folder_trouble("kubeconfig: EROFS: Read-only file system");
    });
    const Duration length = random().between(std::chrono::seconds(30), std::chrono::minutes(6));
    world.clock().call_at(begin + length, [&world] { world.set_folder_trouble({}); });
  }
  void quiet(SimWorld& world) override { world.set_folder_trouble({}); }
};

/// The disk under the journal takes seconds for a commit, at times longer than it is waited for.
class SlowJournal final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    for (int i = 0; i < 3; ++i) {
      const MonoTime at(random().between(Duration{}, world.plan().fault_phase));
      const Duration delay =
          random().between(std::chrono::milliseconds(100), std::chrono::seconds(9));
      world.clock().call_at(at, [this, &world, delay] {
        if (world.quiet()) return;
        fire();
        world.store().set_commit_delay(delay);
      });
      world.clock().call_at(
          at + random().between(std::chrono::seconds(10), std::chrono::minutes(2)),
          [&world] { world.store().set_commit_delay(kUsual); });
    }
  }
  void quiet(SimWorld& world) override { world.store().set_commit_delay(kUsual); }

 private:
  static constexpr Duration kUsual = std::chrono::milliseconds(2);
};

/// A record of the journal is not what it was when it was written, and ichor starts again.
class JournalDamaged final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    const MonoTime at(random().between(Duration{}, world.plan().fault_phase));
    world.clock().call_at(at, [this, &world] {
      if (world.quiet() || world.store().records().empty()) return;
      fire();
      world.damage_journal("record 1 does not continue the chain of those before it");
      world.crash_running();
    });
  }
};

}  // namespace

std::unique_ptr<Fault> make_folder_unwritable(SeededRandom random) {
  return std::make_unique<FolderUnwritable>(random);
}
std::unique_ptr<Fault> make_slow_journal(SeededRandom random) {
  return std::make_unique<SlowJournal>(random);
}
std::unique_ptr<Fault> make_journal_damaged(SeededRandom random) {
  return std::make_unique<JournalDamaged>(random);
}

}  // namespace ichor::sim
