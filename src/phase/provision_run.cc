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
/// Looks in a row that may fail without an answer.
constexpr int kTriesMax = 4;
constexpr int kReadsAtOnce = 8;

std::string deed_text(VmDeed deed, const VmPlace& place) {
  return fmt::format("{} VM {} on {}", name_of(deed), place.id, place.host);
}

Finding problem(std::string id, const NodeName& node, std::string what, std::string fix) {
  return {Severity::error, std::move(id), node, "proxmox", std::move(what), std::move(fix)};
}

std::string volume_storage(const std::string& volume) { return volume.substr(0, volume.find(':')); }

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

/// May be asked again: nothing was decided by the provider.
bool passes(const ProviderError& error) {
  return error.kind == Kind::unreachable || error.kind == Kind::locked;
}

}  // namespace

ProvisionRun::ProvisionRun(World world, const ClusterProfile& profile, const ProviderPlan& plan,
                           ProvisionFacts facts)
    : world_(world),
      profile_(profile),
      plan_(plan),
      facts_(std::move(facts)),
      specs_(machines_for(profile, plan)) {}

void ProvisionRun::tell(EventKind kind, const NodeName& node, std::string text) {
  world_.events.emit({kind, world_.clock.now(), node, kPhase, std::move(text)});
}

void ProvisionRun::fail(Finding finding, Exit exit) {
  if (!finding.node.value().empty()) failed_.insert(finding.node);
  if (result_.findings.empty() || result_.verdict.empty()) {
    result_.exit = exit;
    result_.verdict = finding.what;
  }
  tell(EventKind::phase_failed, finding.node, finding.what);
  result_.findings.push_back(std::move(finding));
}

void ProvisionRun::report(const ProviderError& error, const NodeName& node) {
  fail(finding_of(error, node), exit_of(error));
}

RunResult ProvisionRun::conclude(Context context, std::string done) {
  if (context.cancelled()) {
    result_.exit = Exit::interrupted;
    result_.verdict = "interrupted; `ichor up --provision` goes on where this run was";
  } else if (is_broken()) {
    result_.exit = Exit::unsafe;
    result_.verdict = world_.ledger->trouble();
    result_.findings.push_back({Severity::error,
                                "L3",
                                {},
                                "journal",
                                world_.ledger->trouble(),
                                "free the disk, then run the same command again"});
  } else if (result_.verdict.empty()) {
    result_.exit = Exit::done;
    result_.verdict = std::move(done);
  }
  return std::move(result_);
}

bool ProvisionRun::is_broken() const { return world_.ledger && world_.ledger->broken(); }

Task<std::uint64_t> ProvisionRun::append(JournalRecord record) {
  check(world_.ledger != nullptr, "a look changes nothing");
  JournalRecord kept = record;
  const auto seq = co_await world_.ledger->append(std::move(record));
  if (!seq) co_return 0;
  kept.seq = *seq;
  facts_.fold(kept);
  co_return *seq;
}

Task<bool> ProvisionRun::check_access(Context context) {
  for (int tries = 1;; ++tries) {
    const auto version = co_await world_.provider.version(context);
    if (version) {
      version_ = *version;
      break;
    }
    const bool again = passes(version.error()) && tries < kTriesMax;
    if (!again) {
      report(version.error(), {});
      co_return false;
    }
    tell(EventKind::retrying, {}, to_text(version.error()));
    co_await sleep_for(context, kLookAgain);
  }
  const std::vector<PrivilegeNeed> needs = privileges_for(specs_, version_);
  std::map<std::string, Privileges> has;
  for (const PrivilegeNeed& need : needs) {
    if (has.contains(need.path)) continue;
    const auto granted = co_await world_.provider.privileges(context, need.path);
    if (!granted) {
      report(granted.error(), {});
      co_return false;
    }
    has[need.path] = *granted;
  }
  for (Finding& finding : missing_privileges(needs, has)) fail(std::move(finding), Exit::findings);
  co_return result_.findings.empty();
}

Task<bool> ProvisionRun::check_image(Context context) {
  std::set<std::string> hosts;
  for (const VmSpec& spec : specs_) hosts.insert(spec.place.host);
  for (const std::string& host : hosts) {
    const std::string storage = volume_storage(plan_.image);
    const auto volumes = co_await world_.provider.volumes(context, host, storage);
    if (!volumes) {
      report(volumes.error(), {});
      co_return false;
    }
    if (std::find(volumes->begin(), volumes->end(), plan_.image) != volumes->end()) continue;
    fail(problem("P1", {},
                 fmt::format("the Talos image {} is not on the storage {} of {}", plan_.image,
                             storage, host),
                 fmt::format("download the ISO of the schematic `{}` for Talos {} from the Image "
                             "Factory (platform nocloud) to that storage, or correct "
                             "providers.proxmox.image",
                             profile_.talos.schematic_id.empty() ? "of the profile"
                                                                 : profile_.talos.schematic_id,
                             to_text(profile_.talos.version))),
         Exit::findings);
  }
  co_return result_.findings.empty();
}

Task<void> ProvisionRun::read_config(Context context, VmSeen& vm) {
  const auto config = co_await world_.provider.config(context, vm.place);
  // A machine that goes away meanwhile, or that the token may not read, is not judged.
  if (config) vm.config = *config;
}

Task<void> ProvisionRun::read_tasks(Context context, const VmSpec& spec) {
  const auto tasks = co_await world_.provider.tasks(context, spec.place);
  if (tasks) sight_.tasks[spec.place.id] = *tasks;
}

Task<bool> ProvisionRun::look(Context context) {
  sight_ = {};
  for (int tries = 1;; ++tries) {
    auto vms = co_await world_.provider.machines(context);
    if (vms) {
      sight_.vms = *std::move(vms);
      break;
    }
    const bool again = passes(vms.error()) && tries < kTriesMax && !context.cancelled();
    if (!again) {
      report(vms.error(), {});
      co_return false;
    }
    tell(EventKind::retrying, {}, to_text(vms.error()));
    co_await sleep_for(context, kLookAgain);
  }
  Turnstile places(kReadsAtOnce);
  TaskGroup group(context);
  for (VmSeen& vm : sight_.vms) {
    group.spawn([](ProvisionRun& run, Turnstile& turn, Context inner, VmSeen& one) -> Task<void> {
      if (!co_await turn.enter(inner)) co_return;
      co_await run.read_config(inner, one);
      turn.leave();
    }(*this, places, context, vm));
  }
  for (const VmSpec& spec : specs_) {
    const auto lost = [&](VmDeed deed) {
      const VmAttempt* attempt = facts_.last(deed, spec.node);
      return attempt && attempt->open && attempt->task.value().empty();
    };
    if (lost(VmDeed::create) || lost(VmDeed::start)) group.spawn(read_tasks(context, spec));
  }
  co_await group.join();
  co_return !context.cancelled();
}

void ProvisionRun::note_failed_task(VmDeed deed, const NodeName& node, const VmPlace& place,
                                    const ProviderTask& task, const std::vector<std::string>& log) {
  std::string what = fmt::format("the task to {} failed: {}", deed_text(deed, place), task.result);
  for (const std::string& line : log) {
    if (line.find("ERROR") != line.npos && what.find(line) == what.npos) what += "; " + line;
  }
  fail(problem("P1", node, what,
               fmt::format("correct what Proxmox names (its log: `pvenode task log {}` on the "
                           "host), then run the same command again: it goes on from there",
                           task.id.value())),
       Exit::failed);
}

Task<bool> ProvisionRun::follow(Context context, VmDeed deed, NodeName node, VmPlace place,
                                std::uint64_t intent, ProviderTaskId id) {
  const Context limited = context.within(kTaskLimit);
  tell(EventKind::waiting, node, deed_text(deed, place) + ": " + id.value());
  while (true) {
    const auto task = co_await world_.provider.task(limited, id);
    if (context.cancelled()) co_return false;
    if (!task && task.error().kind == Kind::missing) {
      // Its log is gone; the machine itself says what became of it.
      co_await append(outcome_record(deed, node, place, intent, OutcomeKind::refused,
                                     "the provider does not know the task any more"));
      co_return false;
    }
    if (!task && !passes(task.error())) {
      report(task.error(), node);
      co_return false;
    }
    if (task && !task->running) {
      const OutcomeKind outcome = task->ok ? OutcomeKind::done : OutcomeKind::refused;
      if (co_await append(outcome_record(deed, node, place, intent, outcome, task->result)) == 0) {
        co_return false;
      }
      tell(EventKind::acted, node, fmt::format("{}: {}", deed_text(deed, place), task->result));
      if (task->ok) co_return true;
      const auto log = co_await world_.provider.task_log(context, id);
      note_failed_task(deed, node, place, *task, log ? *log : std::vector<std::string>{});
      co_return false;
    }
    const Wake wake = co_await sleep_for(limited, kTaskPoll);
    if (wake == Wake::signalled) continue;
    if (!context.cancelled()) {
      fail(problem("P1", node,
                   fmt::format("the task to {} still runs: {}", deed_text(deed, place), id.value()),
                   "look at the task in Proxmox; the next run follows it"),
           Exit::out_of_time);
    }
    co_return false;
  }
}

Task<bool> ProvisionRun::carry_out(Context context, VmDeed deed, VmSpec spec) {
  const std::uint64_t intent = co_await append(intent_record(deed, spec.node, spec.place));
  if (intent == 0 || context.cancelled()) co_return false;
  tell(EventKind::decided, spec.node, deed_text(deed, spec.place));
  ++result_.mutations;
  ProviderResult<ProviderTaskId> task = tl::unexpected(ProviderError{});
  switch (deed) {
    case VmDeed::create: task = co_await world_.provider.create(context, spec); break;
    case VmDeed::start: task = co_await world_.provider.start(context, spec.place); break;
    case VmDeed::stop: task = co_await world_.provider.stop(context, spec.place); break;
    case VmDeed::destroy: task = co_await world_.provider.destroy(context, spec.place); break;
  }
  if (task) {
    // Before anybody waits for it: a run that dies now leaves the name of its task.
    const bool kept = co_await append(task_record(deed, spec.node, spec.place, intent, *task)) != 0;
    if (!kept) co_return false;
    co_return co_await follow(context, deed, spec.node, spec.place, intent, *task);
  }
  const ProviderError& error = task.error();
  // It may have happened: the attempt stays open, and the next look tells.
  if (error.progress == Progress::sent) {
    tell(EventKind::retrying, spec.node, to_text(error));
    co_return false;
  }
  co_await append(
      outcome_record(deed, spec.node, spec.place, intent, OutcomeKind::refused, error.text));
  if (passes(error)) {
    tell(EventKind::retrying, spec.node, to_text(error));
    co_return false;
  }
  report(error, spec.node);
  co_return false;
}

Task<void> ProvisionRun::advance(Context context, const VmSpec& spec, ProvisionStep step,
                                 Goal goal) {
  using Step = ProvisionStep::Kind;
  VmSpec wanted = spec;
  for (const VmSeen& vm : sight_.vms) {
    // It may have been moved to another host since.
    if (vm.place.id == spec.place.id) wanted.place = vm.place;
  }
  bool done = false;
  switch (step.kind) {
    case Step::running: co_return;
    case Step::settle: tell(EventKind::waiting, spec.node, step.why); co_return;
    case Step::create: done = co_await carry_out(context, VmDeed::create, wanted); break;
    case Step::start:
      if (goal == Goal::running) co_await carry_out(context, VmDeed::start, wanted);
      co_return;
    case Step::follow: {
      const VmAttempt* attempt = facts_.last(step.deed, spec.node);
      const VmPlace place = attempt->place;
      const std::uint64_t intent = attempt->intent;
      if (attempt->task.value().empty()) {
        const bool kept =
            co_await append(task_record(step.deed, spec.node, place, intent, step.task)) != 0;
        if (!kept) co_return;
      }
      done = co_await follow(context, step.deed, spec.node, place, intent, step.task);
      break;
    }
  }
  // A machine that was just made is off.
  const bool made = done && (step.kind == Step::create || step.deed == VmDeed::create);
  if (made && goal == Goal::running) co_await carry_out(context, VmDeed::start, wanted);
}

Task<RunResult> ProvisionRun::bring_up(Context context, Goal goal) {
  const MonoTime started = context.now();
  const Context limited = context.within(kBudget);
  tell(EventKind::phase_started, {}, fmt::format("{} machines on Proxmox", specs_.size()));
  if (!co_await check_access(limited)) co_return conclude(context, {});
  bool image_checked = false;
  while (true) {
    if (!co_await look(limited)) break;
    ProvisionDecision decision =
        decide_provision(profile_, specs_, sight_, facts_, context.clock->wall().unix_ms);
    for (const VmSeen& vm : sight_.vms) {
      const bool judged = !image_checked && is_ours(vm, profile_) && vm.lock.empty();
      if (judged) lint_machine(vm, profile_, decision.findings);
    }
    if (decision.refused()) {
      for (Finding& finding : decision.findings) fail(std::move(finding), Exit::unsafe);
      break;
    }
    using Step = ProvisionStep::Kind;
    std::vector<const VmSpec*> open;
    for (const VmSpec& spec : specs_) {
      const Step kind = decision.steps[spec.node].kind;
      const bool there = kind == Step::running || (kind == Step::start && goal == Goal::created);
      if (!there && !failed_.contains(spec.node)) open.push_back(&spec);
    }
    if (open.empty()) break;
    if (!std::exchange(image_checked, true) && !co_await check_image(limited)) break;
    bool moved = false;
    // Before the group: a run that is dropped here drops its children first.
    Turnstile places(std::max(plan_.concurrency, 1));
    TaskGroup group(limited);
    for (const VmSpec* spec : open) {
      const ProvisionStep step = decision.steps[spec->node];
      moved = moved || step.kind != Step::settle;
      group.spawn([](ProvisionRun& run, Turnstile& turn, Context inner, const VmSpec& one,
                     ProvisionStep what, Goal end) -> Task<void> {
        if (!co_await turn.enter(inner)) co_return;
        co_await run.advance(inner, one, std::move(what), end);
        turn.leave();
      }(*this, places, limited, *spec, step, goal));
    }
    co_await group.join();
    if (context.cancelled() || is_broken()) break;
    const Wake wake = co_await sleep_for(limited, moved ? kTaskPoll : kLookAgain);
    if (wake == Wake::signalled) continue;
    if (!context.cancelled()) {
      fail(problem("P1", {}, "the machines on Proxmox are not ready in time",
                   "run the same command again: it goes on from there"),
           Exit::out_of_time);
    }
    break;
  }
  RunResult result = conclude(context, fmt::format("{} machines are {}", specs_.size(),
                                                   goal == Goal::running ? "running" : "there"));
  result.elapsed = context.now() - started;
  tell(result.exit == Exit::done ? EventKind::phase_done : EventKind::phase_failed, {},
       result.verdict);
  co_return result;
}

Task<bool> ProvisionRun::still_ours(Context context, const VmSeen& vm) {
  const auto config = co_await world_.provider.config(context, vm.place);
  if (!config) {
    report(config.error(), NodeName(vm.name));
    co_return false;
  }
  const std::vector<std::string> tags = tags_in(config->get("tags"));
  if (std::find(tags.begin(), tags.end(), tag_of(profile_)) != tags.end()) co_return true;
  fail(problem("P4", NodeName(vm.name),
               fmt::format("VM {} ({}) does not have the tag {} any more: it is left alone",
                           vm.place.id, vm.name, tag_of(profile_)),
               "remove it by hand if it must go"),
       Exit::unsafe);
  co_return false;
}

Task<void> ProvisionRun::change_one(Context context, VmSeen vm, VmWish wish) {
  VmSpec spec;
  spec.node = NodeName(vm.name);
  spec.name = vm.name;
  spec.place = vm.place;
  if (!co_await still_ours(context, vm)) co_return;
  if (wish == VmWish::start) {
    if (!vm.running) co_await carry_out(context, VmDeed::start, spec);
    co_return;
  }
  if (vm.running && !co_await carry_out(context, VmDeed::stop, spec)) co_return;
  if (wish != VmWish::destroy) co_return;
  if (!co_await still_ours(context, vm)) co_return;
  if (!co_await carry_out(context, VmDeed::destroy, spec)) co_return;
  // What the journal knows of the node's life ends with the machine.
  JournalRecord record;
  record.kind = RecordKind::observed;
  record.node = spec.node;
  record.key = std::string(kResetKey);
  co_await append(std::move(record));
}

Task<RunResult> ProvisionRun::change(Context context, VmWish wish, std::vector<NodeName> nodes) {
  const MonoTime started = context.now();
  const Context limited = context.within(kBudget);
  if (!co_await look(limited)) co_return conclude(context, {});
  VmSelection selection = select_machines(profile_, sight_.vms, nodes);
  if (!selection.findings.empty()) {
    for (Finding& finding : selection.findings) fail(std::move(finding), Exit::unsafe);
    co_return conclude(context, {});
  }
  TaskGroup group(limited);
  for (const VmSeen& vm : selection.vms) group.spawn(change_one(limited, vm, wish));
  co_await group.join();
  static constexpr const char* kDone[] = {"running", "off", "removed"};
  RunResult result = conclude(
      context,
      selection.vms.empty()
          ? fmt::format("there is no VM with the tag {}", tag_of(profile_))
          : fmt::format("{} machines are {}", selection.vms.size(), kDone[static_cast<int>(wish)]));
  result.elapsed = context.now() - started;
  co_return result;
}

Task<RunResult> ProvisionRun::verify(Context context) {
  const bool access = co_await check_access(context);
  // With a token that may not see everything the rest is still told.
  const bool seen = access || !version_.text.empty();
  if (seen && co_await look(context)) {
    ProvisionDecision decision =
        decide_provision(profile_, specs_, sight_, facts_, context.clock->wall().unix_ms);
    for (const VmSeen& vm : sight_.vms) {
      if (is_ours(vm, profile_)) lint_machine(vm, profile_, decision.findings);
    }
    for (Finding& finding : decision.findings) {
      if (finding.severity == Severity::error) {
        fail(std::move(finding), Exit::findings);
      } else {
        result_.findings.push_back(std::move(finding));
      }
    }
    if (access) co_await check_image(context);
  }
  co_return conclude(
      context, fmt::format("Proxmox VE {} can make the {} machines", version_.text, specs_.size()));
}

Task<RunResult> ProvisionRun::list(Context context) {
  co_await look(context);
  co_return conclude(context, fmt::format("{} machines were seen", sight_.vms.size()));
}

}  // namespace ichor
