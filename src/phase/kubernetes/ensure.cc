#include "phase/kubernetes/ensure.h"

#include <fmt/format.h>

#include "async/task_group.h"
#include "base/mutant.h"
#include "phase/kubernetes/difference.h"
#include "wait/turnstile.h"

namespace ichor {

namespace {

constexpr int kAtOnce = 8;
constexpr Duration kReadLimit = std::chrono::seconds(30);

/// What is to be done about one object.
struct Step {
  std::string change{"none"};
  std::vector<std::string> lines;
};

class Ensuring {
 public:
  Ensuring(Context context, PhaseRun& run, const KubeObject& object)
      : context_(context), run_(run), object_(object), ref_(ref_of(object)) {}

  Task<bool> go() {
    while (true) {
      auto decided = co_await look();
      if (!decided) co_return give_up(decided.error());
      const bool same = decided->change == "none" && !mutant("applies-always");
      if (same || run_.options.dry_run) co_return note(*decided);
      run_.say(EventKind::decided,
               fmt::format("{} {}{}", decided->change, to_text(ref_),
                           mutant("tells-the-object") ? object_.dump() : std::string()));
      const Outcome outcome = co_await run_.actor.apply(context_, object_, force());
      if (outcome.kind == OutcomeKind::done) {
        run_.say(EventKind::acted, fmt::format("{}: applied", to_text(ref_)));
        co_return note(*decided);
      }
      const KubeVerdict verdict = judge_kube(*outcome.error);
      if (verdict.reaction == Reaction::give_up) co_return give_up(*outcome.error);
      // The limit that `--retries` sets, for calls that change something.
      const RetryLimits& limits = run_.profile.retry;
      if (++sent_ > limits.retries) co_return give_up(*outcome.error);
      const Duration delay = mutation_delay(sent_, limits, run_.world.random);
      if (!co_await rest(*outcome.error, delay)) co_return give_up(*outcome.error);
    }
  }

 private:
  Task<CallResult<Step>> look() {
    while (true) {
      const auto decided = co_await look_once();
      if (decided) co_return *decided;
      const Reaction reaction = judge_kube(decided.error()).reaction;
      // In a dry run nobody makes the namespace or the kind that it waits for.
      if (reaction == Reaction::not_yet && run_.options.dry_run) {
        Step planned;
        planned.change = "create";
        co_return planned;
      }
      if (reaction == Reaction::give_up) co_return tl::unexpected(decided.error());
      const Duration delay = read_delay(attempt_ + 1, run_.profile.retry, run_.world.random);
      if (!co_await rest(decided.error(), delay)) co_return tl::unexpected(decided.error());
    }
  }

  bool force() const { return run_.options.force_conflicts || mutant("forces-conflicts"); }

  Task<CallResult<Step>> look_once() {
    const Context context = context_.within(kReadLimit);
    const auto live = co_await run_.world.kube.get(context, ref_);
    const bool missing = !live && live.error().code == Code::not_found;
    if (!live && !missing) co_return tl::unexpected(live.error());
    KubeApply options;
    options.dry_run = !mutant("dry-run-is-real");
    options.force = force();
    const auto wanted = co_await run_.world.kube.apply(context, object_, options);
    if (!wanted) co_return tl::unexpected(wanted.error());
    Step decided;
    if (missing) {
      decided.change = "create";
      co_return decided;
    }
    decided.lines = difference(*live, *wanted);
    if (!decided.lines.empty()) decided.change = "update";
    co_return decided;
  }

  Task<bool> rest(const CallError& error, Duration delay) {
    ++attempt_;
    run_.say(EventKind::retrying, fmt::format("{}: {}", to_text(ref_), to_text(error)), attempt_);
    const Wake wake = co_await sleep_for(context_, delay);
    co_return wake == Wake::signalled;
  }

  bool note(const Step& decided) {
    run_.report.objects.push_back({to_text(ref_), decided.change, decided.lines});
    return true;
  }

  bool give_up(const CallError& error) {
    if (error.code == Code::cancelled) {
      run_.report.worsen(StepEnd::cancelled);
      return false;
    }
    const KubeVerdict verdict = judge_kube(error);
    const bool late = verdict.reaction != Reaction::give_up;
    run_.stop(
        {to_text(ref_), error.text, std::string(verdict.hint), std::string(verdict.fault), !late},
        late ? StepEnd::out_of_time : StepEnd::failed);
    return false;
  }

  Context context_;
  PhaseRun& run_;
  const KubeObject& object_;
  KubeRef ref_;
  int attempt_{0};
  int sent_{0};  // changes that failed in a way that may pass
};

Task<void> ensure_one(Context context, PhaseRun& run, const KubeObject& object,
                      Turnstile& turnstile, bool& all) {
  if (!co_await turnstile.enter(context)) {
    all = false;
    run.report.worsen(context.cancelled() ? StepEnd::cancelled : StepEnd::out_of_time);
    co_return;
  }
  Ensuring ensuring(context, run, object);
  const bool good = co_await ensuring.go();
  if (!good) all = false;
  turnstile.leave();
}

}  // namespace

Task<bool> ensure(Context context, PhaseRun& run, const std::vector<KubeObject>& objects) {
  bool all = true;
  Turnstile turnstile(kAtOnce);
  TaskGroup group(context);
  for (const KubeObject& object : objects) {
    group.spawn(ensure_one(context, run, object, turnstile, all));
  }
  co_await group.join();
  co_return all;
}

}  // namespace ichor
