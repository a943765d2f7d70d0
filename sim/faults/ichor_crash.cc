#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"
#include "sim/world.h"

namespace ichor::sim {

std::string_view name_of(CrashSite site) {
  switch (site) {
    case CrashSite::before_append: return "before-journal";
    case CrashSite::after_append: return "after-journal";
    case CrashSite::before_call: return "before-call";
    case CrashSite::after_call: return "after-call";
  }
  return "?";
}

namespace {

/// kill -9 at one kind of place, up to three times. Calls are far more frequent than records.
class CrashAt final : public Fault {
 public:
  CrashAt(SeededRandom random, CrashSite site) : Fault(random), site_(site) {}
  bool crash_at(SimWorld&, CrashSite site) override {
    if (site != site_ || left_ == 0) return false;
    const bool journal = site == CrashSite::before_append || site == CrashSite::after_append;
    if (!random().chance(journal ? 0.08 : 0.01)) return false;
    --left_;
    fire();
    return true;
  }

 private:
  CrashSite site_;
  int left_{3};
};

/// kill -9 at any time, wherever everything happens to be.
class CrashAnytime final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    for (int i = 0; i < 2; ++i) {
      const MonoTime at(random().between(Duration{}, world.plan().fault_phase));
      world.clock().call_at(at, [this, &world] {
        if (world.quiet()) return;
        fire();
        world.crash_running();
      });
    }
  }
};

/// Ctrl-C; the operator starts ichor again a little later.
class Interrupt final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    const MonoTime at(random().between(Duration{}, world.plan().fault_phase));
    world.clock().call_at(at, [this, &world] {
      if (world.quiet()) return;
      fire();
      world.interrupt_running();
    });
  }
};

/// Somebody starts a second ichor on the same cluster.
class Rival final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    const MonoTime at(random().between(Duration{}, world.plan().fault_phase));
    world.clock().call_at(at, [this, &world] {
      if (world.quiet()) return;
      fire();
      world.start_rival();
    });
  }
};

}  // namespace

std::unique_ptr<Fault> make_crash_before_append(SeededRandom random) {
  return std::make_unique<CrashAt>(random, CrashSite::before_append);
}
std::unique_ptr<Fault> make_crash_after_append(SeededRandom random) {
  return std::make_unique<CrashAt>(random, CrashSite::after_append);
}
std::unique_ptr<Fault> make_crash_before_call(SeededRandom random) {
  return std::make_unique<CrashAt>(random, CrashSite::before_call);
}
std::unique_ptr<Fault> make_crash_after_call(SeededRandom random) {
  return std::make_unique<CrashAt>(random, CrashSite::after_call);
}
std::unique_ptr<Fault> make_crash_anytime(SeededRandom random) {
  return std::make_unique<CrashAnytime>(random);
}
std::unique_ptr<Fault> make_interrupt(SeededRandom random) {
  return std::make_unique<Interrupt>(random);
}
std::unique_ptr<Fault> make_rival(SeededRandom random) { return std::make_unique<Rival>(random); }

}  // namespace ichor::sim
