#include "phase/extension_check.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "machineconfig/installer.h"

namespace ichor {

namespace {

constexpr const char* kName = "extensions";

Check warning(const NodeName& node, std::string what, std::string fix) {
  Finding finding{Severity::warning, "D10", node, "preflight", what, std::move(fix)};
  return {kName, Verdict::warning, std::move(what), std::move(finding)};
}

}  // namespace

Check extension_check(const ClusterProfile& profile,
                      const std::optional<std::vector<std::string>>& wanted, const NodeView& view) {
  if (!view.hardware) return {kName, Verdict::skipped, "the node has not reported them"};
  if (view.hardware->container) return {kName, Verdict::not_applicable, "container"};
  const NodePlan& plan = *profile.find(view.node);
  if (!wanted || !plan.schematic.empty()) {
    return {kName, Verdict::skipped,
            "the profile has only the ID of the schematic, which does not list them"};
  }
  const std::vector<std::string>& has = view.hardware->extensions;
  std::vector<std::string> missing;
  std::copy_if(wanted->begin(), wanted->end(), std::back_inserter(missing),
               [&](const std::string& name) {
                 return std::find(has.begin(), has.end(), name) == has.end();
               });
  if (missing.empty()) {
    return {kName, Verdict::passed,
            wanted->empty() ? "none are wanted" : fmt::format("{}", fmt::join(*wanted, ", "))};
  }
  std::string what = fmt::format("{} runs without {}, which the schematic asks for",
                                 view.node.value(), fmt::join(missing, ", "));
  if (view.presence == Presence::maintenance) {
    return warning(view.node, std::move(what),
                   "the install brings them; if the machine needs one before that, as for its "
                   "network, boot it from the image of the schematic");
  }
  return warning(view.node, std::move(what),
                 fmt::format("`talosctl -n {} upgrade --image {}`", view.address.value(),
                             installer_image(profile.talos, plan)));
}

}  // namespace ichor
