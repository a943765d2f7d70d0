#include "phase/kubernetes/crds_phase.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"

namespace ichor {

std::string chart_name(const std::string& chart) {
  std::string name = chart;
  while (name.ends_with('/')) name.pop_back();
  return name.substr(name.rfind('/') + 1);
}

std::vector<Unmet> misaligned(const std::map<std::string, std::string>& crd_charts,
                              const std::vector<const WantedRelease*>& releases) {
  std::vector<Unmet> unmet;
  for (const WantedRelease* release : releases) {
    const auto found = crd_charts.find(chart_name(release->chart));
    if (found == crd_charts.end() || found->second.empty() || release->version.empty()) continue;
    if (found->second == release->version) continue;
    unmet.push_back({key_of(*release),
                     fmt::format("phase 1 takes the CRDs of {} {}, phase 2 installs {}",
                                 found->first, found->second, release->version),
                     "use the same version in both", "C6", true});
  }
  return unmet;
}

KubeObject values_of(const KubernetesMaterial& material, const KubernetesPlan::Chart& chart) {
  const auto values = material.chart_values.find(chart.chart);
  return values == material.chart_values.end() ? KubeObject::object() : values->second;
}

const WantedRelease* owner_of(const std::string& chart,
                              const std::vector<const WantedRelease*>& releases) {
  const WantedRelease* owner = nullptr;
  for (const WantedRelease* release : releases) {
    if (chart_name(release->chart) == chart_name(chart)) owner = release;
  }
  return owner;
}

void mark_for_release(std::vector<KubeObject>& crds, const WantedRelease& release) {
  for (KubeObject& crd : crds) {
    KubeObject& metadata = crd["metadata"];
    metadata["labels"]["app.kubernetes.io/managed-by"] = "Helm";
    metadata["annotations"]["meta.helm.sh/release-name"] = release.name;
    metadata["annotations"]["meta.helm.sh/release-namespace"] = release.name_space;
  }
}

std::optional<std::vector<const WantedRelease*>> wanted_releases(Course& course) {
  std::vector<const WantedRelease*> all;
  const auto add = [&all](const std::vector<WantedRelease>& some) {
    for (const WantedRelease& release : some) all.push_back(&release);
  };
  const std::string& file = course.plan().core.helmfile;
  if (!file.empty()) {
    const std::vector<WantedRelease>* listed = course.helmfile(file);
    if (!listed) return std::nullopt;
    add(*listed);
  }
  add(course.wanted().material.releases);
  return all;
}

namespace {

using Releases = std::vector<const WantedRelease*>;

/// Whether charts are rendered for their CRDs in the versions that are installed later.
bool agree(Course& course, const std::vector<WantedRelease>& for_crds, const Releases& releases) {
  std::map<std::string, std::string> charts;
  for (const KubernetesPlan::Chart& chart : course.plan().crds.charts) {
    charts[chart_name(chart.chart)] = chart.version;
  }
  for (const WantedRelease& release : for_crds) {
    charts[chart_name(release.chart)] = release.version;
  }
  const std::vector<Unmet> wrong = misaligned(charts, releases);
  for (const Unmet& unmet : wrong) course.stop(unmet);
  return wrong.empty();
}

/// The same CRD may come from several sources; the first one counts, as the sources are ordered.
class Collection {
 public:
  void add(const KubeObjects& crds) {
    for (const KubeObject& crd : crds) {
      std::string name = name_in(crd);
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      names.push_back(std::move(name));
      objects.push_back(&crd);
    }
  }

  std::vector<std::string> names;
  std::vector<const KubeObject*> objects;
};

/// All CRDs, from files, charts and the helmfile's releases; false while one source is missing.
bool collect(Course& course, const std::vector<WantedRelease>& for_crds, const Releases& releases,
             Collection& into) {
  bool all = true;
  const auto add = [&](const KubeObjects* crds) {
    if (crds) into.add(*crds);
    if (!crds) all = false;
  };
  into.add(course.wanted().material.crds);
  for (const KubernetesPlan::Chart& chart : course.plan().crds.charts) {
    add(course.crds({&chart, nullptr, owner_of(chart.chart, releases)}));
  }
  for (const WantedRelease& release : for_crds) {
    add(course.crds({nullptr, &release, owner_of(release.chart, releases)}));
  }
  return all;
}

}  // namespace

void CrdsPhase::follow(Course& course) const {
  static const std::vector<WantedRelease> none;
  const std::vector<WantedRelease>* for_crds = &none;
  const std::string& file = course.plan().crds.helmfile;
  if (!file.empty()) for_crds = course.helmfile(file);
  const auto releases = wanted_releases(course);
  if (!for_crds || !releases || !agree(course, *for_crds, *releases)) return;
  Collection crds;
  if (!collect(course, *for_crds, *releases, crds) || !course.ensures(crds.objects)) return;
  if (crds.names.empty()) return;
  course.passes("crds", std::move(crds.names));
}

}  // namespace ichor
