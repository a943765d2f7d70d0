#include "phase/kubernetes/release.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/argument.h"
#include "base/clean_text.h"
#include "phase/kubernetes/json_view.h"
#include "phase/kubernetes/manifests.h"
#include "yaml/document.h"

namespace ichor {

namespace {

constexpr std::size_t kShownMax = 120;

std::string_view without_v(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  return version;
}

/// Flux' helm-controller appends the chart's digest to the version of what it takes over, as build
/// metadata, which semver does not compare. So it counts only where it is asked for.
bool is_same_version(std::string_view wanted, std::string_view deployed) {
  if (wanted.find('+') == std::string_view::npos) deployed = deployed.substr(0, deployed.find('+'));
  return without_v(wanted) == without_v(deployed);
}

int revision_of(const KubeObject& secret) {
  const std::string text = text_at(secret, {"metadata", "labels", "version"});
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// helmfile writes a need as "namespace/name" or "context/namespace/name".
std::vector<std::string> needs_of(const KubeObject& release) {
  std::vector<std::string> needs;
  const KubeObject& list = at(release, {"needs"});
  if (!list.is_array()) return needs;
  for (const KubeObject& need : list) {
    if (!need.is_string()) continue;
    const std::string text = need.get<std::string>();
    needs.push_back(text.substr(text.rfind('/') + 1));
  }
  return needs;
}

/// All that helm gets as arguments. The values come out of files that anybody may have written.
Result<void> check_arguments(const WantedRelease& release, const std::string& where) {
  const std::pair<const char*, const std::string*> words[] = {{"name", &release.name},
                                                              {"namespace", &release.name_space},
                                                              {"chart", &release.chart},
                                                              {"version", &release.version}};
  for (const auto& [key, value] : words) {
    const bool chart = value == &release.chart;
    if (chart ? is_chart_argument(*value) : is_argument_value(*value)) continue;
    return fail(Errc::invalid,
                fmt::format("{}: the {} of a release is \"{}\"; it must be {}", where, key,
                            clean_text(*value, kShownMax), kArgumentValue));
  }
  return {};
}

}  // namespace

DeployedRelease newest_revision(const SeenObjects& secrets) {
  DeployedRelease deployed;
  int newest = 0;
  for (const KubeObject& secret : secrets) {
    const int revision = revision_of(secret);
    if (revision <= newest) continue;
    newest = revision;
    deployed.there = true;
    deployed.status = text_at(secret, {"metadata", "labels", "status"});
    deployed.record = ref_of(secret);
    deployed.uid = text_at(secret, {"metadata", "uid"});
  }
  return deployed;
}

std::string reason_to_install(const WantedRelease& wanted, const DeployedRelease& deployed) {
  if (!deployed.there) return "it is not installed";
  if (deployed.status != "deployed") return "its last revision is " + deployed.status;
  if (!wanted.version.empty() && !is_same_version(wanted.version, deployed.version)) {
    return fmt::format("chart {} is deployed, {} is wanted", deployed.version, wanted.version);
  }
  const KubeObject none = KubeObject::object();
  const KubeObject& have = deployed.values.is_null() ? none : deployed.values;
  const KubeObject& want = wanted.values.is_null() ? none : wanted.values;
  return have == want ? "" : "other values are deployed";
}

Result<std::vector<WantedRelease>> helmfile_releases(std::string_view text,
                                                     const std::string& file) {
  const auto documents = yaml::parse(text, file);
  if (!documents) return forward_error(documents);
  std::vector<WantedRelease> releases;
  for (const yaml::Document& document : *documents) {
    const KubeObject state = json_of(document.root);
    const KubeObject& list = at(state, {"releases"});
    if (!list.is_array()) continue;
    for (const KubeObject& entry : list) {
      const KubeObject& installed = at(entry, {"installed"});
      if (installed.is_boolean() && !installed.get<bool>()) continue;
      WantedRelease release;
      release.name = text_at(entry, {"name"});
      release.chart = text_at(entry, {"chart"});
      release.version = text_at(entry, {"version"});
      release.helmfile = file;
      const std::string name_space = text_at(entry, {"namespace"});
      if (!name_space.empty()) release.name_space = name_space;
      release.needs = needs_of(entry);
      const KubeObject& values = at(entry, {"values"});
      if (values.is_array()) {
        for (const KubeObject& part : values) merge_values(release.values, part);
      }
      if (release.name.empty() || release.chart.empty()) {
        return fail(Errc::invalid, fmt::format("{}: a release has no name or no chart", file));
      }
      if (auto fit = check_arguments(release, file); !fit) return forward_error(fit);
      releases.push_back(std::move(release));
    }
  }
  return releases;
}

Result<WantedRelease> release_of_tree(const KubeObject& helm_release,
                                      const KubeObject& oci_repository, const std::string& where) {
  WantedRelease release;
  const KubeObject& values = at(helm_release, {"spec", "values"});
  if (values.is_object()) release.values = values;
  if (!at(helm_release, {"spec", "chartRef"}).is_null()) {
    release.chart = text_at(oci_repository, {"spec", "url"});
    release.version = text_at(oci_repository, {"spec", "ref", "tag"});
    if (release.version.empty()) {
      release.version = text_at(oci_repository, {"spec", "ref", "semver"});
    }
    release.plain_http = flag_at(oci_repository, {"spec", "insecure"});
    if (release.chart.empty()) {
      return fail(Errc::invalid,
                  where +
                      ": helmrelease.yaml has a chartRef, and there is no ocirepository.yaml "
                      "with its url beside it");
    }
    if (auto fit = check_arguments(release, where); !fit) return forward_error(fit);
    return release;
  }
  release.chart = text_at(helm_release, {"spec", "chart", "spec", "chart"});
  release.version = text_at(helm_release, {"spec", "chart", "spec", "version"});
  if (release.chart.empty()) {
    return fail(Errc::invalid, where + ": helmrelease.yaml names no chart");
  }
  if (auto fit = check_arguments(release, where); !fit) return forward_error(fit);
  return release;
}

}  // namespace ichor
