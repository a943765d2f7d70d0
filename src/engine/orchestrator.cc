#include "engine/orchestrator.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "async/task_group.h"
#include "base/check.h"
#include "engine/kubernetes_part.h"
#include "engine/run_records.h"
#include "engine/run_start.h"
#include "phase/kubeconfig.h"
#include "phase/ready.h"

namespace ichor {

/// A node with its own link, or the cluster with links of its own to the nodes it looks at.
struct Orchestrator::Actor {
  const NodePlan* plan{nullptr};  // null: the cluster
  Bell changed;
  std::vector<std::unique_ptr<NodeLink>> links;
  NodeResult result;
  std::vector<Finding> findings;
  std::size_t place{0};  // in the order of the profile
  /// What a step of the cluster found unmet on this node, after the node's own steps had passed.
  std::string unmet;
  std::string_view unmet_in;
  StepEnd unmet_end{StepEnd::failed};

  /// For the table of nodes: a node that the cluster waits for has not passed.
  NodeResult row() const {
    NodeResult told = result;
    if (told.end != StepEnd::passed || unmet.empty()) return told;
    told.end = unmet_end;
    told.phase = unmet_in;
    told.reason = unmet;
    return told;
  }
};

Orchestrator::Orchestrator(World world, const ClusterProfile& profile, const ConfigSet& configs,
                           RunIdentity identity)
    : Orchestrator(world, profile, configs, std::move(identity), bring_up(profile)) {}

Orchestrator::Orchestrator(World world, const ClusterProfile& profile, const ConfigSet& configs,
                           RunIdentity identity, std::vector<Step> steps)
    : world_(world),
      profile_(profile),
      configs_(configs),
      identity_(std::move(identity)),
      steps_(std::move(steps)),
      turnstile_(profile.sequential ? 1 : std::max(profile.concurrency, 1)) {}

Orchestrator::~Orchestrator() = default;

void Orchestrator::emit(EventKind kind, const NodeName& node, std::string_view phase,
                        std::string text) const {
  world_.events.emit({kind, world_.clock.now(), node, phase, std::move(text)});
}

RunResult Orchestrator::refused(Exit exit, Finding finding) const {
  RunResult result;
  result.exit = exit;
  result.verdict = finding.what;
  result.findings.push_back(std::move(finding));
  return result;
}

Task<std::optional<RunResult>> Orchestrator::begin() {
  const auto loaded = co_await ledger_->load();
  if (!loaded) {
    Finding finding{Severity::error,
                    "L5",
                    {},
                    "journal",
                    loaded.error().message,
                    "the journal is damaged; nothing was touched. Restore it from a copy"};
    co_return refused(Exit::unsafe, std::move(finding));
  }
  if (auto mismatch = find_mismatch(profile_, configs_, ledger_->facts())) {
    co_return refused(Exit::unsafe, *std::move(mismatch));
  }
  const std::string edits = describe_edits(configs_, ledger_->facts());
  if (!edits.empty()) emit(EventKind::finding, {}, {}, edits);
  std::vector<JournalRecord> records =
      start_records(profile_, configs_, ledger_->facts(), identity_.adopt, identity_.command);
  for (JournalRecord& record : records) {
    const auto seq = co_await ledger_->append(std::move(record));
    if (seq) continue;
    co_return refused(Exit::unsafe, finding_of(seq.error(), "journal", "run `ichor up` again"));
  }
  co_return std::nullopt;
}

Task<RunResult> Orchestrator::run(Context context) {
  const auto lock = co_await RunLock::take(context, world_.journal, identity_.owner);
  if (!lock) co_return refused_by_lock(lock.error());
  co_return co_await run_locked(context, lock->lease());
}

Task<RunResult> Orchestrator::run_under(Context context, const RunLock& lock) {
  return run_locked(context, lock.lease());
}

Task<RunResult> Orchestrator::run_locked(Context context, Lease lease) {
  const MonoTime started = context.now();
  ledger_ = std::make_unique<Ledger>(context, world_.journal, identity_.run, std::move(lease));
  if (auto early = co_await begin()) co_return *std::move(early);
  run_ = std::make_unique<RunState>(RunState{world_, profile_, configs_, *ledger_});
  make_actors();
  make_barriers();
  make_turns();
  emit(EventKind::run_started, {}, {}, profile_.name);
  {
    CancelScope ahead(*context.scope);
    TaskGroup beside(context);
    const bool later = world_.kubernetes && kubernetes_phases(steps_).size() < steps_.size();
    beside.spawn(ledger_->keep_lease(context.under(ahead)));
    if (later) beside.spawn(world_.kubernetes->prepare(context.under(ahead), profile_));
    TaskGroup group(context);
    for (const auto& actor : actors_) group.spawn(run_actor(context, *actor));
    co_await group.join();
    ahead.cancel();
    co_await beside.join();
  }
  RunResult result = conclude(context, started);
  // Before the end is in the journal, which must say what this run says.
  if (has_slept(context, result)) result = slept_over(std::move(result));
  co_await finish(result);
  if (has_slept(context, result)) result = slept_over(std::move(result));
  co_return result;
}

bool Orchestrator::has_slept(Context context, const RunResult& result) const {
  const bool success = result.exit == Exit::done || result.exit == Exit::cni_pending;
  return success && run_->looked.age(context) > kSeenTogether;
}

RunResult Orchestrator::slept_over(RunResult result) const {
  result.exit = Exit::out_of_time;
  result.verdict =
      "ichor slept after it had seen the cluster ready; whether it still is, is not known";
  result.findings.push_back({Severity::error,
                             "L2",
                             {},
                             "ready",
                             result.verdict,
                             "run `ichor up` again: it looks at everything again"});
  return result;
}

Task<void> Orchestrator::finish(RunResult& result) {
  if (!identity_.goes_on || result.exit != Exit::done) co_await write_end(*ledger_, result);
  emit(EventKind::run_ended, {}, {}, result.verdict);
}

void Orchestrator::make_actors() {
  auto cluster = std::make_unique<Actor>();
  for (const NodePlan& plan : profile_.nodes) {
    if (ledger_->facts().excluded(plan.name)) continue;
    auto actor = std::make_unique<Actor>();
    actor->plan = &plan;
    actor->result.node = plan.name;
    actor->links.push_back(
        std::make_unique<NodeLink>(world_, profile_, plan, ledger_->facts(), actor->changed));
    actors_.push_back(std::move(actor));
    cluster->links.push_back(
        std::make_unique<NodeLink>(world_, profile_, plan, ledger_->facts(), cluster->changed));
  }
  actors_.push_back(std::move(cluster));
}

bool Orchestrator::takes_part(const Actor& actor, const Step& step) const {
  switch (step.who) {
    case Who::cluster:
    case Who::kubernetes: return actor.plan == nullptr;
    case Who::every_node: return actor.plan != nullptr;
    case Who::control_planes: return actor.plan && actor.plan->role == Role::control_plane;
    case Who::workers: return actor.plan && actor.plan->role == Role::worker;
  }
  return false;
}

void Orchestrator::make_barriers() {
  std::map<Milestone, int> expected;
  for (const Step& step : steps_) {
    const auto count = std::count_if(actors_.begin(), actors_.end(),
                                     [&](const auto& actor) { return takes_part(*actor, step); });
    expected[step.reaches] += static_cast<int>(count);
  }
  for (const auto& [milestone, count] : expected) {
    barriers_[milestone] = std::make_unique<Barrier>(name_of(milestone), count);
  }
}

void Orchestrator::make_turns() {
  if (!profile_.sequential) return;
  for (const Step& step : steps_) {
    if (!step.limited) continue;
    TurnOrder& turns = turns_.try_emplace(&step, actors_.size()).first->second;
    for (std::size_t place = 0; place < actors_.size(); ++place) {
      actors_[place]->place = place;
      if (!takes_part(*actors_[place], step)) turns.over(place);
    }
  }
}

Task<bool> Orchestrator::wait_for_turn(Context context, const Actor& actor, const Step& step) {
  const auto turns = turns_.find(&step);
  if (turns == turns_.end()) co_return true;
  if (!turns->second.is_turn_of(actor.place)) {
    world_.events.emit(
        {EventKind::waiting, world_.clock.now(), actor.result.node, step.phase->name(),
         "its turn comes after the nodes before it in the profile", actor.result.stage});
  }
  co_return co_await turns->second.my_turn(context, actor.place);
}

void Orchestrator::end_turns(const Actor& actor, const Step* step) {
  for (auto& [limited, turns] : turns_) {
    if (!step || step == limited) turns.over(actor.place);
  }
}

Task<void> Orchestrator::run_actor(Context context, Actor& actor) {
  actor.result.end = StepEnd::passed;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (!takes_part(actor, step)) continue;
    const PhaseEnd end = co_await run_step(context, actor, step);
    if (end.end == StepEnd::passed && is_last(actor, i)) hand_over(actor);
    settle(actor, step, end);
    if (end.end == StepEnd::passed) continue;
    break_barriers(actor, i, actor.result.reason);
    break;
  }
  end_turns(actor, nullptr);
}

bool Orchestrator::is_last(const Actor& actor, std::size_t step) const {
  return std::none_of(steps_.begin() + static_cast<std::ptrdiff_t>(step) + 1, steps_.end(),
                      [&](const Step& later) { return takes_part(actor, later); });
}

void Orchestrator::hand_over(Actor& actor) {
  if (!actor.plan) return;
  for (const auto& link : actors_.back()->links) {
    if (&link->plan() == actor.plan) link->take_over(*actor.links.front());
  }
}

Task<PhaseEnd> Orchestrator::run_step(Context context, Actor& actor, const Step& step) {
  actor.result.phase = step.phase->name();
  if (auto blocked = co_await wait_for(context, actor, step.needs)) co_return *std::move(blocked);
  if (!step.limited) co_return co_await run_timed(context, actor, step);
  const bool is_turn = co_await wait_for_turn(context, actor, step);
  if (!is_turn) co_return PhaseEnd{StepEnd::cancelled, std::nullopt, 0};
  const bool entered = co_await turnstile_.enter(context);
  if (!entered) co_return PhaseEnd{StepEnd::cancelled, std::nullopt, 0};
  if (step.first_failure_stops && barrier(step.reaches).broken()) {
    turnstile_.leave();
    auto blocked = co_await wait_for(context, actor, step.reaches);
    co_return blocked.value_or(PhaseEnd{StepEnd::blocked, std::nullopt, 0});
  }
  PhaseEnd end = co_await run_timed(context, actor, step);
  turnstile_.leave();
  end_turns(actor, &step);
  co_return end;
}

Task<std::optional<PhaseEnd>> Orchestrator::wait_for(Context context, const Actor& actor,
                                                     Milestone milestone) {
  if (milestone == Milestone::none) co_return std::nullopt;
  Barrier& awaited = barrier(milestone);
  const Wake wake = co_await awaited.passed(context);
  if (wake == Wake::cancelled) co_return PhaseEnd{StepEnd::cancelled, std::nullopt, 0};
  if (awaited.open()) co_return std::nullopt;
  Finding finding{Severity::note,    "I7",
                  actor.result.node, std::string(awaited.name()),
                  awaited.reason(),  "see the node that is named"};
  co_return PhaseEnd{StepEnd::blocked, std::move(finding), 0};
}

Task<PhaseEnd> Orchestrator::run_timed(Context context, Actor& actor, const Step& step) {
  const MonoTime started = context.now();
  PhaseEnd end = co_await run_phase(context, actor, step);
  auto record = record_of_step(actor.result.node, *step.phase, end, context.now() - started);
  if (record) co_await ledger_->append(*std::move(record));
  co_return end;
}

Task<PhaseEnd> Orchestrator::run_phase(Context context, Actor& actor, const Step& step) {
  if (actor.plan) {
    const auto& phase = static_cast<const NodePhase&>(*step.phase);
    NodeSubject subject(*actor.links.front(), phase);
    PhaseLoop loop(*run_, phase, subject, actor.changed);
    PhaseEnd end = co_await loop.run(context);
    if (subject.stage() != Stage::unknown) actor.result.stage = subject.stage();
    co_return end;
  }
  if (step.who == Who::kubernetes) co_return co_await run_kubernetes(context, step);
  const auto& phase = static_cast<const ClusterPhase&>(*step.phase);
  std::vector<NodeLink*> links;
  for (const auto& link : actor.links) {
    const bool wanted = phase.looks_at_workers() || link->plan().role == Role::control_plane;
    if (wanted) links.push_back(link.get());
  }
  ClusterSubject subject(world_, std::move(links), phase, profile_.budgets);
  PhaseLoop loop(*run_, phase, subject, actor.changed);
  PhaseEnd end = co_await loop.run(context);
  note_nodes(phase, subject.view(), end);
  auto members = record_of_members(phase, end, subject.view());
  if (members) co_await ledger_->append(*std::move(members));
  co_return end;
}

Task<PhaseEnd> Orchestrator::run_kubernetes(Context context, const Step& step) {
  check(world_.kubernetes != nullptr, "whoever gives Kubernetes phases says what they work with");
  const StepEnd end = co_await world_.kubernetes->run(
      context, *ledger_, profile_, static_cast<const KubernetesPhase&>(*step.phase),
      kubernetes_phases(steps_));
  run_->looked = LookTime::now(context);
  // Its findings are in its own report; see add_kubernetes().
  co_return PhaseEnd{end, std::nullopt, 0};
}

void Orchestrator::add_kubernetes(RunResult& result) const {
  const PhasesResult& phases = world_.kubernetes->result();
  const PhaseOptions& options = world_.kubernetes->options().phase;
  if (phases.started()) {
    // That the CNI was pending is over, or the phases have said it again.
    std::erase_if(result.findings, [](const Finding& one) { return one.id == kCniPending; });
    result.mutations += phases.mutations;
    const bool called_off = result.exit == Exit::interrupted && exit_of(phases) == Exit::done;
    if (!called_off) {
      result.exit = exit_of(phases);
      result.verdict = verdict_of(phases, options);
    }
  }
  std::ranges::move(findings_of(phases, options), std::back_inserter(result.findings));
}

void Orchestrator::note_nodes(const ClusterPhase& phase, const ClusterView& view, PhaseEnd& end) {
  const Wanted wanted{profile_, configs_, ledger_->facts(), world_.clock.now()};
  for (const NodeView& node : view.nodes) {
    const auto actor = std::find_if(actors_.begin(), actors_.end(), [&](const auto& one) {
      return one->plan && one->plan->name == node.node;
    });
    if (actor == actors_.end()) continue;
    if (node.status) (*actor)->result.stage = node.status->stage;
    if (!end.finding) continue;
    (*actor)->unmet = phase.unmet_on(wanted, node);
    if ((*actor)->unmet.empty()) continue;
    (*actor)->result.stage = node.status ? node.status->stage : Stage::unknown;
    (*actor)->unmet_in = phase.name();
    // The first one is the cause; the others appear in their rows.
    if (end.finding->node.value().empty()) end.finding->node = node.node;
    (*actor)->unmet_end = end.finding->node == node.node ? end.end : StepEnd::blocked;
  }
}

void Orchestrator::settle(Actor& actor, const Step& step, const PhaseEnd& end) {
  actor.result.end = end.end;
  actor.result.retries += end.retries;
  actor.findings.insert(actor.findings.end(), end.more.begin(), end.more.end());
  if (end.end == StepEnd::passed) {
    for (const Finding& note : end.more) {
      emit(EventKind::finding, actor.result.node, step.phase->name(), note.what);
    }
    if (step.phase->name() == kKubeconfigPhase) api_proved_ = true;
    if (step.reaches == Milestone::none) return;
    Barrier& reached = barrier(step.reaches);
    reached.arrive();
    if (reached.open() && !step.stands_in) {
      emit(EventKind::barrier_opened, {}, step.phase->name(), std::string(reached.name()));
    }
    return;
  }
  actor.result.reason = end.finding ? end.finding->what : "cancelled";
  if (!end.finding) return;
  // Who is blocked has nothing to tell that the one who blocks does not tell better.
  const bool blocked = end.end == StepEnd::blocked;
  emit(blocked ? EventKind::blocked : EventKind::phase_failed, actor.result.node,
       step.phase->name(), end.finding->what);
  if (!blocked) actor.findings.push_back(*end.finding);
}

void Orchestrator::break_barriers(const Actor& actor, std::size_t first_step,
                                  const std::string& reason) {
  const std::string who = actor.plan ? actor.plan->name.value() : profile_.name;
  bool told = false;
  for (std::size_t i = first_step; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.reaches == Milestone::none || !takes_part(actor, step)) continue;
    Barrier& lost = barrier(step.reaches);
    // The nodes that a lost milestone blocks report what follows from it.
    const bool first = !lost.broken() && actor.result.end != StepEnd::blocked && !told;
    if (first) emit(EventKind::barrier_broken, {}, step.phase->name(), reason);
    told = true;
    // The first cause is passed on as it is: a chain of followers explains nothing.
    const std::string cause =
        step.stands_in ? fmt::format("{} does not pass {}", who, step.phase->name())
                       : fmt::format("{} failed in {}", who, steps_[first_step].phase->name());
    lost.break_with(actor.result.end == StepEnd::blocked ? reason : cause);
  }
}

RunResult Orchestrator::conclude(Context context, MonoTime started) const {
  RunResult result;
  result.mutations = run_->mutations;
  result.api_proved = api_proved_;
  result.elapsed = context.now() - started;
  result.exit = Exit::done;
  // The worst end decides; among equals the first in the order of the profile is named.
  const auto severity = [](StepEnd end) {
    switch (end) {
      case StepEnd::passed: return 0;
      case StepEnd::blocked: return 1;
      case StepEnd::cni_pending:
      case StepEnd::missing_tool:
      case StepEnd::failed: return 2;
      case StepEnd::out_of_time: return 3;
      case StepEnd::cancelled: return 4;
      case StepEnd::unsafe: return 5;
    }
    return 5;
  };
  constexpr Exit exits[] = {Exit::done,        Exit::failed,      Exit::failed,
                            Exit::out_of_time, Exit::interrupted, Exit::unsafe};
  int worst = 0;
  for (const auto& actor : actors_) {
    const int rank = severity(actor->result.end);
    if (rank > worst) {
      worst = rank;
      result.verdict = actor->result.reason;
    }
    result.findings.insert(result.findings.end(), actor->findings.begin(), actor->findings.end());
    if (actor->plan) result.nodes.push_back(actor->row());
  }
  note_blocked(result);
  result.findings.insert(result.findings.end(), run_->notes.begin(), run_->notes.end());
  result.exit = exits[worst];
  if (worst == 0) result.verdict = success(result.mutations);
  const bool cni_pending =
      worst == 0 && std::any_of(actors_.back()->findings.begin(), actors_.back()->findings.end(),
                                [](const Finding& one) { return one.id == kCniPending; });
  if (cni_pending) {
    result.exit = Exit::cni_pending;
    result.verdict = fmt::format("{}: control plane up, CNI pending", profile_.name);
  }
  if (world_.kubernetes) add_kubernetes(result);
  return result;
}

void Orchestrator::note_blocked(RunResult& result) const {
  std::map<std::string, std::string> blocked;  // by the reason
  for (const auto& actor : actors_) {
    if (actor->result.end != StepEnd::blocked) continue;
    std::string& names = blocked[actor->result.reason];
    names +=
        (names.empty() ? "" : ", ") + (actor->plan ? actor->plan->name.value() : "the cluster");
  }
  for (const auto& [reason, names] : blocked) {
    result.findings.push_back({Severity::note,
                               "I7",
                               {},
                               "blocked",
                               fmt::format("{}; blocked by it: {}", reason, names),
                               "they are not the cause: they continue when it is fixed"});
  }
}

std::string Orchestrator::success(int mutations) const {
  const std::string_view last = steps_.empty() ? "nothing" : steps_.back().phase->name();
  // Only the last step of the whole sequence looks at everything at once.
  std::string text = last == "ready" ? fmt::format("{} is ready", profile_.name)
                                     : fmt::format("{}: {} passed", profile_.name, last);
  if (mutations == 0) text += "; nothing had to be changed";
  return text;
}

}  // namespace ichor
