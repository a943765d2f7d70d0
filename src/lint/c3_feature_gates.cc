#include "lint/c3_feature_gates.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "lint/settings.h"
#include "model/reporter.h"

namespace ichor {

namespace {

/// Gates of fields that the API server stores and the kubelet acts upon.
constexpr std::array<std::string_view, 12> kTwoSided = {"ContainerRestartRules",
                                                        "DynamicResourceAllocation",
                                                        "EnvFiles",
                                                        "HostnameOverride",
                                                        "ImageVolume",
                                                        "InPlacePodVerticalScaling",
                                                        "PodLevelResources",
                                                        "ProcMountType",
                                                        "RecursiveReadOnlyMounts",
                                                        "SidecarContainers",
                                                        "SupplementalGroupsPolicy",
                                                        "UserNamespacesSupport"};

struct Gate {
  std::string value;
  Setting setting;
};
using Gates = std::map<std::string, Gate>;

/// "A=true,B=false" of extraArgs, and the mapping of the kubelet's own configuration.
void collect(const Setting& setting, Gates& gates) {
  if (!setting) return;
  if (setting.value->is_mapping()) {
    for (const yaml::Entry& entry : setting.value->entries) {
      gates[entry.key.text] = {entry.value.text, setting};
    }
    return;
  }
  std::string_view text = setting.value->text;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view one = text.substr(0, comma);
    const std::size_t equals = one.find('=');
    if (equals != std::string_view::npos) {
      gates[std::string(one.substr(0, equals))] = {std::string(one.substr(equals + 1)), setting};
    }
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
}

Gates of_kubelet(const NodeSettings& settings) {
  Gates gates;
  collect(settings.last({"machine", "kubelet", "extraConfig", "featureGates"}), gates);
  collect(settings.last({"machine", "kubelet", "extraArgs", "feature-gates"}), gates);
  return gates;
}

Gates of_api_server(const NodeSettings& settings) {
  Gates gates;
  collect(settings.last({"cluster", "apiServer", "extraArgs", "feature-gates"}), gates);
  return gates;
}

bool two_sided(const std::string& gate) {
  return std::find(kTwoSided.begin(), kTwoSided.end(), gate) != kTwoSided.end();
}

/// `here` has gates that `there` lacks or contradicts.
void compare(const Gates& here, const Gates& there, std::string_view here_is,
             std::string_view there_is, std::string_view key, Reporter& report) {
  for (const auto& [name, gate] : here) {
    const auto other = there.find(name);
    if (other == there.end() && !two_sided(name)) continue;
    if (other != there.end() && other->second.value == gate.value) continue;
    const std::string state =
        other == there.end() ? "not set" : fmt::format("{}", other->second.value);
    report.error("gates.differ", gate.setting.where(),
                 fmt::format("the feature gate {} is {} on {} and {} on {}", name, gate.value,
                             here_is, state, there_is),
                 fmt::format("set `{}={}` under {} as well", name, gate.value, key));
  }
}

}  // namespace

void lint_feature_gates(const LintInput& input, std::vector<Finding>& findings) {
  Reporter report(findings);
  Gates servers;
  for (const NodePlan& node : input.profile.nodes) {
    if (node.role == Role::control_plane) servers.merge(of_api_server(NodeSettings(input, node)));
  }
  const bool typed = has_typed_documents(input.profile);
  const std::string_view server_key = typed ? "extraArgs.feature-gates of a KubeAPIServerConfig"
                                            : "cluster.apiServer.extraArgs.feature-gates";
  const std::string_view kubelet_key = typed ? "extraArgs.feature-gates of a KubeletConfig"
                                             : "machine.kubelet.extraArgs.feature-gates";
  for (const NodePlan& node : input.profile.nodes) {
    const Gates kubelet = of_kubelet(NodeSettings(input, node));
    compare(kubelet, servers, "kubelets", "API servers", server_key, report);
    // A gate that both have is reported once, at the kubelet.
    Gates missing = servers;
    std::erase_if(missing, [&](const auto& gate) { return kubelet.contains(gate.first); });
    compare(missing, kubelet, "API servers", "kubelets", kubelet_key, report);
  }
}

}  // namespace ichor
