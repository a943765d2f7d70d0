#include "engine/phase_loop.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/mutant.h"
#include "wait/backoff.h"
#include "wait/retry_table.h"

namespace ichor {

namespace {

std::string_view done_text(Call call) {
  switch (call) {
    case Call::apply_configuration: return "the node took its config";
    case Call::bootstrap: return "the node makes the etcd cluster";
    default: return "done";
  }
}

}  // namespace

void PhaseLoop::emit(EventKind kind, std::string text, int attempt) const {
  run_.world.events.emit({kind, run_.world.clock.now(), subject_.name(), phase_.name(),
                          std::move(text), subject_.stage(), attempt});
}

void PhaseLoop::note_stage() {
  const Stage seen = subject_.stage();
  if (seen == stage_ || seen == Stage::unknown) return;
  stage_ = seen;
  emit(EventKind::stage_changed, std::string(name_of(seen)));
}

PhaseEnd PhaseLoop::stopped(Stop stop) const {
  const StepEnd end = stop.unsafe ? StepEnd::unsafe : StepEnd::failed;
  return {end, std::move(stop.finding), retries_};
}

PhaseEnd PhaseLoop::out_of_time(Context context) const {
  const CallError* trouble = subject_.trouble();
  Finding finding;
  finding.id = trouble ? std::string(rule_for(*trouble).fault) : "I13";
  finding.node = subject_.name();
  finding.where = phase_.name();
  finding.what = fmt::format("{}: out of time after {}: {}", phase_.name(),
                             to_text(context.now() - started_), waiting_for_);
  if (mutant("bare-timeout")) finding.what = "context deadline exceeded";
  finding.fix = trouble ? std::string(rule_for(*trouble).hint)
                        : "mend what is unmet, then run `ichor up` again: it resumes";
  return {StepEnd::out_of_time, std::move(finding), retries_};
}

PhaseEnd PhaseLoop::journal_broken() const {
  return {StepEnd::unsafe,
          Finding{Severity::error, "L3", subject_.name(), std::string(phase_.name()),
                  fmt::format("the journal cannot be written: {}", run_.ledger.trouble()),
                  "nothing more was sent; free the disk, then run `ichor up` again"},
          retries_};
}

PhaseEnd PhaseLoop::gave_up(const CallError& error, const NodeName& node,
                            bool after_retries) const {
  const RetryRule& rule = rule_for(error);
  std::string what =
      after_retries ? fmt::format("{} ({} retries): {}", phase_.name(), retries_, to_text(error))
                    : fmt::format("{}: {}", phase_.name(), to_text(error));
  return {StepEnd::failed,
          Finding{Severity::error, std::string(rule.fault), node, std::string(phase_.name()),
                  std::move(what), std::string(rule.hint)},
          retries_};
}

PhaseEnd PhaseLoop::worn_out(const Action& action) const {
  return {StepEnd::failed,
          Finding{Severity::error, "T2", action.node, std::string(phase_.name()),
                  fmt::format("{}: {} was sent {} times and the node is where it was: {}",
                              phase_.name(), name_of(action.call), tries_, action.why),
                  "the node takes it and loses it again: look at its console and `talosctl dmesg`, "
                  "then run `ichor up` again"},
          retries_};
}

Task<PhaseEnd> PhaseLoop::run(Context outer) {
  started_ = outer.now();
  const Context context = outer.within(phase_.budget(run_.profile.budgets));
  emit(EventKind::phase_started, {});
  for (;;) {
    if (context.cancelled()) co_return PhaseEnd{StepEnd::cancelled, std::nullopt, retries_};
    if (context.expired()) co_return out_of_time(context);
    if (run_.ledger.broken()) co_return journal_broken();
    const std::uint64_t rings_seen = changed_.rings();
    co_await subject_.look(context);
    note_stage();
    const Wanted wanted{run_.profile, run_.configs, run_.ledger.facts(), context.now()};
    Decision decision = subject_.decide(wanted);
    if (std::holds_alternative<Satisfied>(decision)) {
      emit(EventKind::phase_done, {});
      co_return PhaseEnd{StepEnd::passed, std::nullopt, retries_};
    }
    if (Stop* stop = std::get_if<Stop>(&decision)) co_return stopped(std::move(*stop));
    std::optional<PhaseEnd> end;
    if (Act* act = std::get_if<Act>(&decision)) {
      end = co_await follow(context, std::move(*act));
    } else if (Remember* remember = std::get_if<Remember>(&decision)) {
      end = co_await follow(context, std::move(*remember));
    } else {
      end = co_await follow(context, std::move(std::get<Wait>(decision)), rings_seen);
    }
    if (end) co_return *std::move(end);
  }
}

Task<std::optional<PhaseEnd>> PhaseLoop::follow(Context, Remember remember) {
  const auto seq = co_await run_.ledger.append(std::move(remember.record));
  if (!seq) co_return journal_broken();
  co_return std::nullopt;
}

Task<std::optional<PhaseEnd>> PhaseLoop::follow(Context context, Wait wait,
                                                std::uint64_t rings_seen) {
  if (wait.reason != waiting_for_) {
    waiting_for_ = std::move(wait.reason);
    emit(EventKind::waiting, waiting_for_);
  }
  unanswered_ = subject_.unanswered() ? unanswered_ + 1 : 0;
  Duration pause = run_.profile.budgets.poll;
  if (unanswered_ > 0) {
    pause = read_delay(unanswered_, run_.profile.retry, run_.world.random);
  }
  co_await subject_.listen(context);
  co_await changed_.rung_since(context.within(pause), rings_seen);
  co_return std::nullopt;
}

Task<std::optional<PhaseEnd>> PhaseLoop::follow(Context context, Act due) {
  if (mutates(due.action.call) && tries_ > run_.profile.retry.retries &&
      !mutant("tries-for-ever")) {
    co_return worn_out(due.action);
  }
  emit(EventKind::decided, due.action.why);
  if (mutant("tells-the-config") && due.action.call == Call::apply_configuration) {
    emit(EventKind::decided, std::string(run_.configs.nodes.at(due.action.node).bytes.reveal()));
  }
  const NodeName node = due.action.node;
  NodeLink& link = subject_.link(node);
  Outcome outcome = co_await act(context, run_.world, run_.ledger, link, due.action, run_.configs,
                                 run_.profile.budgets);
  if (outcome.kind == OutcomeKind::unknown && mutant("blind-retry")) {
    co_await link.look(context, {});
    outcome = co_await act(context, run_.world, run_.ledger, link, due.action, run_.configs,
                           run_.profile.budgets);
  }
  const bool left_us = !outcome.error || outcome.error->progress != Progress::not_sent;
  if (mutates(due.action.call) && left_us) ++run_.mutations;
  if (run_.ledger.broken()) co_return journal_broken();
  emit(EventKind::acted,
       outcome.error ? to_text(*outcome.error) : std::string(done_text(due.action.call)),
       retries_ + 1);
  if (outcome.kind == OutcomeKind::done) {
    ++tries_;
    co_return std::nullopt;
  }
  const CallError& error = *outcome.error;
  const Reaction reaction = rule_for(error).reaction;
  if (reaction != Reaction::not_yet) ++tries_;
  if (reaction == Reaction::give_up && !mutant("retries-for-good-refusals")) {
    co_return gave_up(error, node, false);
  }
  if (error.progress == Progress::not_sent) link.drop();
  // Too early is no failure of this try: the budget bounds it. Everything else is counted.
  if (reaction != Reaction::not_yet && ++retries_ > run_.profile.retry.retries) {
    co_return gave_up(error, node, true);
  }
  waiting_for_ = to_text(error);
  if (outcome.kind == OutcomeKind::unknown) co_return std::nullopt;
  const Duration pause =
      mutation_delay(std::max(retries_, 1), run_.profile.retry, run_.world.random);
  emit(EventKind::retrying, fmt::format("{}, again in {}", to_text(error), to_text(pause)),
       retries_);
  co_await sleep_for(context, pause);
  co_return std::nullopt;
}

}  // namespace ichor
