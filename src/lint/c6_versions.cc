#include "lint/c6_versions.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/nearest_name.h"
#include "machineconfig/contract.h"
#include "machineconfig/rules.h"
#include "model/reporter.h"
#include "model/talos_release.h"
#include "profile/formats.h"

namespace ichor {

namespace {

struct Extension {
  std::string_view name;
  int first, last;  // minor versions
};

constexpr Extension kExtensions[] = {
#include "lint/extensions.inc"
};

/// The newest release whose extensions are known.
constexpr int kListed = kTalosReleases.back().version.minor;

void check_kubernetes(const LintInput& input, Reporter& report) {
  const TalosPlan& talos = input.profile.talos;
  const auto kubernetes = parse_version(talos.kubernetes_version);
  const TalosRelease* release = find_release(talos.version);
  if (!kubernetes || release == nullptr) return;
  if (kubernetes->major == 1 && kubernetes->minor >= release->oldest_kubernetes &&
      kubernetes->minor <= release->newest_kubernetes) {
    return;
  }
  report.error(
      "versions.kubernetes", input.source.where("talos.kubernetes_version"),
      fmt::format("Talos {} runs Kubernetes v1.{} to v1.{}, not {}", to_text(talos.version),
                  release->oldest_kubernetes, release->newest_kubernetes, talos.kubernetes_version),
      fmt::format("take a version from v1.{} to v1.{}, or another Talos",
                  release->oldest_kubernetes, release->newest_kubernetes));
}

void check_contract(const LintInput& input, Reporter& report) {
  const TalosPlan& talos = input.profile.talos;
  const TalosVersion minor{talos.version.major, talos.version.minor, 0};
  if (talos.contract <= minor) return;
  report.error("versions.contract", input.source.where("talos.contract"),
               fmt::format("the contract {} is newer than Talos {}, which would not know its "
                           "configs",
                           to_text(talos.contract), to_text(talos.version)),
               "leave the contract at the version that the cluster was made with");
}

/// Without a contract for it no config can be made.
void check_talos(const LintInput& input, Reporter& report) {
  const TalosPlan& talos = input.profile.talos;
  const auto contract = find_contract(talos.contract);
  // One that is younger than its Talos is another mistake.
  const bool younger = talos.contract > TalosVersion{talos.version.major, talos.version.minor, 0};
  const TalosVersion& newest = kTalosReleases.back().version;
  if (contract && find_release(talos.version) == nullptr && newest < talos.version) {
    report.warning("versions.talos", input.source.where("talos.version"),
                   fmt::format("Talos {} is newer than this ichor, which knows it up to v{}.{}",
                               to_text(talos.version), newest.major, newest.minor),
                   fmt::format("take a newer ichor; until then configs are made for and checked "
                               "by the rules of v{}.{}, and the versions of Kubernetes that it "
                               "runs are not checked",
                               talos.contract.major, talos.contract.minor));
  }
  if (contract || younger) return;
  report.error("versions.talos",
               input.source.where(talos.contract_given ? "talos.contract" : "talos.version"),
               contract.error().message, "correct the version, or take a newer ichor");
}

/// Since 1.14 the Image Factory alone makes installers. A registry of one's own may hold copies.
void check_installer(const LintInput& input, Reporter& report) {
  const TalosPlan& talos = input.profile.talos;
  if (!rules_of(talos.version.minor).installs_from_factory) return;
  if (!talos.installer_image.starts_with("ghcr.io/siderolabs/installer:")) return;
  report.error("versions.installer", input.source.where("talos.installer_image"),
               fmt::format("there is no {}: installers of Talos {} come from the Image Factory",
                           talos.installer_image, to_text(talos.version)),
               "remove it and set talos.factory.schematic_id, or name an image "
               "factory.talos.dev/metal-installer/SCHEMATIC:VERSION or its copy");
}

std::string_view without_v(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  return version;
}

/// CRDs of one version and a controller of another.
void check_crds(const LintInput& input, Reporter& report) {
  for (const ChartVersion& crds : input.material.crd_charts) {
    for (const ChartVersion& controller : input.material.controllers) {
      if (crds.name != controller.name || crds.version.empty() || controller.version.empty() ||
          without_v(crds.version) == without_v(controller.version)) {
        continue;
      }
      report.error("versions.crds", controller.where,
                   fmt::format("the CRDs of {} are {} ({}), and its controller is {}", crds.name,
                               crds.version, crds.where, controller.version),
                   fmt::format("write the same version in both, such as {}", crds.version));
    }
  }
}

void check_quorum(const LintInput& input, Reporter& report) {
  const int count = input.profile.control_plane_count();
  if (count % 2 == 1 || count == 0) return;
  report.warning("versions.quorum", input.source.where("nodes.controlplane.assignments"),
                 count == 2 ? std::string("two control planes tolerate no failure")
                            : fmt::format("{} control planes tolerate {} failures, as {} do", count,
                                          count / 2 - 1, count - 1),
                 fmt::format("use {} or {}", count - 1, count + 1));
}

void check_extensions(const LintInput& input, Reporter& report) {
  const yaml::Node* list = input.material.schematic.find_path(
      {"customization", "systemExtensions", "officialExtensions"});
  if (list == nullptr) return;
  const TalosVersion& version = input.profile.talos.version;
  for (const yaml::Node& item : list->items) {
    const std::string where =
        fmt::format("{}:{}:{}", input.material.schematic_file, item.at.line, item.at.column);
    const auto known =
        std::find_if(std::begin(kExtensions), std::end(kExtensions),
                     [&](const Extension& extension) { return extension.name == item.text; });
    if (known == std::end(kExtensions)) {
      std::vector<std::string_view> names;
      for (const Extension& extension : kExtensions) names.push_back(extension.name);
      const std::string_view near = nearest_name(item.text, names);
      report.error("versions.extension", where,
                   fmt::format("there is no official extension `{}`", item.text),
                   near.empty() ? "see the list at https://factory.talos.dev"
                                : fmt::format("did you mean \"{}\"?", near));
    } else if (version.minor < known->first ||
               // Of a release that is younger than the list nothing is known.
               (version.minor > known->last && known->last < kListed)) {
      report.error("versions.extension", where,
                   fmt::format("Talos {} has no extension `{}`: it exists from v1.{} to v1.{}",
                               to_text(version), item.text, known->first, known->last),
                   "remove it or take another version of Talos");
    }
  }
}

}  // namespace

void lint_versions(const LintInput& input, std::vector<Finding>& findings) {
  Reporter report(findings);
  check_kubernetes(input, report);
  check_talos(input, report);
  check_installer(input, report);
  check_contract(input, report);
  check_crds(input, report);
  check_quorum(input, report);
  check_extensions(input, report);
}

}  // namespace ichor
