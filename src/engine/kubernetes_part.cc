#include "engine/kubernetes_part.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/dry_run_kube.h"
#include "engine/kube_loop.h"
#include "phase/kubernetes/prefetch.h"
#include "phase/kubernetes/tools.h"

namespace ichor {

namespace {

bool ended_well(const PhaseReport& report) { return report.end == StepEnd::passed; }

Finding unwritable(const Error& error) {
  Finding finding;
  finding.id = "L13";
  finding.where = kToolsKubeconfig;
  finding.what = error.message;
  finding.fix = "make the state folder writable or free space on its disk, then run it again";
  return finding;
}

}  // namespace

KubernetesPart::KubernetesPart(KubePorts ports, KubernetesMaterial& material, Open open,
                               PhasesOptions options)
    : ports_(std::move(ports)),
      material_(material),
      open_(std::move(open)),
      options_(std::move(options)) {}

KubernetesPart::~KubernetesPart() = default;

Task<void> KubernetesPart::prepare(Context context, const ClusterProfile& profile) {
  CancelScope both(*context.scope);
  prepares_ = true;
  // Two may end it: the run, and its first phase.
  struct Relay final : CancelScope::Listener {
    explicit Relay(CancelScope& scope) : scope(scope) {}
    void on_cancel() override { scope.cancel(); }
    CancelScope& scope;
  } relay(both);
  preparing_.listen(relay);
  Prefetch ahead;
  // Named values: the compiler mishandles lists within coroutines.
  const ToolPlace place{ports_.processes, ports_.state_path, material_};
  co_await prefetch_charts(context.under(both), place, profile.talos.kubernetes_version,
                           ports_.events, ahead);
  material_.fetched = std::move(ahead.charts);
  result_.early = std::move(ahead.findings);
  prepares_ = false;
  prepared_.notify_all();
}

Result<void> KubernetesPart::keep_kubeconfig() {
  // Written only where it differs, because every write leaves a backup.
  const std::optional<SecretString> kept = ports_.files.read(kToolsKubeconfig);
  if (kept && *kept == material_.kubeconfig) return {};
  return ports_.files.write(kToolsKubeconfig, material_.kubeconfig);
}

Task<bool> KubernetesPart::start(Context context, Ledger& ledger,
                                 const std::vector<const KubernetesPhase*>& phases) {
  preparing_.cancel();
  CancelScope deaf;
  const Context until_prepared = context.under(deaf);
  while (prepares_) co_await prepared_.wait(until_prepared);
  auto reach = open_();
  if (!reach) {
    result_.refused = std::move(reach).error();
    co_return false;
  }
  client_ = std::move(reach->client);
  if (options_.phase.dry_run) client_ = std::make_shared<DryRunKube>(std::move(client_));
  material_.kubeconfig = std::move(reach->kubeconfig);
  world_.emplace(KubeWorld{*context.clock, ports_.random, *client_, ports_.processes, ports_.web,
                           ledger, ports_.files, ports_.events, ports_.talos, ports_.state_path,
                           reach->pods});
  if (options_.phase.dry_run) {
    hands_ = std::make_unique<PlannedHands>(*client_);
  } else {
    hands_ = std::make_unique<ClusterHands>(*world_, material_);
  }
  if (const auto written = keep_kubeconfig(); !written) {
    result_.findings.push_back(unwritable(written.error()));
    co_return false;
  }
  const auto [first, last] = std::minmax_element(
      phases.begin(), phases.end(),
      [](const auto* one, const auto* other) { return one->number() < other->number(); });
  result_.findings =
      co_await check_tools(context, *world_, material_,
                           tools_needed(material_.plan, (*first)->number(), (*last)->number()));
  co_return result_.findings.empty();
}

Task<PhaseReport> KubernetesPart::run_one(Context context, const ClusterProfile& profile,
                                          const KubernetesPhase& phase) {
  PhaseReport report;
  report.number = phase.number();
  report.name = phase.name();
  report.slo = phase.objective(material_.plan);
  const auto say = [&](EventKind kind, std::string text) {
    Event event;
    event.kind = kind;
    event.at = context.now();
    event.phase = report.name;
    event.text = std::move(text);
    ports_.events.emit(event);
  };
  const MonoTime began = context.now();
  say(EventKind::phase_started, fmt::format("phase {}: {}", phase.number(), phase.name()));
  const KubeRun run{*world_, material_, profile, *hands_, options_.phase.force_conflicts};
  KubeLoop loop(run, phase, report);
  co_await loop.run(context.within(options_.timeout.value_or(phase.budget(material_.plan))));
  report.took = context.now() - began;
  if (context.cancelled()) report.worsen(StepEnd::cancelled);
  say(ended_well(report) ? EventKind::phase_done : EventKind::phase_failed,
      fmt::format("phase {}: {}, {} changed, {} unchanged, {}", phase.number(),
                  result_word(report.end), report.changed(), report.unchanged(),
                  to_text(report.took)));
  co_return report;
}

Task<StepEnd> KubernetesPart::run(Context context, Ledger& ledger, const ClusterProfile& profile,
                                  const KubernetesPhase& phase,
                                  const std::vector<const KubernetesPhase*>& phases) {
  const MonoTime began = context.now();
  if (!world_) {
    const bool ready = co_await start(context, ledger, phases);
    if (!ready) {
      result_.took += context.now() - began;
      co_return result_.refused ? StepEnd::failed : StepEnd::missing_tool;
    }
  }
  result_.phases.push_back(co_await run_one(context, profile, phase));
  result_.mutations = hands_->mutations();
  result_.took += context.now() - began;
  co_return result_.phases.back().end;
}

Exit exit_of(const PhasesResult& result) {
  if (result.refused) return result.refused->exit;
  if (!result.findings.empty()) return Exit::findings;
  if (result.phases.empty()) return Exit::done;
  switch (result.phases.back().end) {
    case StepEnd::passed: return Exit::done;
    case StepEnd::cni_pending: return Exit::cni_pending;
    case StepEnd::out_of_time: return Exit::out_of_time;
    case StepEnd::blocked:
    case StepEnd::failed: return Exit::failed;
    case StepEnd::unsafe: return Exit::unsafe;
    case StepEnd::missing_tool: return Exit::findings;
    case StepEnd::cancelled: return Exit::interrupted;
  }
  return Exit::failed;
}

std::string verdict_of(const PhasesResult& result, const PhaseOptions& options) {
  if (result.refused) return result.refused->verdict;
  if (!result.findings.empty()) return "no phase started: see the findings";
  if (result.phases.empty()) return "there was nothing to do";
  const PhaseReport& last = result.phases.back();
  int changed = 0;
  for (const PhaseReport& report : result.phases) changed += report.changed();
  if (!ended_well(last)) {
    return fmt::format("phase {} ({}): {}, {} unmet", last.number, last.name, result_word(last.end),
                       last.unmet.size());
  }
  if (options.dry_run) {
    return changed == 0 ? "nothing would change" : fmt::format("{} would change", changed);
  }
  if (last.number == 3) return "handover: GitOps runs the cluster";
  if (changed == 0) {
    return fmt::format("phase {} ({}): done, nothing had to be changed", last.number, last.name);
  }
  return fmt::format("phase {} ({}): done, {} changed", last.number, last.name, changed);
}

std::vector<Finding> findings_of(const PhasesResult& result, const PhaseOptions& options) {
  std::vector<Finding> all = result.early;
  const auto take = [&all](const std::vector<Finding>& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  if (result.refused) take(result.refused->findings);
  take(result.findings);
  for (const PhaseReport& report : result.phases) {
    for (const auto& [gate, unmet] : report.unmet) all.push_back(finding_of(unmet, gate));
    take(report.findings);
    if (options.dry_run || within_objective(report)) continue;
    Finding late;
    late.severity = Severity::warning;
    late.id = "SLO";
    late.where = std::string(report.name);
    late.what = fmt::format("phase {} took {}, its objective is {}", report.number,
                            to_text(report.took), to_text(*report.slo));
    late.fix = "look at what it waited for; phases.slo in the profile sets the objective";
    all.push_back(std::move(late));
  }
  return all;
}

}  // namespace ichor
