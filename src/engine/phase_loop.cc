#include "engine/phase_loop.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/evidence.h"
#include "phase/recovery.h"
#include "wait/backoff.h"
#include "wait/retry_table.h"

namespace ichor {

namespace {

std::string_view done_text(Call call) {
  switch (call) {
    case Call::apply_configuration: return "config accepted, installing";
    case Call::bootstrap: return "etcd bootstrap accepted";
    case Call::reset: return "reset accepted";
    case Call::etcd_defragment: return "etcd defragmented";
    case Call::etcd_leave: return "left etcd";
    case Call::etcd_forfeit_leadership: return "leadership of etcd passed on";
    case Call::etcd_remove_member: return "member removed from etcd";
    case Call::etcd_recover: return "snapshot uploaded";
    case Call::pull_image: return "image pulled";
    case Call::upgrade: return "upgrade accepted";
    case Call::reboot: return "rebooting";
    case Call::cordon: return "cordoned";
    case Call::evict: return "pods asked to leave";
    case Call::uncordon: return "uncordoned";
    case Call::update_proxy: return "kube-proxy updated";
    case Call::etcd_snapshot: return "snapshot taken and proved whole";
    case Call::kubeconfig: return "kubeconfig written";
    default: return "done";
  }
}

}  // namespace

void PhaseLoop::emit(EventKind kind, std::string text, int attempt) const {
  run_.world.events.emit({kind, run_.world.clock.now(), subject_.name(), phase_.name(),
                          std::move(text), subject_.stage(), attempt});
}

void PhaseLoop::note_stage(Context context) {
  const Stage seen = subject_.stage();
  if (seen == stage_ || seen == Stage::unknown) return;
  stage_ = seen;
  stage_since_ = context.now();
  stuck_told_ = false;
  emit(EventKind::stage_changed, std::string(name_of(seen)));
}

void PhaseLoop::note_boot() {
  std::string boot = subject_.boot();
  if (boot.empty() || boot == boot_) return;
  if (!boot_.empty()) ++boots_;
  boot_ = std::move(boot);
}

PhaseEnd PhaseLoop::stopped(Stop stop) const {
  const StepEnd end = stop.unsafe ? StepEnd::unsafe : StepEnd::failed;
  return {end, std::move(stop.finding), retries_, std::move(stop.more)};
}

Task<PhaseEnd> PhaseLoop::out_of_time(Context outer) {
  const std::optional<CallError>& trouble = trouble_;
  NodeLink* node = subject_.node();
  Finding finding;
  finding.id = trouble ? std::string(rule_for(*trouble).fault) : "I13";
  finding.fix = trouble ? std::string(rule_for(*trouble).hint)
                        : "fix what is unmet, then run `ichor up` again: it resumes";
  if (!waiting_.fault.empty()) finding.id = waiting_.fault;
  if (!waiting_.fix.empty()) {
    finding.fix = waiting_.fix;
  } else if (node && !trouble) {
    finding.fix = recovery_for(node->plan(), subject_.stage());
  }
  finding.node = subject_.name();
  finding.where = phase_.name();
  finding.what = fmt::format("{}: out of time after {}: {}", phase_.name(),
                             to_text(outer.now() - started_), waiting_.reason);
  if (node) {
    finding.why = co_await gather_evidence(outer, *node, run_.profile.budgets.call);
  }
  co_return PhaseEnd{StepEnd::out_of_time, std::move(finding), retries_};
}

std::optional<PhaseEnd> PhaseLoop::overdue(Context context, const Wait& wait) {
  const bool same = wait.fault == waiting_.fault && wait.fix == waiting_.fix;
  if (!same || waiting_since_ == MonoTime{}) waiting_since_ = context.now();
  if (wait.limit == Duration::max() || context.now() - waiting_since_ < wait.limit) {
    return std::nullopt;
  }
  Finding finding{Severity::error,
                  wait.fault,
                  subject_.name(),
                  std::string(phase_.name()),
                  fmt::format("{}: for {}: {}", phase_.name(),
                              to_text(context.now() - waiting_since_), wait.reason),
                  wait.fix};
  return PhaseEnd{StepEnd::failed, std::move(finding), retries_};
}

Task<std::optional<PhaseEnd>> PhaseLoop::reboot_loop(Context context) {
  constexpr int kBootsMax = 3;
  NodeLink* node = subject_.node();
  if (!node || boots_ < kBootsMax) co_return std::nullopt;
  Finding finding{Severity::error,
                  "D6",
                  subject_.name(),
                  std::string(phase_.name()),
                  fmt::format("{}: {} booted {} times and did not finish", phase_.name(),
                              subject_.name().value(), boots_),
                  recovery_for(node->plan(), Stage::booting)};
  finding.why = co_await gather_evidence(context, *node, run_.profile.budgets.call);
  co_return PhaseEnd{StepEnd::failed, std::move(finding), retries_};
}

Task<void> PhaseLoop::tell_if_stuck(Context context) {
  NodeLink* node = subject_.node();
  const bool due = node && stage_ != Stage::unknown && !stuck_told_ &&
                   context.now() - stage_since_ >= run_.profile.budgets.stuck;
  if (!due) co_return;
  stuck_told_ = true;
  const std::string evidence = co_await gather_evidence(context, *node, run_.profile.budgets.call);
  emit(EventKind::finding,
       fmt::format("{} has been {} for {}: {}; {}; try: {}", subject_.name().value(),
                   name_of(stage_), to_text(context.now() - stage_since_), waiting_.reason,
                   evidence, recovery_for(node->plan(), stage_)));
}

PhaseEnd PhaseLoop::journal_broken() const {
  Finding finding =
      finding_of(run_.ledger.trouble(), std::string(phase_.name()), "run `ichor up` again");
  finding.node = subject_.name();
  return {StepEnd::unsafe, std::move(finding), retries_};
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

PhaseEnd PhaseLoop::worn_out(const NodeCall& action) const {
  return {
      StepEnd::failed,
      Finding{
          Severity::error, "T2", action.node, std::string(phase_.name()),
          fmt::format("{}: {} was sent {} times and the node is where it was: {}", phase_.name(),
                      name_of(action.call), tries_.at({action.node, action.call}), action.why),
          "the node accepts it and loses it again: look at its console and `talosctl dmesg`, "
          "then run `ichor up` again"},
      retries_};
}

Duration PhaseLoop::budget() const {
  const Budgets& budgets = run_.profile.budgets;
  const JournalFacts& facts = run_.ledger.facts();
  const NodeName name = subject_.name();
  const bool installing =
      subject_.node() && !facts.settled(name) && facts.last(Call::apply_configuration, name);
  const Duration own = phase_.budget(budgets);
  return installing ? std::max(own, budgets.apply) : own;
}

Task<PhaseEnd> PhaseLoop::run(Context outer) {
  started_ = outer.now();
  const Context context = outer.within(budget());
  emit(EventKind::phase_started, {});
  bool looked_again = false;
  for (;;) {
    if (context.cancelled()) co_return PhaseEnd{StepEnd::cancelled, std::nullopt, retries_};
    if (context.expired()) co_return co_await out_of_time(outer);
    if (run_.ledger.broken()) co_return journal_broken();
    const std::uint64_t rings_seen = changed_.rings();
    urgent_seen_ = changed_.urgent_rings();
    looked_ = LookTime::now(context);
    run_.looked = looked_;
    co_await subject_.look(context);
    // L2: this machine slept while it looked, so what it saw first may no longer be true.
    // Once: a clock that is set again and again is no sleep, and no time passes here.
    const bool slept = looked_.slept(context) > kFreshTime;
    if (slept && !std::exchange(looked_again, true)) {
      subject_.drop();
      continue;
    }
    looked_again = false;
    note_stage(context);
    note_boot();
    const Wanted wanted{run_.profile, run_.configs, run_.ledger.facts(), context.now()};
    Decision decision = subject_.decide(wanted);
    if (Satisfied* satisfied = std::get_if<Satisfied>(&decision)) {
      const bool skipped = tries_.empty() && !satisfied->why.empty();
      if (skipped) co_await keep_verdict("skipped: " + satisfied->why);
      emit(EventKind::phase_done, skipped ? "skipped: " + satisfied->why : std::string());
      co_return PhaseEnd{StepEnd::passed, std::nullopt, retries_, std::move(satisfied->notes)};
    }
    if (Stop* stop = std::get_if<Stop>(&decision)) co_return stopped(std::move(*stop));
    std::optional<PhaseEnd> end;
    if (Act* act = std::get_if<Act>(&decision)) {
      end = co_await follow(context, act->node_call());
    } else if (Remember* remember = std::get_if<Remember>(&decision)) {
      end = co_await follow(context, std::move(*remember));
    } else {
      end = co_await follow(context, std::move(std::get<Wait>(decision)), rings_seen);
    }
    if (end) co_return *std::move(end);
  }
}

Task<void> PhaseLoop::keep_verdict(std::string text) {
  JournalRecord record;
  record.kind = RecordKind::observed;
  record.key = std::string(kVerdictKey) + std::string(phase_.name());
  record.value = std::move(text);
  // For people only: a journal that cannot be written is found out by what must be in it.
  co_await run_.ledger.append(std::move(record));
}

Task<std::optional<PhaseEnd>> PhaseLoop::follow(Context, Remember remember) {
  const auto seq = co_await run_.ledger.append(std::move(remember.record));
  if (!seq) co_return journal_broken();
  if (remember.note) {
    emit(EventKind::finding, remember.note->what);
    run_.notes.push_back(*std::move(remember.note));
  }
  co_return std::nullopt;
}

Task<std::optional<PhaseEnd>> PhaseLoop::follow(Context context, Wait wait,
                                                std::uint64_t rings_seen) {
  if (auto end = overdue(context, wait)) co_return end;
  if (auto end = co_await reboot_loop(context)) co_return end;
  // A look that ran into the end of the budget saw less than the one before it.
  if (context.expired() && !waiting_.reason.empty()) co_return std::nullopt;
  const CallError* const trouble = subject_.trouble();
  trouble_ = trouble ? std::optional(*trouble) : std::nullopt;
  const bool news = wait.reason != waiting_.reason;
  waiting_ = std::move(wait);
  if (news) emit(EventKind::waiting, waiting_.reason);
  co_await tell_if_stuck(context);
  unanswered_ = subject_.unanswered() ? unanswered_ + 1 : 0;
  Duration pause = run_.profile.budgets.poll;
  if (unanswered_ > 0) {
    pause = read_delay(unanswered_, run_.profile.retry, run_.world.random);
  }
  co_await subject_.listen(context);
  co_await changed_.rung_since(context.within(pause), rings_seen);
  co_await keep_pace(context);
  co_return std::nullopt;
}

Task<void> PhaseLoop::keep_pace(Context context) {
  const auto urgent = [this] { return changed_.urgent_rings() != urgent_seen_; };
  if (!urgent()) {
    const Duration put_off = pace_.put_off(context.now());
    if (put_off > Duration{}) {
      co_await changed_.rung_urgently_since(context.within(put_off), urgent_seen_);
    }
  }
  if (!urgent()) co_return;
  const Duration put_off = urgent_pace_.put_off(context.now());
  if (put_off > Duration{}) co_await sleep_for(context, put_off);
}

Task<std::optional<PhaseEnd>> PhaseLoop::follow(Context context, NodeCall due) {
  int& tries = tries_[{due.node, due.call}];
  if (mutates(due.call) && tries > run_.profile.retry.retries) {
    co_return worn_out(due);
  }
  // L2: this process or machine slept since the last look, so what was proved may not hold.
  if (mutates(due.call) && looked_.age(context) > kFreshTime) {
    subject_.link(due.node).drop();
    co_return std::nullopt;
  }
  boots_ = 0;
  emit(EventKind::decided, due.why);
  if (due.call == Call::bootstrap) {
    co_await keep_verdict("due: " + due.why);
    if (run_.ledger.broken()) co_return journal_broken();
  }
  const NodeName node = due.node;
  NodeLink& link = subject_.link(node);
  Outcome outcome =
      co_await act(context, run_.world, run_.ledger, link, due, run_.configs, run_.profile.budgets);
  const bool left_us = !outcome.error || outcome.error->progress != Progress::not_sent;
  if (mutates(due.call) && left_us) ++run_.mutations;
  if (run_.ledger.broken()) co_return journal_broken();
  emit(EventKind::acted, outcome.error ? to_text(*outcome.error) : std::string(done_text(due.call)),
       retries_ + 1);
  if (outcome.kind == OutcomeKind::done) {
    ++tries;
    co_return std::nullopt;
  }
  const CallError& error = *outcome.error;
  const Reaction reaction = rule_for(error).reaction;
  if (reaction != Reaction::not_yet) ++tries;
  if (reaction == Reaction::give_up) {
    co_return gave_up(error, node, false);
  }
  if (error.progress == Progress::not_sent) link.drop();
  // Too early is no failure of this try: the budget bounds it. Everything else is counted.
  if (reaction != Reaction::not_yet && ++retries_ > run_.profile.retry.retries) {
    co_return gave_up(error, node, true);
  }
  waiting_ = Wait{to_text(error)};
  trouble_ = error;
  if (outcome.kind == OutcomeKind::unknown) co_return std::nullopt;
  const Duration pause =
      mutation_delay(std::max(retries_, 1), run_.profile.retry, run_.world.random);
  emit(EventKind::retrying, fmt::format("{}, again in {}", to_text(error), to_text(pause)),
       retries_);
  co_await sleep_for(context, pause);
  co_return std::nullopt;
}

}  // namespace ichor
