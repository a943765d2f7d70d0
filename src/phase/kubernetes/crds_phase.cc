#include "phase/kubernetes/crds_phase.h"

#include <algorithm>
#include <fmt/format.h>

#include "async/task_group.h"
#include "base/mutant.h"
#include "phase/kubernetes/ensure.h"
#include "phase/kubernetes/gates.h"
#include "phase/kubernetes/helm.h"
#include "phase/kubernetes/json_view.h"
#include "phase/kubernetes/manifests.h"
#include "phase/kubernetes/release.h"
#include "phase/kubernetes/tools.h"

namespace ichor {

namespace {

constexpr std::string_view kKind = "CustomResourceDefinition";

/// What one source gives, or why it gives nothing.
struct Rendered {
  std::string source;
  std::string chart;
  std::vector<KubeObject> crds;
  std::string trouble;
};

Task<void> render(Context context, PhaseRun& run, ProcessCall call, Rendered& into) {
  const auto text = co_await tool_output(context, run.world, std::move(call));
  if (!text) {
    into.trouble = text.error().message;
    co_return;
  }
  auto objects = objects_of(text->reveal(), into.source);
  if (!objects) {
    into.trouble = objects.error().message;
    co_return;
  }
  into.crds = only_kind(*std::move(objects), kKind);
}

ProcessCall chart_call(PhaseRun& run, const KubernetesPlan::Chart& chart) {
  const ChartWords words = chart_words(run.material.fetched, source_of(chart));
  ProcessCall call = tool_call(run.world, run.material, "helm",
                               template_words(chart_name(chart.chart), chart.name_space, words));
  call.input = SecretString(values_of(run.material, chart).dump());
  return call;
}

/// The releases of both phases, as far as their versions agree.
struct Listed {
  std::vector<WantedRelease> for_crds;  // of the helmfile
  std::vector<WantedRelease> releases;  // of phase 2
};

Task<bool> list_releases(Context context, PhaseRun& run, Listed& into) {
  std::map<std::string, std::string> charts;
  for (const KubernetesPlan::Chart& chart : run.material.plan.crds.charts) {
    charts[chart_name(chart.chart)] = chart.version;
  }
  if (!run.material.plan.crds.helmfile.empty()) {
    auto listed = co_await list_helmfile(context, run, run.material.plan.crds.helmfile);
    if (!listed) co_return false;
    into.for_crds = *std::move(listed);
  }
  for (const WantedRelease& release : into.for_crds) {
    charts[chart_name(release.chart)] = release.version;
  }
  auto releases = co_await wanted_releases(context, run);
  if (!releases) co_return false;
  into.releases = *std::move(releases);
  const std::vector<Unmet> wrong = misaligned(charts, into.releases);
  for (const Unmet& unmet : wrong) run.stop(unmet);
  co_return wrong.empty();
}

/// The same CRD may come from several sources; the first one counts, as the sources are ordered.
void drop_doubles(std::vector<KubeObject>& crds) {
  std::vector<std::string> seen;
  std::erase_if(crds, [&](const KubeObject& crd) {
    const std::string name = name_in(crd);
    const bool known = std::find(seen.begin(), seen.end(), name) != seen.end();
    if (!known) seen.push_back(name);
    return known;
  });
}

}  // namespace

std::string chart_name(const std::string& chart) {
  std::string name = chart;
  while (name.ends_with('/')) name.pop_back();
  return name.substr(name.rfind('/') + 1);
}

std::vector<Unmet> misaligned(const std::map<std::string, std::string>& crd_charts,
                              const std::vector<WantedRelease>& releases) {
  std::vector<Unmet> unmet;
  for (const WantedRelease& release : releases) {
    const auto found = crd_charts.find(chart_name(release.chart));
    if (found == crd_charts.end() || found->second.empty() || release.version.empty()) continue;
    if (found->second == release.version) continue;
    unmet.push_back({fmt::format("Release/{}/{}", release.name_space, release.name),
                     fmt::format("phase 1 takes the CRDs of {} {}, phase 2 installs {}",
                                 found->first, found->second, release.version),
                     "use the same version in both", "C6", true});
  }
  return unmet;
}

KubeObject values_of(const KubernetesMaterial& material, const KubernetesPlan::Chart& chart) {
  const auto values = material.chart_values.find(chart.chart);
  return values == material.chart_values.end() ? KubeObject::object() : values->second;
}

void mark_for_release(std::vector<KubeObject>& crds, const std::string& chart,
                      const std::vector<WantedRelease>& releases) {
  for (const WantedRelease& release : releases) {
    if (chart_name(release.chart) != chart_name(chart)) continue;
    for (KubeObject& crd : crds) {
      KubeObject& metadata = crd["metadata"];
      metadata["labels"]["app.kubernetes.io/managed-by"] = "Helm";
      metadata["annotations"]["meta.helm.sh/release-name"] = release.name;
      metadata["annotations"]["meta.helm.sh/release-namespace"] = release.name_space;
    }
  }
}

namespace {

/// Renders charts and the helmfile's releases side by side; a failure is in the report.
Task<bool> render_crds(Context context, PhaseRun& run, const Listed& listed,
                       std::vector<KubeObject>& crds) {
  const KubernetesPlan::Crds& plan = run.material.plan.crds;
  std::vector<Rendered> rendered(plan.charts.size() + listed.for_crds.size());
  TaskGroup group(context);
  std::size_t next = 0;
  for (const KubernetesPlan::Chart& chart : plan.charts) {
    Rendered& into = rendered[next++];
    into.source = into.chart = chart.chart;
    group.spawn(render(context, run, chart_call(run, chart), into));
  }
  for (const WantedRelease& release : listed.for_crds) {
    Rendered& into = rendered[next++];
    into.source = plan.helmfile;
    into.chart = release.chart;
    group.spawn(render(context, run, helmfile_template(run, release), into));
  }
  co_await group.join();
  bool all = true;
  crds.insert(crds.end(), run.material.crds.begin(), run.material.crds.end());
  for (Rendered& source : rendered) {
    if (!source.trouble.empty()) {
      all = false;
      run.stop(
          {source.source, source.trouble, "mend the chart, its version or its values", "K3", true},
          context.cancelled() ? StepEnd::cancelled : StepEnd::failed);
    }
    mark_for_release(source.crds, source.chart, listed.releases);
    std::move(source.crds.begin(), source.crds.end(), std::back_inserter(crds));
  }
  drop_doubles(crds);
  co_return all;
}

}  // namespace

Task<void> run_crds(Context context, PhaseRun& run) {
  Listed listed;
  if (!co_await list_releases(context, run, listed)) co_return;
  std::vector<KubeObject> crds;
  if (!co_await render_crds(context, run, listed, crds)) co_return;
  if (!co_await ensure(context, run, crds) || run.options.dry_run) co_return;
  std::vector<std::string> names;
  for (const KubeObject& crd : crds) names.push_back(name_in(crd));
  if (names.empty()) {
    run.say(EventKind::waiting, "the profile has no CRDs to apply");
    co_return;
  }
  if (mutant("crds-not-awaited")) co_return;
  co_await pass(context, run, crds_gate(names));
}

}  // namespace ichor
