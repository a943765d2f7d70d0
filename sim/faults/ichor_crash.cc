#include <algorithm>

#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

/// kill -9 on one side of one kind of place. The points are drawn by name and not by how often they
/// are passed: a call that happens once in a bring-up is met as often as one that happens hundreds
/// of times.
class CrashAt final : public Fault {
 public:
  CrashAt(SeededRandom random, CrashSite site) : Fault(random), site_(site) {}

  void arm(SimWorld& world) override {
    std::vector<std::string_view> names;
    for (const CrashPoint& point : crash_points(world.plan().line)) {
      if (point.site == site_) names.push_back(point.what);
    }
    for (int i = 0; i < 3; ++i) {
      const auto passes = std::uint64_t{1} << random().below(5);
      planned_.push_back({names[random().below(names.size())], random().between(1, passes)});
    }
  }

  bool crash_at(SimWorld&, const CrashPoint& point) override {
    if (point.site != site_) return false;
    for (Planned& planned : planned_) {
      if (planned.what != point.what || planned.passes_left == 0) continue;
      if (--planned.passes_left > 0) continue;
      fire();
      return true;
    }
    return false;
  }

 private:
  struct Planned {
    std::string_view what;
    std::uint64_t passes_left{1};  // zero: done
  };

  CrashSite site_;
  std::vector<Planned> planned_;
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

/// Ctrl-C at some time, and once in the moment in which a mutation is about to be sent; the
/// operator starts ichor again a little later.
class Interrupt final : public Fault {
 public:
  using Fault::Fault;
  bool crash_at(SimWorld& world, const CrashPoint& point) override {
    if (point.site != CrashSite::before_append || !point.what.starts_with("intent")) return false;
    if (spent_ || !random().chance(0.1)) return false;
    spent_ = true;
    fire();
    world.clock().call_at(later(world.clock().now(), std::chrono::milliseconds(1)), [&world] {
      if (!world.quiet()) world.interrupt_running();
    });
    return false;
  }
  void arm(SimWorld& world) override {
    const MonoTime at(random().between(Duration{}, world.plan().fault_phase));
    world.clock().call_at(at, [this, &world] {
      if (world.quiet()) return;
      fire();
      world.interrupt_running();
    });
  }

 private:
  bool spent_{false};
};

/// ichor does nothing for a while, from some moment on and from one in which it is about to send a
/// mutation or to say how it ended: what it has seen by then is old when it goes on.
class Pauses final : public Fault {
 public:
  Pauses(SeededRandom random, Pause how) : Fault(random), how_(how) {}
  void arm(SimWorld& world) override {
    const MonoTime at(random().between(Duration{}, world.plan().fault_phase));
    world.clock().call_at(at, [this, &world] { pause(world); });
  }
  bool crash_at(SimWorld& world, const CrashPoint& point) override {
    const bool near = point.what.starts_with("intent") || point.what == "run-ended";
    const bool due = point.site == CrashSite::before_append && near;
    if (due && !spent_ && random().chance(0.2)) {
      spent_ = true;
      world.clock().call_at(world.clock().now(), [this, &world] { pause(world); });
    }
    return false;
  }
  void quiet(SimWorld& world) override { world.resume_running(); }

 private:
  void pause(SimWorld& world) {
    if (world.quiet()) return;
    fire();
    world.pause_running(how_);
    const Duration length = random().between(std::chrono::seconds(1), std::chrono::minutes(10));
    world.clock().call_at(later(world.clock().now(), length), [&world] { world.resume_running(); });
  }

  Pause how_;
  bool spent_{false};
};

/// The operator starts a second ichor on the same cluster.
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

/// The journal is a store whose leases run out. ichor does nothing for longer than its lease, from
/// some moment on and from one in which it is about to send a mutation; another one takes over.
class OutlivedLease final : public Fault {
 public:
  using Fault::Fault;
  void prepare(SimWorld& world, std::vector<NodeSpec>&) override {
    world.store().set_lease_length(kLease);
  }
  void arm(SimWorld& world) override {
    const MonoTime at(random().between(Duration{}, world.plan().fault_phase));
    world.clock().call_at(at, [this, &world] { pause(world); });
  }
  bool crash_at(SimWorld& world, const CrashPoint& point) override {
    const bool due = point.site == CrashSite::before_append && point.what.starts_with("intent");
    if (due && !spent_ && random().chance(0.2)) {
      spent_ = true;
      // Before the store has the record, and after.
      const Duration delay = std::chrono::milliseconds(random().between(0, 3));
      world.clock().call_at(later(world.clock().now(), delay), [this, &world] { pause(world); });
    }
    return false;
  }
  void quiet(SimWorld& world) override { world.resume_running(); }

 private:
  static constexpr Duration kLease = std::chrono::minutes(2);

  static bool mutes_clock(const SeedPlan& plan) {
    return std::any_of(plan.faults.begin(), plan.faults.end(), [](std::size_t index) {
      return fault_catalogue()[index].name == "wall-clock-jump";
    });
  }

  void pause(SimWorld& world) {
    if (world.quiet()) return;
    fire();
    // A sleep shows on the wall clock only. Where that clock is set back as well nothing on the
    // machine says that it slept, and no lease helps: the store would have to be asked by the
    // nodes.
    const bool stops = random().chance(0.5) || mutes_clock(world.plan());
    world.pause_running(stops ? Pause::stopped : Pause::suspended);
    const Duration rival = random().between(kLease / 2, 3 * kLease);
    world.clock().call_at(later(world.clock().now(), rival),
                          [&world] { world.start_rival_of_paused(); });
    const Duration length = random().between(kLease / 2, 5 * kLease);
    world.clock().call_at(later(world.clock().now(), length), [&world] { world.resume_running(); });
  }

  bool spent_{false};
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
std::unique_ptr<Fault> make_crash_before_file(SeededRandom random) {
  return std::make_unique<CrashAt>(random, CrashSite::before_file);
}
std::unique_ptr<Fault> make_crash_after_file(SeededRandom random) {
  return std::make_unique<CrashAt>(random, CrashSite::after_file);
}
std::unique_ptr<Fault> make_crash_anytime(SeededRandom random) {
  return std::make_unique<CrashAnytime>(random);
}
std::unique_ptr<Fault> make_interrupt(SeededRandom random) {
  return std::make_unique<Interrupt>(random);
}
std::unique_ptr<Fault> make_stopped(SeededRandom random) {
  return std::make_unique<Pauses>(random, Pause::stopped);
}
std::unique_ptr<Fault> make_suspended(SeededRandom random) {
  return std::make_unique<Pauses>(random, Pause::suspended);
}
std::unique_ptr<Fault> make_rival(SeededRandom random) { return std::make_unique<Rival>(random); }
std::unique_ptr<Fault> make_outlived_lease(SeededRandom random) {
  return std::make_unique<OutlivedLease>(random);
}

}  // namespace ichor::sim
