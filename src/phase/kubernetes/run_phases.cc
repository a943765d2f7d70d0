#include "phase/kubernetes/run_phases.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "phase/kubernetes/core_phase.h"
#include "phase/kubernetes/crds_phase.h"
#include "phase/kubernetes/secrets_phase.h"
#include "phase/kubernetes/tools.h"
#include "phase/kubernetes/validation_phase.h"

namespace ichor {

namespace {

/// A phase as it stands in the order.
struct Entry {
  std::string_view name;
  Task<void> (*run)(Context, PhaseRun&);
  Duration (*budget)(const KubernetesPlan&);
  std::optional<Duration> (*slo)(const KubernetesPlan&);
};

// The order, said once: secrets before whoever reads them, kinds before their objects, the network
// before whoever needs one, and the verdict last.
constexpr std::array<Entry, 4> kPhases{{
    {"secrets", run_secrets, [](const KubernetesPlan& plan) { return plan.budgets.secrets; },
     [](const KubernetesPlan&) { return std::optional<Duration>(); }},
    {"crds", run_crds, [](const KubernetesPlan& plan) { return plan.budgets.crds; },
     [](const KubernetesPlan& plan) { return std::optional(plan.slo.crds); }},
    {"core", run_core, [](const KubernetesPlan& plan) { return plan.budgets.core; },
     [](const KubernetesPlan& plan) { return std::optional(plan.slo.core); }},
    {"validation", run_validation,
     [](const KubernetesPlan& plan) { return plan.budgets.validation; },
     [](const KubernetesPlan&) { return std::optional<Duration>(); }},
}};

Task<PhaseReport> run_one(Context context, KubeWorld& world, const KubernetesMaterial& material,
                          const ClusterProfile& profile, KubeActor& actor, PhasesWish wish,
                          int number) {
  const Entry& entry = kPhases[static_cast<std::size_t>(number)];
  PhaseRun run{world, material, profile, actor, wish.options, {}};
  run.report.number = number;
  run.report.name = entry.name;
  run.report.slo = entry.slo(material.plan);
  const MonoTime began = context.now();
  run.say(EventKind::phase_started, fmt::format("phase {}: {}", number, entry.name));
  co_await entry.run(context.within(wish.timeout.value_or(entry.budget(material.plan))), run);
  run.report.took = context.now() - began;
  if (context.cancelled()) run.report.worsen(PhaseEnd::cancelled);
  const bool done = run.report.end == PhaseEnd::done;
  run.say(
      done ? EventKind::phase_done : EventKind::phase_failed,
      fmt::format("phase {}: {}, {} changed, {} as they were, {}", number, name_of(run.report.end),
                  run.report.changed(), run.report.unchanged(), to_text(run.report.took)));
  co_return std::move(run.report);
}

/// For other programs; written only where it differs, because every write leaves a backup.
Result<void> keep_kubeconfig(KubeWorld& world, const KubernetesMaterial& material) {
  const std::optional<SecretString> kept = world.files.read(kToolsKubeconfig);
  if (kept && *kept == material.kubeconfig) return {};
  return world.files.write(kToolsKubeconfig, material.kubeconfig);
}

bool ended_well(const PhaseReport& report) { return report.end == PhaseEnd::done; }

}  // namespace

std::string_view phase_name(int number) { return kPhases[static_cast<std::size_t>(number)].name; }

Task<PhasesResult> run_phases(Context context, KubeWorld& world, const KubernetesMaterial& material,
                              const ClusterProfile& profile, PhasesWish wish) {
  PhasesResult result;
  const MonoTime began = context.now();
  KubeActor actor(world);
  if (const auto loaded = actor.load(); !loaded) {
    Finding finding;
    finding.id = "L5";
    finding.what = loaded.error().message;
    finding.fix = "nothing was touched; restore the journal from a copy: see docs/journal.md";
    result.findings.push_back(std::move(finding));
    co_return result;
  }
  if (const auto written = keep_kubeconfig(world, material); !written) {
    Finding finding;
    finding.id = "L13";
    finding.what = written.error().message;
    finding.fix = "make the state folder writable or free space on its disk, then run it again";
    result.findings.push_back(std::move(finding));
    co_return result;
  }
  result.findings = co_await check_tools(context, world, material,
                                         tools_needed(material.plan, wish.first, wish.last));
  if (result.findings.empty()) {
    for (int number = wish.first; number <= wish.last; ++number) {
      result.phases.push_back(
          co_await run_one(context, world, material, profile, actor, wish, number));
      if (!ended_well(result.phases.back())) break;
    }
  }
  result.mutations = actor.mutations();
  result.took = context.now() - began;
  co_return result;
}

Exit exit_of(const PhasesResult& result, const PhaseOptions&) {
  if (!result.findings.empty()) return Exit::findings;
  if (result.phases.empty()) return Exit::done;
  switch (result.phases.back().end) {
    case PhaseEnd::done:
    case PhaseEnd::skipped: return Exit::done;
    case PhaseEnd::cni_pending: return Exit::cni_pending;
    case PhaseEnd::out_of_time: return Exit::out_of_time;
    case PhaseEnd::failed: return Exit::failed;
    case PhaseEnd::missing_tool: return Exit::findings;
    case PhaseEnd::cancelled: return Exit::interrupted;
  }
  return Exit::failed;
}

std::string verdict_of(const PhasesResult& result, const PhaseOptions& options) {
  if (!result.findings.empty()) return "nothing was begun: see the findings";
  if (result.phases.empty()) return "there was nothing to do";
  const PhaseReport& last = result.phases.back();
  int changed = 0;
  for (const PhaseReport& report : result.phases) changed += report.changed();
  if (!ended_well(last)) {
    return fmt::format("phase {} ({}): {}, {} unmet", last.number, last.name, name_of(last.end),
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

}  // namespace ichor
