#include "sim/process.h"

#include <charconv>
#include <fmt/format.h>

#include "doctor/name_fault.h"
#include "engine/provisioning.h"
#include "etcd/snapshot.h"
#include "journal/schema.h"
#include "model/kubernetes_plan.h"
#include "phase/upgrade.h"
#include "sim/canaries.h"
#include "sim/hang.h"
#include "sim/kube/stack.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

/// A snapshot that a run takes before an upgrade: what is proved of it is what counts.
Task<CallResult<std::string>> keep_in_memory(Context context, TalosSession& session,
                                             const NodeName&) {
  MemoryBytes whole;
  const auto streamed = co_await session.etcd_snapshot(context, whole);
  if (!streamed) co_return forward_error(streamed);
  const auto facts = etcd::inspect_snapshot(whole);
  if (facts) co_return to_hex(facts->sha256);
  co_return tl::unexpected(CallError{Call::etcd_snapshot, Progress::answered, TlsVerdict::fine,
                                     Code::data_loss, facts.error().message});
}

}  // namespace

/// The in-memory journal with a place to die on each side of every append.
class SimProcess::JournalPort final : public Journal {
 public:
  JournalPort(SimWorld& world, int process)
      : world_(world), process_(process), inner_(world.store()) {}

  Task<Result<std::uint64_t>> append(Context context, JournalRecord record) override {
    const std::string_view what = what_of(record);
    if (world_.process_dead(process_)) co_await hang(world_.clock());
    if (dies({CrashSite::before_append, what})) co_await hang(world_.clock());
    auto seq = co_await inner_.append(context, std::move(record));
    if (world_.process_dead(process_)) co_await hang(world_.clock());
    if (dies({CrashSite::after_append, what})) co_await hang(world_.clock());
    co_return seq;
  }
  Task<Result<std::vector<JournalRecord>>> read(Context context) override {
    if (!world_.journal_damage().empty()) co_return fail(Errc::unsafe, world_.journal_damage());
    co_return co_await inner_.read(context);
  }
  Task<Result<Lease>> lock(Context context, LockOwner owner) override {
    if (dies({CrashSite::before_file, kLockFile})) co_await hang(world_.clock());
    auto locked = co_await inner_.lock(context, std::move(owner));
    if (dies({CrashSite::after_file, kLockFile})) co_await hang(world_.clock());
    co_return locked;
  }
  Task<Result<void>> renew(Context context) override {
    if (world_.process_dead(process_)) co_await hang(world_.clock());
    co_return co_await inner_.renew(context);
  }
  // A process that dies here goes on to its next wait, which it never leaves; until then no other
  // process sees it.
  void unlock() override {
    if (world_.process_dead(process_) || dies({CrashSite::before_file, kUnlockFile})) return;
    inner_.unlock();
    dies({CrashSite::after_file, kUnlockFile});
  }
  Task<Result<std::optional<LockHolder>>> holder(Context context) override {
    return inner_.holder(context);
  }
  Task<Result<void>> break_lock(Context context, std::string nonce) override {
    return inner_.break_lock(context, std::move(nonce));
  }

 private:
  bool dies(const CrashPoint& point) { return world_.crash_here(process_, point); }

  SimWorld& world_;
  int process_;
  MemoryJournal inner_;
};

/// Files survive a crash, written whole or not at all.
class SimProcess::Files final : public Artifacts {
 public:
  Files(SimWorld& world, int process) : world_(world), process_(process) {}
  Result<void> write(const std::string& name, const SecretString& content) override {
    if (world_.crash_here(process_, {CrashSite::before_file, kWriteFile})) return {};
    if (!world_.folder_trouble().empty()) return fail(Errc::io, world_.folder_trouble());
    world_.files()[name] = content;
    world_.note_written({process_, name, content.reveal()});
    world_.crash_here(process_, {CrashSite::after_file, kWriteFile});
    return {};
  }
  std::optional<SecretString> read(const std::string& name) override {
    const auto found = world_.files().find(name);
    if (found == world_.files().end()) return std::nullopt;
    return found->second;
  }

 private:
  SimWorld& world_;
  int process_;
};

class SimProcess::Events final : public EventSink {
 public:
  Events(SimWorld& world, int process) : world_(world), process_(process) {}
  void emit(const Event& event) override {
    if (!world_.process_dead(process_)) world_.note_event(process_, event);
  }

 private:
  SimWorld& world_;
  int process_;
};

SimProcess::SimProcess(SimWorld& world, int number, SeededRandom random)
    : world_(world),
      number_(number),
      random_(random),
      clock_(world.clock()),
      talos_(world, number),
      kube_(world, number),
      client_(world, number),
      programs_(world, number),
      connect_(world, number),
      provider_(world, number),
      journal_(std::make_unique<JournalPort>(world, number)),
      files_(std::make_unique<Files>(world, number)),
      events_(std::make_unique<Events>(world, number)),
      run_(fmt::format("run-{}", number)) {
  RunIdentity identity;
  identity.run = run_;
  identity.owner = owner();
  identity.command = "up";
  World ports{clock_, random_, talos_, kube_, *journal_, *files_, *events_};
  if (world.plan().addresses_unknown) make_finder();
  ports.finder = finder_.get();
  if (world.plan().line == Line::whole) make_kubernetes();
  ports.kubernetes = kubernetes_.get();
  if (world.snapshot()) {
    ports.snapshot = world.snapshot();
    std::vector<Step> steps =
        bring_up_from(world.profile(), etcd::inspect_snapshot(*world.snapshot())->sha256);
    orchestrator_ = std::make_unique<Orchestrator>(ports, world.profile(), world.configs(),
                                                   std::move(identity), std::move(steps));
    return;
  }
  if (const UpgradePlan* upgrade = world.upgrade()) {
    // The client is this process's own and lives as long.
    drain_ = std::make_unique<KubeDrain>(
        [this] { return std::shared_ptr<KubeClient>(std::shared_ptr<KubeClient>(), &client_); });
    ports.drain = drain_.get();
    ports.keep_snapshot = keep_in_memory;
    identity.command = "upgrade";
    orchestrator_ = std::make_unique<Orchestrator>(ports, world.profile(), world.configs(),
                                                   std::move(identity), upgrade_steps(*upgrade));
    return;
  }
  orchestrator_ =
      std::make_unique<Orchestrator>(ports, world.profile(), world.configs(), std::move(identity));
}

SimProcess::~SimProcess() = default;

void SimProcess::make_finder() {
  std::string homes, leases;
  const auto add = [](std::string& list, const IpAddress& address) {
    list += (list.empty() ? "" : ",") + address.value();
  };
  for (const NodePlan& plan : world_.profile().nodes) add(homes, plan.address);
  for (const auto& node : world_.nodes()) add(leases, node->spec().dhcp_address);
  Finder::Places places;
  places.first = *AddressSet::parse(homes);
  places.all = *AddressSet::parse(homes + "," + leases);
  AddressScanOptions options;
  options.at_once = static_cast<int>(world_.nodes().size());  // a call per node, as everywhere
  finder_ = std::make_unique<Finder>(talos_, std::move(places), std::move(options));
}

Task<void> SimProcess::main() {
  // Whoever starts the orchestrator has opened the journal's file before.
  if (world_.journal_schema() > kSchemaVersion) {
    RunResult refused;
    refused.exit = Exit::unsafe;
    const Error newer = newer_schema("journal.db", world_.journal_schema());
    refused.verdict = newer.message;
    refused.fault = newer.fault;
    name_fault(refused);
    for (Finding& finding : refused.findings) finding.where = "journal";
    result_ = std::move(refused);
    co_return;
  }
  const Context context{&clock_, &scope_, kNever};
  const auto lock = co_await RunLock::take(context, *journal_, owner());
  if (!lock) {
    result_ = refused_by_lock(lock.error());
    co_return;
  }
  const bool goes_on = co_await make_machines(context, *lock);
  if (!goes_on) co_return;
  RunResult result = co_await orchestrator_->run_under(context, *lock);
  result.mutations += machine_changes_;
  result_ = std::move(result);
}

LockOwner SimProcess::owner() const {
  return {fmt::format("nonce-{}", number_), "sim", "boot-1", number_};
}

Task<bool> SimProcess::make_machines(Context context, const RunLock& lock) {
  if (!world_.vm_host()) co_return true;
  const Provisioning world{clock_,    provider_,        *events_,
                           *journal_, world_.profile(), SimWorld::provider_plan()};
  const ProvisionWork work = [](ProvisionRun& run, Context inner) {
    return run.bring_up(inner, ProvisionRun::Goal::running);
  };
  ProvisionTurn turn;
  turn.run = run_;
  turn.goes_on = true;
  RunResult made = co_await provision(context, world, std::move(turn), lock, work);
  machine_changes_ = made.mutations;
  if (made.exit == Exit::done) co_return true;
  name_fault(made);
  result_ = std::move(made);
  co_return false;
}

KubernetesMaterial SimProcess::material() const {
  KubernetesMaterial material = world_.fixture().stack->material;
  material.plan = *world_.profile().kubernetes;
  for (const std::string& name : world_.forgotten_releases()) {
    std::erase_if(material.releases, [&](const auto& release) { return release.name == name; });
    std::erase_if(material.plan.core.releases,
                  [&](const auto& release) { return release.name == name; });
  }
  const auto kept = world_.files().find(std::string(kSealedFile));
  int maker = number_;
  if (kept != world_.files().end()) {
    const std::string_view text = kept->second.reveal();
    std::from_chars(text.data(), text.data() + text.size(), maker);
  } else {
    material.fresh_key_file = kSealedFile;
    material.fresh_key_sealed = SecretString(fmt::format("{} made this, sealed", number_));
  }
  material.sealed_keys.push_back(sealed_key(maker));
  if (kept == world_.files().end()) material.fresh_key = ref_of(material.sealed_keys.back());
  return material;
}

void SimProcess::make_kubernetes() {
  material_ = std::make_unique<KubernetesMaterial>(material());
  const auto open = [this]() -> tl::expected<OpenedKube, RunResult> {
    // The client is this process's own and lives as long.
    return OpenedKube{std::shared_ptr<KubeClient>(std::shared_ptr<KubeClient>(), &client_),
                      &client_, SecretString("kubeconfig" + kubeconfig_canary())};
  };
  const KubePorts ports{random_, programs_, connect_, *files_, *events_, &talos_, "/state"};
  kubernetes_ = std::make_unique<KubernetesPart>(ports, *material_, open, PhasesOptions{});
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
