#include "phase/upgrade_plan.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "machineconfig/installer.h"
#include "model/talos_release.h"

namespace ichor {

namespace {

constexpr std::size_t kSchematicDigits = 64;

bool is_schematic(std::string_view text) {
  return text.size() == kSchematicDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Where the tag of an image starts; npos if it has none.
std::size_t tag_of(std::string_view image) {
  const std::size_t colon = image.rfind(':');
  const bool of_port = colon != std::string_view::npos && image.find('/', colon) != image.npos;
  return of_port ? std::string_view::npos : colon;
}

Finding refusal(const char* id, const NodeName& node, std::string what, std::string fix) {
  return {Severity::error, id, node, "upgrade", std::move(what), std::move(fix)};
}

/// The image that the profile names, with another tag and, if it names one, another schematic.
tl::expected<std::string, Finding> custom_image(const std::string& image, const UpgradePlan& plan,
                                                const NodePlan& node,
                                                const std::string& schematic) {
  const std::size_t tag = tag_of(image);
  if (tag == std::string::npos || image.find('@') != std::string::npos) {
    return tl::unexpected(refusal("U6", node.name,
                                  fmt::format("talos.installer_image is {}, which has no tag that "
                                              "could be another version's",
                                              image),
                                  "name the image of the new version in the profile"));
  }
  std::string name = image.substr(0, tag);
  const std::string known = schematic_of(image);
  if (!plan.schematic.empty() && known.empty()) {
    return tl::unexpected(
        refusal("U6", node.name,
                fmt::format("talos.installer_image is {}, which is of no schematic, so --schematic "
                            "cannot change it",
                            image),
                "name the image in the profile, or leave --schematic out"));
  }
  if (!known.empty()) name.replace(name.find(known), known.size(), schematic);
  return fmt::format("{}:{}", name, to_text(plan.target));
}

/// "v1.35.2" and "1.35.2" → 35; nothing for what is no version.
std::optional<int> minor_of(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  if (!version.starts_with("1.")) return std::nullopt;
  int minor = 0;
  const auto [end, error] =
      std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  return error == std::errc{} ? std::optional(minor) : std::nullopt;
}

std::optional<Finding> kubernetes_trouble(const NodeName& node, const TalosVersion& target,
                                          const std::string& kubernetes) {
  const std::optional<int> minor = minor_of(kubernetes);
  const TalosRelease& release = *find_release(target);
  if (!minor || (*minor >= release.oldest_kubernetes && *minor <= release.newest_kubernetes)) {
    return std::nullopt;
  }
  const bool old = *minor < release.oldest_kubernetes;
  return refusal(
      "U5", node,
      fmt::format("the cluster runs Kubernetes {}, and Talos {} runs 1.{} to 1.{}", kubernetes,
                  to_text(target), release.oldest_kubernetes, release.newest_kubernetes),
      old ? fmt::format("upgrade Kubernetes to 1.{} first", release.oldest_kubernetes)
          : fmt::format("name a release of Talos that runs Kubernetes {}", kubernetes));
}

}  // namespace

std::string schematic_of(std::string_view image) {
  image = image.substr(0, tag_of(image));
  while (!image.empty()) {
    const std::size_t slash = image.rfind('/');
    const std::string_view part = slash == image.npos ? image : image.substr(slash + 1);
    if (is_schematic(part)) return std::string(part);
    image = slash == image.npos ? std::string_view{} : image.substr(0, slash);
  }
  return {};
}

tl::expected<std::string, Finding> upgrade_image(const ClusterProfile& profile,
                                                 const UpgradePlan& plan, const NodePlan& node,
                                                 const UpgradeView& running) {
  TalosPlan talos = profile.talos;
  talos.version = plan.target;
  NodePlan wanted = node;
  if (!plan.schematic.empty()) wanted.schematic = plan.schematic;
  if (wanted.schematic.empty()) wanted.schematic = talos.schematic_id;
  if (wanted.schematic.empty()) wanted.schematic = running.schematic;
  std::string image = installer_image(talos, wanted);
  if (!talos.installer_image.empty()) {
    const std::string named = schematic_of(talos.installer_image);
    auto custom = custom_image(talos.installer_image, plan, node,
                               plan.schematic.empty() ? named : plan.schematic);
    if (!custom) return custom;
    image = *std::move(custom);
  }
  const bool has_extensions = !running.extensions.empty();
  if (!has_extensions || !schematic_of(image).empty()) return image;
  return tl::unexpected(refusal(
      "U6", node.name,
      fmt::format("{} runs with {}, and {} has no extensions", node.name.value(),
                  fmt::join(running.extensions, ", "), image),
      "set `talos.factory.schematic_id` in the profile, or --schematic, to a schematic that lists "
      "them"));
}

std::optional<Finding> path_trouble(const UpgradePlan& plan, const NodeName& node,
                                    const TalosVersion& from, const std::string& kubernetes) {
  const TalosVersion& to = plan.target;
  const auto refused = [&](std::string why, std::string fix) {
    return refusal("U5", node,
                   fmt::format("{} runs {}: {}", node.value(), to_text(from), std::move(why)),
                   std::move(fix));
  };
  if (!find_release(to)) {
    return refused(fmt::format("ichor does not know Talos {}", to_text(to)),
                   "use an ichor that knows this release");
  }
  const bool same_minor = from.major == to.major && from.minor == to.minor;
  if (same_minor && (from <= to || plan.target_given)) {
    return kubernetes_trouble(node, to, kubernetes);
  }
  if (to < from) {
    return refused(
        fmt::format("{} is older", to_text(to)),
        same_minor
            ? fmt::format("if the older version is meant: `ichor upgrade --to {}`", to_text(to))
            : "restore the old version from a snapshot of etcd on new machines; "
              "etcd does not go back to an older minor");
  }
  const TalosRelease* release = find_release(from);
  if (release && from < release->version) {
    return refused(fmt::format("the way to {} goes through {}, the last patch that is known",
                               to_text(to), to_text(release->version)),
                   fmt::format("`ichor upgrade --to {}` first", to_text(release->version)));
  }
  if (to.major != from.major || to.minor != from.minor + 1) {
    const TalosRelease* next = find_release({from.major, from.minor + 1, 0});
    return refused(fmt::format("{} is more than one minor release ahead", to_text(to)),
                   next ? fmt::format("`ichor upgrade --to {}` first", to_text(next->version))
                        : "upgrade to the next minor release first");
  }
  return kubernetes_trouble(node, to, kubernetes);
}

}  // namespace ichor
