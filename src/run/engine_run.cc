#include "run/engine_run.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "cluster/machine_search.h"
#include "engine/orchestrator.h"

namespace ichor {

namespace {

/// Where there is no state folder there are no files.
class NoFiles final : public Artifacts {
 public:
  Result<void> write(const std::string& name, const SecretString&) override {
    return fail(Errc::io, fmt::format("{}: there is no state folder", name));
  }
  std::optional<SecretString> read(const std::string&) override { return std::nullopt; }
};

/// And where there is none, nothing is remembered.
class NoJournal final : public Journal {
 public:
  Task<Result<std::uint64_t>> append(Context, JournalRecord) override {
    co_return fail(Errc::io, "there is no state folder");
  }
  Task<Result<std::vector<JournalRecord>>> read(Context) override {
    co_return std::vector<JournalRecord>{};
  }
  Task<Result<Lease>> lock(Context, LockOwner) override {
    co_return fail(Errc::io, "there is no state folder");
  }
  Task<Result<void>> renew(Context) override {
    co_return fail(Errc::io, "there is no state folder");
  }
  void unlock() override {}
  Task<Result<std::optional<LockHolder>>> holder(Context) override { co_return std::nullopt; }
  Task<Result<void>> break_lock(Context, std::string) override {
    co_return fail(Errc::invalid, "there is no state folder");
  }
};

/// For a dry run: it reads what happened before, and what it appends is forgotten at its end. So it
/// needs no lock.
class UnwrittenJournal final : public Journal {
 public:
  explicit UnwrittenJournal(Journal& journal) : journal_(journal) {}

  Task<Result<std::uint64_t>> append(Context, JournalRecord) override { co_return ++appended_; }
  Task<Result<std::vector<JournalRecord>>> read(Context context) override {
    auto records = co_await journal_.read(context);
    if (records && !records->empty()) appended_ = records->back().seq;
    co_return records;
  }
  Task<Result<Lease>> lock(Context, LockOwner) override { co_return Lease{}; }
  Task<Result<void>> renew(Context) override { co_return Result<void>(); }
  void unlock() override {}
  Task<Result<std::optional<LockHolder>>> holder(Context) override { co_return std::nullopt; }
  Task<Result<void>> break_lock(Context, std::string) override {
    co_return fail(Errc::invalid, "a dry run breaks no lock");
  }

 private:
  Journal& journal_;
  std::uint64_t appended_{0};
};

/// Connections that are opened at once. Each takes processor time and, while both handshakes are
/// under way, twice its memory; so many that silent nodes do not keep the others waiting for long.
constexpr int kOpeningsAtOnce = 256;

constexpr Duration kLookAgain = std::chrono::seconds(10);

std::vector<Step> steps_of(const ClusterProfile& profile, const EngineOptions& options) {
  if (!options.steps.empty()) return options.steps;
  std::vector<Step> steps = bring_up(profile);
  if (!options.kubernetes) {
    std::erase_if(steps, [](const Step& step) { return step.who == Who::kubernetes; });
  }
  return options.phases.empty() ? steps : only(std::move(steps), options.phases);
}

Task<void> run_into(Orchestrator& orchestrator, Context context, const RunLock& lock,
                    RunResult& result) {
  result = co_await orchestrator.run_under(context, lock);
}

/// One run of the engine, to its end or until a signal.
RunResult drive(const World& world, const ClusterProfile& profile, const ConfigSet& configs,
                const EngineOptions& options, const RunTurn& turn, std::vector<Step> steps,
                Host& host) {
  RunIdentity identity{turn.id, host.environment.owner(), options.adopt, host.environment.command(),
                       options.goes_on};
  Orchestrator orchestrator(world, profile, configs, std::move(identity), std::move(steps));
  host.terminal.display().begin(profile);
  CancelScope scope;
  RunResult result;
  const int signal = host.loop.drive(
      run_into(orchestrator, Context{&host.loop.clock(), &scope}, turn.lock, result), scope);
  if (signal == SIGTERM && result.exit == Exit::interrupted) result.exit = Exit::terminated;
  return result;
}

/// For a run that has no steps on nodes.
class NoNodes final : public TalosApi, public KubeApi {
 public:
  Task<CallResult<std::unique_ptr<TalosSession>>> open(Context, IpAddress, PeerDemand) override {
    co_return tl::unexpected(unasked(Call::open));
  }
  Task<CallResult<void>> ready(Context, const SecretString&) override {
    co_return tl::unexpected(unasked(Call::kube_ready));
  }

 private:
  static CallError unasked(Call call) {
    return {call, Progress::not_sent, TlsVerdict::fine, Code::unavailable,
            "this run does not look at nodes"};
  }
};

Task<void> survey_into(Context context, World& world, const ClusterProfile& profile,
                       const JournalFacts& facts, int tries, ClusterView& view) {
  for (int i = 1;; ++i) {
    view = co_await survey(context, world, profile, facts);
    const bool all_there = std::none_of(
        view.nodes.begin(), view.nodes.end(),
        [](const NodeView& node) { return node.presence == Presence::silent || node.trouble; });
    if (all_there || i >= tries || context.cancelled()) co_return;
    // A machine that was just switched on needs half a minute to its API.
    co_await sleep_for(context, kLookAgain * i);
  }
}

}  // namespace

RunResult run_engine(const ClusterProfile& profile, Workspace& space, const EngineOptions& options,
                     Host& host) {
  if (!options.turn) {
    const auto turn = take_turn(space.state->journal(), host);
    if (!turn) return turn.error();
    EngineOptions alone = options;
    alone.turn = &*turn;
    return run_engine(profile, space, alone, host);
  }
  if (auto found = find_machines(profile, space, host); !found) return std::move(found).error();
  DryRunTalos reads_only(space.apis->talos());
  TalosApi& talos = options.changes_nodes ? space.apis->talos() : reads_only;
  Turnstile openings(kOpeningsAtOnce);
  const World world{host.loop.clock(),
                    host.random,
                    talos,
                    space.apis->kube(),
                    space.state->journal(),
                    space.state->files(),
                    host.terminal.display(),
                    &openings,
                    kubeconfig_check(profile, space),
                    options.kubernetes,
                    space.finder.get(),
                    options.snapshot,
                    options.drain,
                    options.keep_snapshot};
  RunResult result = drive(world, profile, space.configs, options, *options.turn,
                           steps_of(profile, options), host);
  std::ranges::move(space.findings, std::back_inserter(result.findings));
  space.findings.clear();
  return result;
}

RunResult run_kubernetes(const ClusterProfile& profile, ClusterState& state, KubernetesWork& work,
                         Host& host) {
  UnwrittenJournal unwritten(state.journal());
  const bool dry_run = work.options().phases.phase.dry_run;
  Journal& journal = dry_run ? static_cast<Journal&>(unwritten) : state.journal();
  const auto turn = take_turn(journal, host);
  if (!turn) return turn.error();
  NoNodes no_nodes;
  const World world{
      host.loop.clock(),       host.random, no_nodes, no_nodes,    journal, state.files(),
      host.terminal.display(), nullptr,     {},       &work.part()};
  const KubernetesOptions& options = work.options();
  RunResult result = drive(world, profile, {}, EngineOptions{}, *turn,
                           kubernetes_steps(options.first, options.last), host);
  work.show(result);
  return result;
}

ReadOnlyWorld::ReadOnlyWorld(Workspace& space, Host& host)
    : talos_(space.apis->talos()), openings_(kOpeningsAtOnce) {
  if (!space.state) {
    no_journal_ = std::make_unique<NoJournal>();
    no_files_ = std::make_unique<NoFiles>();
  }
  Journal& journal = space.state ? space.state->journal() : *no_journal_;
  Artifacts& files = space.state ? space.state->files() : *no_files_;
  world_.emplace(World{host.loop.clock(), host.random, talos_, space.apis->kube(), journal, files,
                       host.terminal.display(), &openings_});
  world_->finder = space.finder.get();
}

OrEnd<ClusterView> look_around(const ClusterProfile& profile, Workspace& space, Host& host,
                               int tries, NodeDrain* drain) {
  if (auto found = find_machines(profile, space, host); !found) {
    return forward_error(found);
  }
  ReadOnlyWorld looking(space, host);
  looking.world().drain = drain;
  CancelScope scope;
  ClusterView view;
  const Context context{&host.loop.clock(), &scope};
  const int signal = host.loop.drive(
      survey_into(context, looking.world(), profile, space.facts, tries, view), scope);
  if (signal == SIGTERM) return end_with(Exit::terminated, "terminated");
  if (signal != 0) return end_with(Exit::interrupted, "interrupted");
  return view;
}

OrEnd<RunPlan> make_plan(const ClusterProfile& profile, Workspace& space,
                         const EngineOptions& options, Host& host) {
  ClusterView seen;
  for (const NodePlan& plan : profile.nodes) seen.nodes.emplace_back().node = plan.name;
  if (!options.offline) {
    auto looked = look_around(profile, space, host, 1, options.drain);
    if (!looked) return forward_error(looked);
    seen = *std::move(looked);
  }
  return plan_run(profile, space.configs, steps_of(profile, options), space.facts, std::move(seen),
                  host.loop.clock().now());
}

}  // namespace ichor
