#include "phase/kubernetes/act.h"

#include <fmt/format.h>
#include <utility>

#include "base/mutant.h"

namespace ichor {

namespace {

constexpr Duration kApplyLimit = std::chrono::seconds(30);
constexpr std::size_t kWordsMax = 600;

Outcome not_sent(Call call, const Error& error) {
  return Outcome::failed({call, Progress::not_sent, TlsVerdict::fine, Code::internal,
                          "the journal cannot be written: " + error.message});
}

Outcome called_off(Call call) {
  return Outcome::failed({call, Progress::not_sent, TlsVerdict::fine, Code::cancelled,
                          "called off before it was sent"});
}

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

}  // namespace

Task<Outcome> KubeActor::carry_out(Context context, Call call, std::string key, Send send) {
  if (context.cancelled()) co_return called_off(call);
  JournalRecord intent;
  intent.kind = RecordKind::intent;
  intent.call = call;
  intent.key = key;
  if (mutant("kube-without-intent")) intent.kind = RecordKind::observed;
  const auto seq = co_await world_.ledger.append(std::move(intent));
  if (!seq) co_return not_sent(call, seq.error());
  Outcome outcome = called_off(call);
  if (!context.cancelled()) {
    ++mutations_;
    outcome = co_await send();
  }
  JournalRecord told;
  told.kind = RecordKind::outcome;
  told.call = call;
  told.key = std::move(key);
  told.ref = *seq;
  told.outcome = mutant("kube-always-done") ? OutcomeKind::done : outcome.kind;
  if (outcome.error) told.value = name_of(outcome.error->code);
  // If this cannot be written the intent stays open, which means unknown: that is true as well.
  co_await world_.ledger.append(std::move(told));
  co_return outcome;
}

// What is sent is made in coroutines of their own, whose arguments outlive the call.

Task<Outcome> KubeActor::send_apply(Context context, const KubeObject& object, bool force) {
  KubeApply options;
  options.force = force;
  co_return outcome_of(co_await world_.kube.apply(context.within(kApplyLimit), object, options));
}

Task<Outcome> KubeActor::send_approval(Context context, const KubeObject& csr,
                                       const std::string& reason) {
  co_return outcome_of(co_await world_.kube.approve_csr(context.within(kApplyLimit), csr, reason));
}

Task<Outcome> KubeActor::send_removal(Context context, const KubeRef& ref, const std::string& uid) {
  co_return outcome_of(co_await world_.kube.remove(context.within(kApplyLimit), ref, uid));
}

Task<Outcome> KubeActor::send_install(Context context, ProcessCall call, Settled settled) {
  Outcome outcome = outcome_of(co_await world_.processes.run(context, std::move(call)));
  // A helm that was killed, or lost the API, ends badly and leaves its revision pending. That is
  // still ours to take away, so the intent stays open.
  if (outcome.kind != OutcomeKind::refused) co_return outcome;
  const bool is_settled = co_await settled();
  if (!is_settled) outcome.kind = OutcomeKind::unknown;
  co_return outcome;
}

Task<Outcome> KubeActor::apply(Context context, const KubeObject& object, bool force) {
  return carry_out(context, Call::kube_apply, to_text(ref_of(object)),
                   [=, this, &object] { return send_apply(context, object, force); });
}

Task<Outcome> KubeActor::approve(Context context, const KubeObject& csr,
                                 const std::string& reason) {
  return carry_out(context, Call::approve_csr, to_text(ref_of(csr)),
                   [=, this, &csr, &reason] { return send_approval(context, csr, reason); });
}

Task<Outcome> KubeActor::remove(Context context, const KubeRef& ref, const std::string& uid) {
  return carry_out(context, Call::kube_delete, to_text(ref),
                   [=, this, &ref, &uid] { return send_removal(context, ref, uid); });
}

Task<Outcome> KubeActor::install(Context context, const std::string& key, ProcessCall call,
                                 Settled settled) {
  return carry_out(context, Call::install_release, key,
                   [=, this] { return send_install(context, call, settled); });
}

}  // namespace ichor
