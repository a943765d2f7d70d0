#include "phase/kubernetes/act.h"

#include <fmt/format.h>
#include <map>
#include <utility>

namespace ichor {

namespace {

constexpr Duration kApplyLimit = std::chrono::seconds(30);
constexpr std::size_t kWordsMax = 600;

Outcome not_sent(Call call, const Error& error) {
  return Outcome::failed({call, Progress::not_sent, TlsVerdict::fine, Code::internal,
                          "the journal cannot be written: " + error.message});
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

Result<void> KubeActor::load() {
  const auto records = world_.journal.read();
  if (!records) return tl::unexpected(records.error());
  std::map<std::uint64_t, std::string> intents;
  for (const JournalRecord& record : *records) {
    if (record.call < Call::kube_apply) continue;
    if (record.kind == RecordKind::intent) intents[record.seq] = record.key;
    const bool settled =
        record.kind == RecordKind::outcome && record.outcome != OutcomeKind::unknown;
    if (settled) intents.erase(record.ref);
  }
  for (auto& [seq, key] : intents) open_.insert(std::move(key));
  return {};
}

Task<Result<std::uint64_t>> KubeActor::append(JournalRecord record) {
  record.run = world_.run;
  record.wall_ms = world_.clock.wall().unix_ms;
  // What was done must be told, also when the run is called off.
  CancelScope deaf;
  const Context context{&world_.clock, &deaf};
  co_return co_await world_.journal.append(context, std::move(record));
}

Task<Result<std::uint64_t>> KubeActor::intend(Call call, std::string key) {
  JournalRecord intent;
  intent.kind = RecordKind::intent;
  intent.call = call;
  intent.key = std::move(key);
  return append(std::move(intent));
}

Task<void> KubeActor::tell(Call call, std::string key, std::uint64_t intent,
                           const Outcome& outcome) {
  if (outcome.kind != OutcomeKind::unknown) open_.erase(key);
  JournalRecord told;
  told.kind = RecordKind::outcome;
  told.call = call;
  told.key = std::move(key);
  told.ref = intent;
  told.outcome = outcome.kind;
  if (outcome.error) told.value = name_of(outcome.error->code);
  // If this cannot be written the intent stays open, which means unknown: that is true as well.
  co_await append(std::move(told));
}

Task<Outcome> KubeActor::apply(Context context, const KubeObject& object, bool force) {
  const std::string key = to_text(ref_of(object));
  const auto intent = co_await intend(Call::kube_apply, key);
  if (!intent) co_return not_sent(Call::kube_apply, intent.error());
  ++mutations_;
  KubeApply options;
  options.force = force;
  const auto answer = co_await world_.kube.apply(context.within(kApplyLimit), object, options);
  const Outcome outcome = outcome_of(answer);
  co_await tell(Call::kube_apply, key, *intent, outcome);
  co_return outcome;
}

Task<Outcome> KubeActor::approve(Context context, const KubeObject& csr,
                                 const std::string& reason) {
  const std::string key = to_text(ref_of(csr));
  const auto intent = co_await intend(Call::approve_csr, key);
  if (!intent) co_return not_sent(Call::approve_csr, intent.error());
  ++mutations_;
  const auto answer = co_await world_.kube.approve_csr(context.within(kApplyLimit), csr, reason);
  const Outcome outcome = outcome_of(answer);
  co_await tell(Call::approve_csr, key, *intent, outcome);
  co_return outcome;
}

Task<Outcome> KubeActor::remove(Context context, const KubeRef& ref, const std::string& uid) {
  const std::string key = to_text(ref);
  const auto intent = co_await intend(Call::kube_delete, key);
  if (!intent) co_return not_sent(Call::kube_delete, intent.error());
  ++mutations_;
  const auto answer = co_await world_.kube.remove(context.within(kApplyLimit), ref, uid);
  const Outcome outcome = outcome_of(answer);
  co_await tell(Call::kube_delete, key, *intent, outcome);
  co_return outcome;
}

Task<Outcome> KubeActor::install(Context context, const std::string& key, ProcessCall call) {
  const auto intent = co_await intend(Call::install_release, key);
  if (!intent) co_return not_sent(Call::install_release, intent.error());
  ++mutations_;
  const auto ended = co_await world_.processes.run(context, std::move(call));
  const Outcome outcome = outcome_of(ended);
  co_await tell(Call::install_release, key, *intent, outcome);
  co_return outcome;
}

}  // namespace ichor
