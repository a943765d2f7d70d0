#include "sim/process.h"

#include <fmt/format.h>

#include "sim/hang.h"
#include "sim/world.h"

namespace ichor::sim {

/// The in-memory journal with a place to die on each side of every append.
class SimProcess::JournalPort final : public Journal {
 public:
  JournalPort(SimWorld& world, int process)
      : world_(world), process_(process), inner_(world.store()) {}

  Task<Result<std::uint64_t>> append(Context context, JournalRecord record) override {
    const std::string_view what = name_of(record.kind);
    if (world_.process_dead(process_)) co_await hang(world_.clock());
    if (world_.crash_here(process_, CrashSite::before_append, what)) co_await hang(world_.clock());
    auto seq = co_await inner_.append(context, std::move(record));
    if (world_.process_dead(process_)) co_await hang(world_.clock());
    if (world_.crash_here(process_, CrashSite::after_append, what)) co_await hang(world_.clock());
    co_return seq;
  }
  Result<std::vector<JournalRecord>> read() override { return inner_.read(); }
  Result<void> lock(const LockOwner& owner) override { return inner_.lock(owner); }
  void unlock() override { inner_.unlock(); }
  std::optional<LockOwner> holder() override { return inner_.holder(); }
  Result<void> break_lock(const std::string& nonce) override { return inner_.break_lock(nonce); }

 private:
  SimWorld& world_;
  int process_;
  MemoryJournal inner_;
};

/// Files survive a crash, written whole or not at all.
class SimProcess::Files final : public Artifacts {
 public:
  explicit Files(SimWorld& world) : world_(world) {}
  Result<void> write(const std::string& name, const SecretString& content) override {
    world_.files()[name] = content;
    return {};
  }
  std::optional<SecretString> read(const std::string& name) override {
    const auto found = world_.files().find(name);
    if (found == world_.files().end()) return std::nullopt;
    return found->second;
  }

 private:
  SimWorld& world_;
};

class SimProcess::Events final : public EventSink {
 public:
  Events(SimWorld& world, int process) : world_(world), process_(process) {}
  void emit(const Event& event) override { world_.note_event(process_, event); }

 private:
  SimWorld& world_;
  int process_;
};

SimProcess::SimProcess(SimWorld& world, int number, SeededRandom random)
    : world_(world),
      number_(number),
      random_(random),
      talos_(world, number),
      kube_(world, number),
      journal_(std::make_unique<JournalPort>(world, number)),
      files_(std::make_unique<Files>(world)),
      events_(std::make_unique<Events>(world, number)) {
  RunIdentity identity;
  identity.run = RunId(fmt::format("run-{}", number));
  identity.owner = {fmt::format("nonce-{}", number), "sim", "boot-1", number};
  const World ports{world.clock(), random_, talos_, kube_, *journal_, *files_, *events_};
  orchestrator_ =
      std::make_unique<Orchestrator>(ports, world.profile(), world.configs(), std::move(identity));
}

SimProcess::~SimProcess() = default;

Task<void> SimProcess::main() {
  const Context context{&world_.clock(), &scope_, kNever};
  result_ = co_await orchestrator_->run(context);
}

void SimProcess::start() {
  main_ = main();
  main_.start();
}

void SimProcess::interrupt() {
  interrupted_ = true;
  scope_.cancel();
}

}  // namespace ichor::sim
