#include "phase/kubernetes/helm.h"

#include <fmt/format.h>

#include "base/mutant.h"
#include "model/json.h"
#include "phase/kubernetes/json_view.h"
#include "phase/kubernetes/manifests.h"
#include "yaml/document.h"

namespace ichor {

namespace {

constexpr Duration kLookLimit = std::chrono::minutes(2);
/// A helm that outlived the run which started it ends within this time, or it is gone.
constexpr Duration kOrphanTime = std::chrono::minutes(2);
constexpr Duration kOrphanPace = std::chrono::seconds(10);
constexpr Duration kSettledLimit = std::chrono::seconds(10);

std::string folder_of(const std::string& file) { return file.substr(0, file.rfind('/')); }

ProcessCall call_helmfile(PhaseRun& run, const std::string& file,
                          std::vector<std::string> arguments) {
  return helmfile_call({run.world.processes, run.world.state_path, run.material}, file,
                       std::move(arguments));
}

std::string selector_of(const WantedRelease& release) {
  return fmt::format("name={},namespace={}", release.name, release.name_space);
}

/// How long a program may take within the phase.
Duration time_left(const Context& context) {
  if (context.deadline == kNever) return std::chrono::hours(1);
  return std::max<Duration>(context.deadline - context.now(), std::chrono::seconds(1));
}

ProcessCall helm_look(PhaseRun& run, const WantedRelease& wanted, const char* what) {
  ProcessCall call =
      tool_call(run.world, run.material, "helm",
                {"get", what, wanted.name, "--namespace", wanted.name_space, "--output", "json"});
  call.limit = kLookLimit;
  return call;
}

ProcessCall install_call(PhaseRun& run, const WantedRelease& wanted, const Context& context) {
  ProcessCall call;
  if (!wanted.helmfile.empty()) {
    call = call_helmfile(run, wanted.helmfile, {"--selector", selector_of(wanted), "sync"});
  } else {
    const ChartWords chart = chart_words(run.material.fetched, source_of(wanted));
    std::vector<std::string> words{"upgrade",   wanted.name,   chart.chart,
                                   "--install", "--namespace", wanted.name_space,
                                   "--values",  "-",           "--create-namespace"};
    words.insert(words.end(), chart.flags.begin(), chart.flags.end());
    call = tool_call(run.world, run.material, "helm", std::move(words));
    call.input = SecretString(wanted.values.dump());
  }
  call.limit = time_left(context);
  return call;
}

KubeQuery records_of(const WantedRelease& wanted) {
  KubeQuery query;
  query.kind = {"", "v1", "Secret"};
  query.name_space = wanted.name_space;
  query.labels = fmt::format("owner=helm,name={}", wanted.name);
  return query;
}

void trouble(PhaseRun& run, const std::string& object, const Error& error) {
  const bool late = error.code == Errc::out_of_time;
  const bool off = error.code == Errc::cancelled;
  run.stop({object, error.message, "mend what it names", "K3", !late}, off    ? StepEnd::cancelled
                                                                       : late ? StepEnd::out_of_time
                                                                              : StepEnd::failed);
}

/// A revision that helm began and never ended bars every later one. It is taken away only where
/// our own journal says that it was ours and cut short; somebody else's helm may still be at work.
Task<bool> clear_pending(Context context, PhaseRun& run, const WantedRelease& wanted,
                         const DeployedRelease& deployed) {
  if (!deployed.status.starts_with("pending-")) co_return true;
  const std::string key = key_of(wanted);
  if (!run.actor.was_interrupted(key) && !mutant("pending-is-ours")) {
    run.stop({key, fmt::format("its last revision is {}, and not by us", deployed.status),
              fmt::format("wait for whoever installs it, or `helm rollback {} -n {}`", wanted.name,
                          wanted.name_space),
              "K5", true});
    co_return false;
  }
  run.say(EventKind::decided, fmt::format("{}: take away what was cut short", key));
  const Outcome outcome = co_await run.actor.remove(context, deployed.record, deployed.uid);
  const bool gone = outcome.kind == OutcomeKind::done || outcome.error->code == Code::not_found;
  if (!gone) {
    run.stop({to_text(deployed.record), to_text(*outcome.error), "delete it by hand", "K3", false});
  }
  co_return gone;
}

/// Whether the newest revision is none that a helm has not ended. Unknown is not yes.
Task<bool> is_settled(Context context, PhaseRun& run, const WantedRelease& wanted) {
  const KubeQuery query = records_of(wanted);
  const auto records = co_await run.world.kube.list(context.within(kSettledLimit), query);
  co_return records && !newest_revision(records->items).status.starts_with("pending-");
}

/// A revision that a run of ours began and did not end may still be at work: whoever kills ichor
/// does not kill its helm. It gets time to end before anything is decided about it.
Task<std::optional<DeployedRelease>> look_when_settled(Context context, PhaseRun& run,
                                                       WantedRelease wanted) {
  auto deployed = co_await look_at_release(context, run, wanted);
  const MonoTime until = later(context.now(), kOrphanTime);
  const std::string key = key_of(wanted);
  while (deployed && deployed->status.starts_with("pending-") && context.now() < until) {
    const bool ours = run.actor.was_interrupted(key) && !mutant("orphans-ignored");
    if (!ours || run.options.dry_run) break;
    run.say(EventKind::waiting,
            fmt::format("{}: a helm of an earlier run may still be at work", key));
    const Wake wake = co_await sleep_for(context, kOrphanPace);
    if (wake == Wake::cancelled) run.report.worsen(StepEnd::cancelled);
    if (wake == Wake::cancelled) co_return std::nullopt;
    if (wake != Wake::signalled) break;
    deployed = co_await look_at_release(context, run, wanted);
  }
  co_return deployed;
}

}  // namespace

ProcessCall helmfile_call(const ToolPlace& place, const std::string& file,
                          std::vector<std::string> arguments) {
  const std::string helm = tool_call(place, "helm", {}).program;
  std::vector<std::string> words{"--helm-binary", helm, "--file", file, "--quiet"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  ProcessCall call = tool_call(place, "helmfile", std::move(words));
  call.folder = folder_of(file);
  return call;
}

std::string key_of(const WantedRelease& release) {
  return fmt::format("Release/{}/{}", release.name_space, release.name);
}

ProcessCall helmfile_template(PhaseRun& run, const WantedRelease& release) {
  return call_helmfile(
      run, release.helmfile,
      {"--selector", selector_of(release), "template", "--include-crds", "--skip-tests"});
}

Task<std::optional<std::vector<WantedRelease>>> list_helmfile(Context context, PhaseRun& run,
                                                              std::string file) {
  std::vector<std::string> words;
  words.emplace_back("build");
  words.emplace_back("--embed-values");
  const auto text = co_await tool_output(context.within(kLookLimit), run.world,
                                         call_helmfile(run, file, std::move(words)));
  if (!text) {
    trouble(run, file, text.error());
    co_return std::nullopt;
  }
  auto releases = helmfile_releases(text->reveal(), file);
  if (!releases) {
    trouble(run, file, releases.error());
    co_return std::nullopt;
  }
  co_return *std::move(releases);
}

Task<std::optional<std::vector<WantedRelease>>> wanted_releases(Context context, PhaseRun& run) {
  std::vector<WantedRelease> all;
  if (!run.material.plan.core.helmfile.empty()) {
    auto listed = co_await list_helmfile(context, run, run.material.plan.core.helmfile);
    if (!listed) co_return std::nullopt;
    all = *std::move(listed);
  }
  all.insert(all.end(), run.material.releases.begin(), run.material.releases.end());
  co_return all;
}

Task<std::optional<DeployedRelease>> look_at_release(Context context, PhaseRun& run,
                                                     WantedRelease wanted) {
  const std::string key = key_of(wanted);
  const KubeQuery query = records_of(wanted);
  std::function<Task<CallResult<KubeList>>()> ask = [&run, context, &query] {
    return run.world.kube.list(context, query);
  };
  const auto records = co_await persist<KubeList>(context, run, key, ask);
  if (!records) {
    const KubeVerdict verdict = judge_kube(records.error());
    run.stop(
        {key, records.error().text, std::string(verdict.hint), std::string(verdict.fault), false},
        StepEnd::out_of_time);
    co_return std::nullopt;
  }
  DeployedRelease deployed = newest_revision(records->items);
  if (!deployed.there || deployed.status != "deployed") co_return deployed;
  const auto metadata =
      co_await tool_output(context, run.world, helm_look(run, wanted, "metadata"));
  const auto values = co_await tool_output(context, run.world, helm_look(run, wanted, "values"));
  if (!metadata || !values) {
    trouble(run, key, metadata ? values.error() : metadata.error());
    co_return std::nullopt;
  }
  const auto said = parse_json(metadata->reveal());
  auto given = parse_json(values->reveal());
  if (!said || !given) {
    const Error& error = said ? given.error() : said.error();
    trouble(run, key, {error.code, "the output of helm get: " + error.message});
    co_return std::nullopt;
  }
  deployed.version = text_at(*said, {"version"});
  deployed.values = *std::move(given);
  co_return deployed;
}

Task<bool> install_release(Context context, PhaseRun& run, WantedRelease wanted) {
  const std::string key = key_of(wanted);
  const auto deployed = co_await look_when_settled(context, run, wanted);
  if (!deployed) co_return false;
  const std::string reason = reason_to_install(wanted, *deployed);
  ObjectChange change{key, reason.empty() ? "none" : deployed->there ? "update" : "create", {}};
  if (!reason.empty()) change.lines.push_back(reason);
  if (reason.empty() || run.options.dry_run) {
    run.report.objects.push_back(std::move(change));
    co_return true;
  }
  if (!co_await clear_pending(context, run, wanted, *deployed)) co_return false;
  run.say(EventKind::decided, fmt::format("install {}: {}", key, reason));
  ProcessCall call = install_call(run, wanted, context);
  KubeActor::Settled settled = [&run, context, &wanted] {
    return is_settled(context, run, wanted);
  };
  const Outcome outcome =
      co_await run.actor.install(context, key, std::move(call), std::move(settled));
  if (outcome.kind == OutcomeKind::done) {
    run.report.objects.push_back(std::move(change));
    run.say(EventKind::acted, fmt::format("{}: deployed", key));
    co_return true;
  }
  const CallError& error = *outcome.error;
  const bool late = error.code == Code::deadline_exceeded || context.expired();
  run.stop({key, error.text, fmt::format("`helm status {} -n {}`", wanted.name, wanted.name_space),
            "K6", !late},
           error.code == Code::cancelled ? StepEnd::cancelled
           : late                        ? StepEnd::out_of_time
                                         : StepEnd::failed);
  co_return false;
}

}  // namespace ichor
