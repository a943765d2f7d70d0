#include "engine/kube_act.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "engine/act.h"
#include "phase/kubernetes/helm.h"

namespace ichor {

namespace {

constexpr Duration kCallLimit = std::chrono::seconds(30);
constexpr std::size_t kWordsMax = 600;

template <class T>
Outcome outcome_of(const CallResult<T>& answer) {
  return answer ? Outcome::done() : Outcome::failed(answer.error());
}

/// A program that was stopped may have done its work; one that ended badly says so itself.
Outcome outcome_of(const Result<ProcessResult>& ended) {
  const auto failed = [](Progress progress, Code code, std::string text) {
    return Outcome::failed(
        {Call::install_release, progress, TlsVerdict::fine, code, std::move(text)});
  };
  if (!ended) {
    const bool started =
        ended.error().code == Errc::out_of_time || ended.error().code == Errc::cancelled;
    const Code code = ended.error().code == Errc::cancelled ? Code::cancelled
                      : started                             ? Code::deadline_exceeded
                                                            : Code::unavailable;
    return failed(started ? Progress::sent : Progress::not_sent, code, ended.error().message);
  }
  if (ended->exit == 0) return Outcome::done();
  std::string words = ended->errors;
  if (words.size() > kWordsMax) words = words.substr(words.size() - kWordsMax);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return failed(Progress::answered, Code::failed_precondition,
                fmt::format("it ended with {}: {}", ended->exit, words));
}

/// How long a program may take within the phase.
Duration time_left(const Context& context) {
  if (context.deadline == kNever) return std::chrono::hours(1);
  return std::max<Duration>(context.deadline - context.now(), std::chrono::seconds(1));
}

KubeApply options_of(const ApplyObject& apply) {
  KubeApply options;
  options.force = apply.force;
  return options;
}

}  // namespace

Task<Outcome> ClusterHands::install(Context context, const WantedRelease& release) {
  const ToolPlace place{world_.processes, world_.state_path, material_};
  ProcessCall call = install_call(place, release, time_left(context));
  Outcome outcome = outcome_of(co_await world_.processes.run(context, std::move(call)));
  // A helm that was killed, or lost the API, ends badly and leaves its revision pending. That is
  // still ours to take away, so the intent stays open.
  if (outcome.kind != OutcomeKind::refused) co_return outcome;
  const bool settled = co_await is_settled(context, world_.kube, release);
  if (!settled) outcome.kind = OutcomeKind::unknown;
  co_return outcome;
}

Task<Outcome> ClusterHands::send(Context context, const Action& action) {
  ++mutations_;
  const Context limited = context.within(kCallLimit);
  if (const auto* apply = std::get_if<ApplyObject>(&action)) {
    co_return outcome_of(co_await world_.kube.apply(limited, apply->object, options_of(*apply)));
  }
  if (const auto* removal = std::get_if<DeleteObject>(&action)) {
    co_return outcome_of(co_await world_.kube.remove(limited, removal->ref, removal->uid));
  }
  if (const auto* approval = std::get_if<ApproveCsr>(&action)) {
    co_return outcome_of(co_await world_.kube.approve_csr(limited, approval->csr, approval->why));
  }
  const auto* install_of = std::get_if<InstallRelease>(&action);
  check(install_of != nullptr, "calls to nodes go through their links");
  co_return co_await install(context, install_of->release);
}

Task<Outcome> ClusterHands::act(Context context, const Action& action) {
  const Call call = call_of(action);
  if (context.cancelled()) co_return not_sent(call, Code::cancelled, "called off");
  const auto* apply = std::get_if<ApplyObject>(&action);
  if (apply && apply->keep) {
    const auto kept = world_.files.write(apply->keep->file, apply->keep->content);
    if (!kept) {
      co_return not_sent(call, Code::internal,
                         fmt::format("{}: {}", apply->keep->file, kept.error().message));
    }
  }
  Mutation mutation;
  mutation.intent.kind = RecordKind::intent;
  mutation.intent.call = call;
  mutation.intent.key = key_of(action);
  mutation.send = [&] { return send(context, action); };
  mutation.tell = [](const CallError& error) { return std::string(name_of(error.code)); };
  co_return co_await carry_out(context, world_.ledger, std::move(mutation));
}

Task<Outcome> PlannedHands::act(Context context, const Action& action) {
  if (const auto* apply = std::get_if<ApplyObject>(&action)) {
    co_await planned_.apply(context, apply->object, options_of(*apply));
  }
  co_return Outcome::done();
}

}  // namespace ichor
