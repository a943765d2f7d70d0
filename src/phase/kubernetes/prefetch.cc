#include "phase/kubernetes/prefetch.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/crds_phase.h"
#include "phase/kubernetes/helm.h"

namespace ichor {

namespace {

constexpr std::string_view kPhase = "charts";
constexpr Duration kLimit = std::chrono::minutes(3);

/// A chart with the values that it is rendered with.
struct Job {
  std::string name;
  std::string name_space;
  ChartSource source;
  KubeObject values;
};

std::vector<Job> jobs_of(const KubernetesMaterial& material) {
  std::vector<Job> jobs;
  for (const KubernetesPlan::Chart& chart : material.plan.crds.charts) {
    jobs.push_back(
        {chart_name(chart.chart), chart.name_space, source_of(chart), values_of(material, chart)});
  }
  for (const WantedRelease& release : material.releases) {
    jobs.push_back({release.name, release.name_space, source_of(release), release.values});
  }
  return jobs;
}

std::vector<std::string> helmfiles_of(const KubernetesPlan& plan) {
  std::vector<std::string> files;
  if (!plan.crds.helmfile.empty()) files.push_back(plan.crds.helmfile);
  if (!plan.core.helmfile.empty()) files.push_back(plan.core.helmfile);
  return files;
}

class Prefetching {
 public:
  Prefetching(Context context, ToolPlace place, std::string version, EventSink& events,
              Prefetch& into)
      : context_(context),
        place_(place),
        version_(std::move(version)),
        events_(events),
        into_(into) {}

  Task<void> run() {
    const std::vector<Job> jobs = jobs_of(place_.material);
    for (const Job& job : jobs) {
      co_await fetch(job);
      if (context_.cancelled()) co_return;
      co_await render(job.name, template_call(job));
    }
    const std::vector<std::string> files = helmfiles_of(place_.material.plan);
    for (const std::string& file : files) co_await render(file, template_call(file));
    if (context_.cancelled()) co_return;
    say(fmt::format("{} fetched, {} rendered", into_.charts.size(), into_.rendered));
  }

 private:
  Task<void> fetch(const Job& job) {
    const std::string name = fetched_name(job.source);
    if (name.empty() || into_.charts.contains(job.source)) co_return;
    const bool fetched = co_await run_tool(job.name, pull_call(job));
    if (fetched) into_.charts[job.source] = fmt::format("{}/{}", place_.state_path, name);
  }

  // Calls are made in plain functions: the compiler mishandles lists within coroutines.

  ProcessCall pull_call(const Job& job) {
    std::vector<std::string> words{"pull", job.source.chart, "--destination", place_.state_path};
    const ChartWords chart = chart_words({}, job.source);
    words.insert(words.end(), chart.flags.begin(), chart.flags.end());
    return tool_call(place_, "helm", std::move(words));
  }

  ProcessCall template_call(const Job& job) {
    const ChartWords chart = chart_words(into_.charts, job.source);
    std::vector<std::string> words = template_words(job.name, job.name_space, chart);
    if (!version_.empty()) words.insert(words.end(), {"--kube-version", version_});
    ProcessCall call = tool_call(place_, "helm", std::move(words));
    call.input = SecretString(job.values.dump());
    return call;
  }

  ProcessCall template_call(const std::string& helmfile) {
    return helmfile_call(place_, helmfile, {"template", "--include-crds"});
  }

  Task<void> render(std::string name, ProcessCall call) {
    const bool good = co_await run_tool(std::move(name), std::move(call));
    if (good) ++into_.rendered;
  }

  Task<bool> run_tool(std::string name, ProcessCall call) {
    call.limit = kLimit;
    const auto output = co_await tool_output(context_, place_.processes, std::move(call));
    if (output) co_return true;
    // Called off is no trouble: the phase does it.
    if (output.error().code != Errc::cancelled) trouble(name, output.error().message);
    co_return false;
  }

  void trouble(const std::string& name, const std::string& what) {
    Finding finding;
    finding.severity = Severity::warning;
    finding.id = "K3";
    finding.where = std::string(kPhase);
    finding.what = fmt::format("{}: {}", name, what);
    finding.fix = "the phase tries again; fix the chart, its version or its values until then";
    say(finding.what);
    into_.findings.push_back(std::move(finding));
  }

  void say(std::string text) {
    Event event;
    event.kind = EventKind::acted;
    event.at = context_.now();
    event.phase = kPhase;
    event.text = fmt::format("{}: {}", kPhase, text);
    events_.emit(event);
  }

  Context context_;
  ToolPlace place_;
  std::string version_;
  EventSink& events_;
  Prefetch& into_;
};

}  // namespace

Task<void> prefetch_charts(Context context, ToolPlace place, std::string kubernetes_version,
                           EventSink& events, Prefetch& into) {
  Prefetching prefetching(context, place, std::move(kubernetes_version), events, into);
  co_await prefetching.run();
}

}  // namespace ichor
