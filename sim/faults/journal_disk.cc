#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

/// The disk under the journal fails after some more records, and is fixed when the run has ended.
class JournalDisk final : public Fault {
 public:
  JournalDisk(SeededRandom random, MemoryStore::Fault kind) : Fault(random), kind_(kind) {}

  void arm(SimWorld& world) override {
    const MonoTime at(random().between(Duration{}, world.plan().fault_phase));
    world.clock().call_at(at, [this, &world] {
      if (world.quiet()) return;
      fire();
      world.store().fail_after(random().below(6), kind_);
    });
  }
  void on_process_ended(SimWorld& world) override { world.store().heal(); }
  void quiet(SimWorld& world) override { world.store().heal(); }

 private:
  MemoryStore::Fault kind_;
};

}  // namespace

std::unique_ptr<Fault> make_journal_full(SeededRandom random) {
  return std::make_unique<JournalDisk>(random, MemoryStore::Fault::no_space);
}
std::unique_ptr<Fault> make_journal_io_error(SeededRandom random) {
  return std::make_unique<JournalDisk>(random, MemoryStore::Fault::io_error);
}

}  // namespace ichor::sim
