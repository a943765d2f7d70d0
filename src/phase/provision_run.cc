#include "phase/provision_run.h"

#include <algorithm>
#include <fmt/format.h>

#include "async/signal.h"
#include "async/task_group.h"
#include "base/check.h"
#include "lint/c7_machine.h"
#include "phase/provider_finding.h"
#include "wait/turnstile.h"

namespace ichor {

namespace {

using Kind = ProviderError::Kind;

constexpr std::string_view kPhase = "provision";
constexpr Duration kBudget = std::chrono::minutes(20);
constexpr Duration kLookAgain = std::chrono::seconds(3);
constexpr Duration kTaskPoll = std::chrono::seconds(1);
constexpr Duration kTaskLimit = std::chrono::minutes(10);

std::string deed_text(VmDeed deed, const VmPlace& place) {
  return fmt::format("{} VM {} on {}", name_of(deed), place.id, place.host);
}

Finding problem(std::string id, const NodeName& node, std::string what, std::string fix) {
  return {Severity::error, std::move(id), node, "proxmox", std::move(what), std::move(fix)};
}

std::vector<std::string> tags_in(const std::string& text) {
  std::vector<std::string> tags;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find_first_of(";, ", begin), text.size());
    if (end > begin) tags.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return tags;
}

ProviderUse use_of(VmAction action) {
  return action == VmAction::destroy ? ProviderUse::destroy : ProviderUse::power;
}

/// Of a machine that is there: what a change needs to know of it.
VmSpec spec_of(const VmSeen& vm) {
  VmSpec spec;
  spec.node = NodeName(vm.name);
  spec.name = vm.name;
  spec.place = vm.place;
  return spec;
}

}  // namespace

ProvisionRun::ProvisionRun(World world, const ClusterProfile& profile, const ProviderPlan& plan,
                           ProvisionFacts facts)
    : world_(world),
      since_(world.clock.now()),
      wall_since_ms_(world.clock.wall().unix_ms),
      profile_(profile),
      plan_(plan),
      facts_(std::move(facts)),
      specs_(machines_for(profile, plan)),
      looks_(world.provider, world.events, profile, plan, specs_) {}

void ProvisionRun::tell(EventKind kind, const NodeName& node, std::string text) {
  world_.events.emit({kind, world_.clock.now(), node, kPhase, std::move(text)});
}

void ProvisionRun::fail(Finding finding, Exit exit) {
  ++failures_;
  if (result_.verdict.empty()) {
    result_.exit = exit;
    result_.verdict = finding.what;
  }
  tell(EventKind::phase_failed, finding.node, finding.what);
  result_.findings.push_back(std::move(finding));
}

void ProvisionRun::take(std::vector<Finding> findings, Exit exit) {
  for (Finding& finding : findings) {
    if (finding.severity == Severity::error) {
      fail(std::move(finding), exit);
    } else {
      result_.findings.push_back(std::move(finding));
    }
  }
}

void ProvisionRun::report(const ProviderError& error, const NodeName& node) {
  const Exit exit = exit_of(error);
  // By the limit of the run: no signal came.
  fail(finding_of(error, node), exit == Exit::interrupted ? Exit::out_of_time : exit);
}

RunResult ProvisionRun::conclude(Context context, MonoTime started, std::string done) {
  if (context.cancelled()) {
    result_.exit = Exit::interrupted;
    result_.verdict = "interrupted; the same command continues where this run was";
  } else if (is_broken()) {
    result_.exit = Exit::unsafe;
    result_.verdict = world_.ledger->trouble().message;
    result_.findings.push_back(
        finding_of(world_.ledger->trouble(), "journal", "run the same command again"));
  } else if (result_.verdict.empty()) {
    result_.exit = Exit::done;
    result_.verdict = std::move(done);
  }
  // A rejected token or a missing privilege is a finding only as long as nothing was changed.
  if (changed_ && result_.exit == Exit::findings) result_.exit = Exit::failed;
  result_.elapsed = context.now() - started;
  if (!world_.ledger) return std::move(result_);
  tell(result_.exit == Exit::done ? EventKind::phase_done : EventKind::phase_failed, {},
       result_.verdict);
  return std::move(result_);
}

std::int64_t ProvisionRun::wall_ms() const {
  const Duration passed = world_.clock.now() - since_;
  return wall_since_ms_ + std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
}

bool ProvisionRun::is_broken() const { return world_.ledger && world_.ledger->broken(); }

Task<std::uint64_t> ProvisionRun::append(JournalRecord record) {
  check(world_.ledger != nullptr, "a look changes nothing");
  record.wall_ms = wall_ms();
  JournalRecord kept = record;
  const auto seq = co_await world_.ledger->append(std::move(record));
  if (!seq) co_return 0;
  kept.seq = *seq;
  facts_.fold(kept);
  co_return *seq;
}

// --- looking

Task<bool> ProvisionRun::check_access(Context context, ProviderUse use) {
  auto findings = co_await looks_.access(context, use);
  if (!findings) report(findings.error(), {});
  if (!findings) co_return false;
  const std::size_t known = failures_;
  take(*std::move(findings), Exit::findings);
  co_return failures_ == known;
}

Task<bool> ProvisionRun::check_image(Context context) {
  auto findings = co_await looks_.image(context);
  if (!findings) report(findings.error(), {});
  if (!findings) co_return false;
  for (Finding& finding : *findings) fail(std::move(finding), Exit::findings);
  co_return findings->empty();
}

Task<bool> ProvisionRun::look(Context context) {
  auto sight = co_await looks_.machines(context, facts_);
  if (sight) sight_ = *std::move(sight);
  if (!sight && !context.cancelled()) report(sight.error(), {});
  co_return sight && !context.cancelled();
}

void ProvisionRun::judge_machines() {
  std::vector<Finding> findings;
  for (const VmSpec& spec : specs_) {
    // A clone has the tag, too, and is no machine of the profile.
    const VmSeen* vm = sight_.find(spec.place.id);
    if (vm && is_ours(*vm, profile_) && vm->lock.empty()) lint_machine(*vm, profile_, findings);
  }
  take(std::move(findings), Exit::findings);
}

// --- one deed

Task<bool> ProvisionRun::end_attempt(VmAttempt attempt, OutcomeKind outcome, std::string why) {
  const std::uint64_t kept = co_await append(outcome_record(
      attempt.deed, attempt.node, attempt.place, attempt.intent, outcome, std::move(why)));
  co_return kept != 0;
}

void ProvisionRun::note_failed_task(const VmAttempt& attempt, const ProviderTask& task,
                                    const std::vector<std::string>& log) {
  std::string what =
      fmt::format("the task to {} failed: {}", deed_text(attempt.deed, attempt.place), task.result);
  for (const std::string& line : log) {
    if (line.find("ERROR") != line.npos && what.find(line) == what.npos) what += "; " + line;
  }
  failed_.insert(attempt.place.id);
  fail(problem("P1", attempt.node, what,
               fmt::format("correct what Proxmox names (its log: `pvenode task log {}` on the "
                           "host), then run the same command again: it continues from there",
                           task.id.value())),
       Exit::failed);
}

Task<bool> ProvisionRun::follow(Context context, VmAttempt attempt, ProviderTaskId id) {
  const Context limited = context.within(kTaskLimit);
  const std::string deed = deed_text(attempt.deed, attempt.place);
  tell(EventKind::waiting, attempt.node, deed + ": " + id.value());
  std::string state = "it runs";
  while (true) {
    const auto task = co_await world_.provider.task(limited, id);
    if (context.cancelled()) co_return false;
    if (!task && task.error().kind == Kind::missing) {
      // Its log is gone; the machine itself says what became of it.
      co_await end_attempt(attempt, OutcomeKind::refused,
                           "the provider does not know the task any more");
      co_return false;
    }
    if (!task && !may_pass(task.error())) {
      failed_.insert(attempt.place.id);
      report(task.error(), attempt.node);
      co_return false;
    }
    if (task && !task->running) {
      const OutcomeKind outcome = task->ok ? OutcomeKind::done : OutcomeKind::refused;
      if (!co_await end_attempt(attempt, outcome, task->result)) co_return false;
      tell(EventKind::acted, attempt.node, fmt::format("{}: {}", deed, task->result));
      if (task->ok) co_return true;
      const auto log = co_await world_.provider.task_log(context, id);
      note_failed_task(attempt, *task, log ? *log : std::vector<std::string>{});
      co_return false;
    }
    state = task ? "it runs" : to_text(task.error());
    const Wake wake = co_await sleep_for(limited, kTaskPoll);
    if (wake == Wake::signalled) continue;
    if (context.cancelled()) co_return false;
    failed_.insert(attempt.place.id);
    fail(problem(
             "P1", attempt.node, fmt::format("the task to {} did not end in time: {}", deed, state),
             fmt::format("look at the task {} in Proxmox; the next run follows it", id.value())),
         Exit::out_of_time);
    co_return false;
  }
}

void ProvisionRun::note_unread(const ProviderError& error, const VmSpec& spec) {
  // It went away, or cannot be read now: the next look shows which.
  if (error.kind == Kind::missing || may_pass(error)) return;
  failed_.insert(spec.place.id);
  report(error, spec.node);
}

Task<bool> ProvisionRun::carry_out(Context context, VmDeed deed, VmSpec spec) {
  const auto before = co_await world_.provider.tasks(context, spec.place);
  if (!before) {
    note_unread(before.error(), spec);
    co_return false;
  }
  const ProviderTaskId newest = before->empty() ? ProviderTaskId() : before->front().id;
  const std::uint64_t intent = co_await append(intent_record(deed, spec.node, spec.place, newest));
  if (intent == 0 || context.cancelled()) co_return false;
  const VmAttempt attempt = *facts_.last(spec.place.id);
  tell(EventKind::decided, spec.node, deed_text(deed, spec.place));
  ++result_.mutations;
  ProviderResult<ProviderTaskId> task = tl::unexpected(ProviderError{});
  switch (deed) {
    case VmDeed::create: task = co_await world_.provider.create(context, spec); break;
    case VmDeed::start: task = co_await world_.provider.start(context, spec.place); break;
    case VmDeed::stop: task = co_await world_.provider.stop(context, spec.place); break;
    case VmDeed::destroy: task = co_await world_.provider.destroy(context, spec.place); break;
  }
  changed_ = changed_ || task || task.error().progress == Progress::sent;
  if (task) {
    // Before it is waited for: a run that dies now leaves the name of its task.
    const std::uint64_t kept =
        co_await append(task_record(deed, spec.node, spec.place, intent, *task));
    if (kept == 0) co_return false;
    co_return co_await follow(context, attempt, *task);
  }
  const ProviderError& error = task.error();
  // It may have happened: the attempt stays open, and the next look tells.
  if (error.progress == Progress::sent) {
    tell(EventKind::retrying, spec.node, to_text(error));
    co_return false;
  }
  const bool kept = co_await end_attempt(attempt, OutcomeKind::refused, error.text);
  if (kept && may_pass(error)) {
    tell(EventKind::retrying, spec.node, to_text(error));
    co_return false;
  }
  failed_.insert(spec.place.id);
  report(error, spec.node);
  co_return false;
}

Task<bool> ProvisionRun::still_ours(Context context, const VmSpec& spec) {
  const auto config = co_await world_.provider.config(context, spec.place);
  if (!config) {
    note_unread(config.error(), spec);
    co_return false;
  }
  const std::vector<std::string> tags = tags_in(config->get("tags"));
  const bool ours = std::find(tags.begin(), tags.end(), tag_of(profile_)) != tags.end();
  if (ours) co_return true;
  failed_.insert(spec.place.id);
  fail(problem("P4", spec.node,
               fmt::format("VM {} ({}) no longer has the tag {}: ichor does not change it",
                           spec.place.id, spec.name, tag_of(profile_)),
               "if you do not need it, remove it by hand"),
       Exit::unsafe);
  co_return false;
}

// --- many of them

Task<bool> ProvisionRun::take_up(Context context, const Work& work) {
  const VmAttempt attempt = *facts_.last(work.spec.place.id);
  if (work.step.kind == ProvisionStep::Kind::gone) {
    co_return co_await end_attempt(attempt, OutcomeKind::done, "the machine is not there any more");
  }
  if (work.step.kind == ProvisionStep::Kind::made) {
    co_return co_await end_attempt(attempt, OutcomeKind::done, "the machine is there");
  }
  if (attempt.task.value().empty()) {
    const std::uint64_t kept = co_await append(
        task_record(attempt.deed, attempt.node, attempt.place, attempt.intent, work.step.task));
    if (kept == 0) co_return false;
  }
  co_return co_await follow(context, attempt, work.step.task);
}

Task<void> ProvisionRun::advance(Context context, Work work, Goal goal) {
  using Step = ProvisionStep::Kind;
  switch (work.step.kind) {
    case Step::ready: break;
    case Step::settle: tell(EventKind::waiting, work.spec.node, work.step.why); break;
    case Step::create: {
      // Started at once, because the task that made it is our own. After one that was found, the
      // next look says first whose machine that is.
      const bool made = co_await carry_out(context, VmDeed::create, work.spec);
      if (made && goal == Goal::running) co_await carry_out(context, VmDeed::start, work.spec);
      break;
    }
    case Step::start:
      if (co_await still_ours(context, work.spec)) {
        co_await carry_out(context, VmDeed::start, work.spec);
      }
      break;
    case Step::stop:
      if (co_await still_ours(context, work.spec)) {
        co_await carry_out(context, VmDeed::stop, work.spec);
      }
      break;
    case Step::destroy:
      if (co_await still_ours(context, work.spec)) {
        co_await carry_out(context, VmDeed::destroy, work.spec);
      }
      break;
    case Step::follow:
    case Step::gone:
    case Step::made: co_await take_up(context, work); break;
  }
}

Task<bool> ProvisionRun::do_work(Context context, std::vector<Work> work, Goal goal) {
  waiting_.clear();
  bool moved = false;
  // Before the group: a run that is dropped here drops its children first.
  Turnstile places(std::max(plan_.concurrency, 1));
  TaskGroup group(context);
  for (Work& one : work) {
    const bool settles = one.step.kind == ProvisionStep::Kind::settle;
    if (settles) waiting_[one.spec.place.id] = one.step.why;
    moved = moved || !settles;
    group.spawn(
        [](ProvisionRun& run, Turnstile& turn, Context inner, Work what, Goal end) -> Task<void> {
          if (!co_await turn.enter(inner)) co_return;
          co_await run.advance(inner, std::move(what), end);
          turn.leave();
        }(*this, places, context, std::move(one), goal));
  }
  co_await group.join();
  if (context.cancelled() || is_broken()) co_return false;
  const Wake wake = co_await sleep_for(context, moved ? kTaskPoll : kLookAgain);
  if (wake == Wake::signalled) co_return true;
  if (context.cancelled()) co_return false;
  std::string why;
  for (const auto& [id, reason] : waiting_) why += (why.empty() ? ": " : "; ") + reason;
  fail(problem("P1", {}, "the machines on Proxmox are not ready in time" + why,
               "run the same command again: it continues from there"),
       Exit::out_of_time);
  co_return false;
}

Task<RunResult> ProvisionRun::bring_up(Context context, Goal goal) {
  using Step = ProvisionStep::Kind;
  const MonoTime started = context.now();
  const Context limited = context.within(kBudget);
  tell(EventKind::phase_started, {}, fmt::format("{} machines on Proxmox", specs_.size()));
  bool go_on = co_await check_access(limited, ProviderUse::make);
  for (bool first = true; go_on; first = false) {
    if (!co_await look(limited)) break;
    ProvisionDecision decision = decide_provision(profile_, specs_, sight_, facts_, wall_ms());
    for (Finding& finding : decision.findings) fail(std::move(finding), Exit::unsafe);
    if (first) judge_machines();
    // Nothing is done at all; what failed in an earlier round is no reason to leave the others.
    if (!decision.findings.empty() || (first && !result_.verdict.empty())) break;
    std::vector<Work> work;
    for (const VmSpec& spec : specs_) {
      const ProvisionStep& step = decision.steps[spec.node];
      const bool there =
          step.kind == Step::ready || (step.kind == Step::start && goal == Goal::created);
      if (there || failed_.contains(spec.place.id)) continue;
      Work& one = work.emplace_back(Work{spec, step});
      // It may have been moved to another host since.
      if (const VmSeen* vm = sight_.find(spec.place.id)) one.spec.place = vm->place;
    }
    if (work.empty()) break;
    if (first && !co_await check_image(limited)) break;
    go_on = co_await do_work(limited, std::move(work), goal);
  }
  co_return conclude(context, started,
                     fmt::format("{} machines are {}", specs_.size(),
                                 goal == Goal::running ? "running" : "there"));
}

Task<RunResult> ProvisionRun::change(Context context, VmAction action,
                                     std::vector<NodeName> nodes) {
  using Step = ProvisionStep::Kind;
  const MonoTime started = context.now();
  const Context limited = context.within(kBudget);
  bool go_on = co_await check_access(limited, use_of(action));
  if (go_on) go_on = co_await look(limited);
  VmSelection selection;
  if (go_on) selection = select_machines(profile_, action, sight_, facts_, nodes);
  take(std::move(selection.findings), Exit::unsafe);
  go_on = go_on && result_.verdict.empty();
  while (go_on) {
    std::vector<Work> work;
    for (const VmSeen& vm : selection.vms) {
      const ProvisionStep step = next_change(vm.place, action, sight_, facts_, wall_ms());
      const VmSeen* now = sight_.find(vm.place.id);
      if (failed_.contains(vm.place.id)) continue;
      if (step.kind != Step::ready) {
        work.push_back({spec_of(now ? *now : vm), step});
      } else if (!now && action != VmAction::destroy) {
        failed_.insert(vm.place.id);
        fail(problem("P4", NodeName(vm.name), fmt::format("VM {} was removed", vm.place.id),
                     "`ichor proxmox list` shows the machines that are ours"),
             Exit::failed);
      }
    }
    if (work.empty()) break;
    go_on = co_await do_work(limited, std::move(work), Goal::running);
    if (go_on) go_on = co_await look(limited);
  }
  static constexpr const char* kDone[] = {"running", "off", "removed"};
  co_return conclude(
      context, started,
      selection.vms.empty()
          ? fmt::format("no node of the profile has a VM with the tag {}", tag_of(profile_))
          : fmt::format("{} machines are {}", selection.vms.size(),
                        kDone[static_cast<int>(action)]));
}

void ProvisionRun::keep_only(const std::vector<NodeName>& nodes) {
  if (nodes.empty()) return;
  std::erase_if(sight_.vms, [&](const VmSeen& vm) {
    return std::find(nodes.begin(), nodes.end(), NodeName(vm.name)) == nodes.end();
  });
}

Task<RunResult> ProvisionRun::verify(Context context, std::vector<NodeName> nodes) {
  const MonoTime started = context.now();
  const bool access = co_await check_access(context, ProviderUse::make);
  // With a token that lacks rights the rest is still reported.
  const bool answers = access || !looks_.version().text.empty();
  if (answers && co_await look(context)) {
    ProvisionDecision decision = decide_provision(profile_, specs_, sight_, facts_, wall_ms());
    for (Finding& finding : decision.findings) fail(std::move(finding), Exit::findings);
    keep_only(nodes);
    judge_machines();
    if (access) co_await check_image(context);
  }
  co_return conclude(
      context, started,
      fmt::format("Proxmox VE {} can make the {} machines", looks_.version().text, specs_.size()));
}

Task<RunResult> ProvisionRun::list(Context context, std::vector<NodeName> nodes) {
  const MonoTime started = context.now();
  const bool access = co_await check_access(context, ProviderUse::list);
  if (access) co_await look(context);
  keep_only(nodes);
  const auto ours = std::count_if(sight_.vms.begin(), sight_.vms.end(),
                                  [&](const VmSeen& vm) { return is_ours(vm, profile_); });
  co_return conclude(context, started, fmt::format("{} machines are ours", ours));
}

}  // namespace ichor
