#include "engine/kube_loop.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "wait/backoff.h"
#include "wait/kube_retry.h"

namespace ichor {

namespace {

/// Actions at the same time, besides installs, of which the phase starts as many as it may.
constexpr int kAtOnce = 8;
/// For a look after time was up.
constexpr Duration kLastLook = std::chrono::seconds(10);

ObjectChange change_of(const Action& action) {
  if (const auto* apply = std::get_if<ApplyObject>(&action)) return apply->change;
  if (const auto* install = std::get_if<InstallRelease>(&action)) return install->change;
  if (const auto* approval = std::get_if<ApproveCsr>(&action)) {
    return {key_of(action), "update", {"approved: " + approval->why}};
  }
  return {key_of(action), "delete", {}};
}

std::string done_text(const Action& action) {
  if (std::holds_alternative<ApplyObject>(action)) return key_of(action) + ": applied";
  if (std::holds_alternative<InstallRelease>(action)) return key_of(action) + ": deployed";
  if (const auto* approval = std::get_if<ApproveCsr>(&action)) {
    return fmt::format("{}: approved, {}", key_of(action), approval->why);
  }
  return key_of(action) + ": deleted";
}

/// What is gone already needs no delete.
bool is_gone(const Action& action, const CallError& error) {
  return std::holds_alternative<DeleteObject>(action) && error.code == Code::not_found;
}

}  // namespace

void KubeLoop::say(EventKind kind, std::string text, int attempt) const {
  Event event;
  event.kind = kind;
  event.at = run_.world.clock.now();
  event.phase = report_.name;
  event.text = std::move(text);
  event.attempt = attempt;
  run_.world.events.emit(event);
}

Task<void> KubeLoop::run(Context context) {
  CancelScope looking(*context.scope);
  KubeLook look(context.under(looking), run_.world, run_.material, run_.profile, report_.name,
                view_, changed_);
  TaskGroup acts(context);
  look_ = &look;
  acts_ = &acts;
  while (true) {
    const std::uint64_t rings = changed_.rings();
    const std::uint64_t answers = look.answers() + acted_;
    look.judge();
    const KubeWanted wanted{run_.profile, run_.material, run_.world.ledger.facts(),
                            run_.force_conflicts, context.now()};
    Course course(wanted, view_);
    phase_.follow(course);
    look.ask(course.take_reads());
    const Next next = co_await follow(context, course.take_decision());
    if (next == Next::end) {
      report_.objects = course.take_rows();
      for (Finding& finding : course.take_notes()) report_.findings.push_back(std::move(finding));
      break;
    }
    if (next == Next::wait) co_await pause(context, rings, answers);
  }
  looking.cancel();
  co_await acts.join();
  co_await look.join();
}

Task<KubeLoop::Next> KubeLoop::follow(Context context, Decision decision) {
  // When time is up, whoever was asked last says what is missing.
  const bool asks = context.expired() && !context.cancelled() && look_->asks();
  const bool idle = in_flight_ == 0 && !asks;
  if (context.cancelled()) {
    report_.worsen(StepEnd::cancelled);
    co_return idle ? Next::end : Next::wait;
  }
  // What was decided may not be sent any more, and what was done could not be remembered.
  if (run_.world.ledger.broken()) {
    if (idle) end_without_journal();
    co_return idle ? Next::end : Next::wait;
  }
  if (std::holds_alternative<Satisfied>(decision)) {
    if (!idle) co_return Next::wait;
    co_return co_await confirm(context);
  }
  // Only the last look itself is still under way where nothing is unmet.
  const Wait* looks = std::get_if<Wait>(&decision);
  if (!looks || !looks->reason.empty()) confirmed_ = false;
  if (Stop* stop = std::get_if<Stop>(&decision)) {
    if (idle) end_with(stop->end, std::move(stop->unmet));
    co_return idle ? Next::end : Next::wait;
  }
  if (Act* act = std::get_if<Act>(&decision)) {
    if (!context.expired()) co_return start(context, act->actions) ? Next::again : Next::wait;
    if (idle) end_late(std::move(act->unmet));
    co_return idle ? Next::end : Next::wait;
  }
  Wait& wait = std::get<Wait>(decision);
  tell(wait);
  if (run_.hands.only_plans() && assume(wait)) co_return Next::again;
  if (!context.expired()) co_return Next::wait;
  if (idle) end_late(std::move(wait.unmet));
  co_return idle ? Next::end : Next::wait;
}

Task<KubeLoop::Next> KubeLoop::confirm(Context context) {
  if (confirmed_) co_return Next::end;
  const Context late{context.clock, context.scope, later(context.now(), kLastLook)};
  if (acted_ > 0 && !run_.hands.only_plans()) view_.last_look = ++view_.turns;
  confirmed_ = co_await look_->refresh(late);
  if (confirmed_) co_return Next::again;
  if (context.expired()) {
    Unmet silent{"the Kubernetes API", "it did not answer the final check",
                 "is an API server up and reachable?", "K3", false};
    std::vector<Unmet> unmet;
    unmet.push_back(std::move(silent));
    end_with(StepEnd::out_of_time, std::move(unmet));
    co_return Next::end;
  }
  co_await sleep_for(context, run_.profile.budgets.poll);
  co_return Next::again;
}

void KubeLoop::end_with(StepEnd end, std::vector<Unmet> unmet) {
  report_.worsen(end);
  for (Unmet& one : unmet) report_.add(std::move(one));
}

void KubeLoop::end_without_journal() {
  const Finding finding =
      finding_of(run_.world.ledger.trouble(), "journal", "run the same command again");
  std::vector<Unmet> unmet;
  unmet.push_back({"journal", finding.what, finding.fix, std::string(finding.id), true});
  end_with(StepEnd::failed, std::move(unmet));
}

void KubeLoop::end_late(std::vector<Unmet> unmet) {
  if (unmet.empty()) {
    unmet.push_back({std::string(report_.name), "out of time before everything was done",
                     "run it again: it continues where this run was", "K3", false});
  }
  end_with(StepEnd::out_of_time, std::move(unmet));
}

bool KubeLoop::start(Context context, const std::vector<Action>& actions) {
  bool any = false;
  for (const Action& action : actions) {
    std::string key = key_of(action);
    Attempt& attempt = view_.attempts[key];
    // An object that was applied and differs again is applied again.
    const bool is_done = attempt.done && !std::holds_alternative<ApplyObject>(action);
    const bool waits =
        attempt.in_flight || is_done || attempt.over || attempt.again_at > context.now();
    const bool fits = in_flight_ < kAtOnce || std::holds_alternative<InstallRelease>(action);
    if (waits || !fits) continue;
    any = true;
    attempt.in_flight = true;
    attempt.done = false;
    ++in_flight_;
    say(EventKind::decided, reason_of(action));
    acts_->spawn(carry(context, action, std::move(key)));
  }
  return any;
}

Task<void> KubeLoop::carry(Context context, Action action, std::string key) {
  const Outcome outcome = co_await run_.hands.act(context, action);
  note(context, action, outcome, view_.attempts[key]);
  --in_flight_;
  ++acted_;
  changed_.ring();
}

void KubeLoop::note(Context context, const Action& action, const Outcome& outcome,
                    Attempt& attempt) {
  attempt.in_flight = false;
  attempt.turn = ++view_.turns;
  attempt.done = outcome.kind == OutcomeKind::done || is_gone(action, *outcome.error);
  if (!attempt.done) return note_failure(context, action, *outcome.error, attempt);
  attempt.change = change_of(action);
  if (!run_.hands.only_plans()) say(EventKind::acted, done_text(action));
}

void KubeLoop::note_failure(Context context, const Action& action, const CallError& error,
                            Attempt& attempt) {
  // The limit that `--retries` sets, for everything that changes something.
  const RetryLimits& limits = run_.profile.retry;
  ++attempt.failures;
  attempt.error = error;
  attempt.over =
      judge_kube(error).reaction == Reaction::give_up || attempt.failures > limits.retries;
  if (attempt.over || context.cancelled()) return;
  attempt.again_at =
      later(context.now(), mutation_delay(attempt.failures, limits, run_.world.random));
  say(EventKind::retrying, fmt::format("{}: {}", key_of(action), to_text(error)), attempt.failures);
}

void KubeLoop::tell(const Wait& wait) {
  if (wait.reason.empty() || wait.reason == told_) return;
  told_ = wait.reason;
  say(EventKind::waiting, wait.reason);
}

bool KubeLoop::assume(const Wait& wait) {
  if (wait.unseen) return false;
  bool any = false;
  for (const Unmet& unmet : wait.unmet) {
    any = view_.assumed.insert(unmet.gate.empty() ? unmet.object : unmet.gate).second || any;
  }
  return any;
}

Task<void> KubeLoop::pause(Context context, std::uint64_t rings, std::uint64_t answers) {
  // What is under way hears of the end itself, and rings.
  if (context.cancelled() || context.expired()) {
    CancelScope deaf;
    const Context patient{context.clock, &deaf, kNever};
    co_await changed_.rung_since(patient, rings);
    co_return;
  }
  MonoTime due = look_->due();
  for (const auto& [key, attempt] : view_.attempts) {
    if (attempt.again_at > context.now()) due = std::min(due, attempt.again_at);
  }
  const Wake wake = co_await changed_.rung_since(context.until(due), rings);
  const bool answered = look_->answers() + acted_ != answers;
  if (wake == Wake::signalled && !answered) co_await sleep_for(context, kSwarm);
}

}  // namespace ichor
