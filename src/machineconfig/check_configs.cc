#include "machineconfig/check_configs.h"

#include <fmt/format.h>
#include <map>
#include <set>
#include <string>

#include "machineconfig/profile_patches.h"
#include "machineconfig/validate/validate.h"
#include "yaml/document.h"

namespace ichor {

namespace {

/// The hostname that a config sets; empty if it sets none.
std::string hostname_of(const MachineConfig& config) {
  std::string name;
  auto documents = yaml::parse(config.bytes.reveal(), "config");
  if (!documents) return name;
  for (yaml::Document& document : *documents) {
    const yaml::Node* kind = document.root.find("kind");
    const yaml::Node* found = kind == nullptr
                                  ? document.root.find_path({"machine", "network", "hostname"})
                              : kind->text == "HostnameConfig" ? document.root.find("hostname")
                                                               : nullptr;
    if (found != nullptr && found->is_scalar()) name = found->text;
    yaml::wipe(document.root);
  }
  return name;
}

Finding finding_of(std::string id, const NodeName& node, std::string what, std::string fix) {
  Finding finding;
  finding.id = std::move(id);
  finding.node = node;
  finding.where = fmt::format("the config of {}", node.value());
  finding.what = std::move(what);
  finding.fix = std::move(fix);
  return finding;
}

}  // namespace

std::vector<Finding> check_configs(const ClusterProfile& profile, const ConfigSet& configs) {
  std::vector<Finding> findings;
  std::map<std::string, NodeName> names;
  std::set<std::string> told;  // what a patch for all nodes does wrong is the same on each
  ValidateOptions options;
  options.minor = schema_minor(profile);
  for (const auto& [node, config] : configs.nodes) {
    for (ConfigFinding& found : validate_config(config.bytes.reveal(), options)) {
      if (!told.insert(found.what).second) continue;
      Finding finding =
          finding_of("config.invalid", node, std::move(found.what), std::move(found.fix));
      finding.severity = found.severity;
      if (finding.fix.empty()) finding.fix = "correct the profile or the patch that says so";
      findings.push_back(std::move(finding));
    }
    const std::string name = hostname_of(config);
    const auto [other, is_new] = names.emplace(name, node);
    if (name.empty() || is_new) continue;
    findings.push_back(finding_of(
        "config.duplicate", node,
        fmt::format("its hostname is {}, which is that of {} too", name, other->second.value()),
        "remove the hostname from the patch that both nodes get: each node is called as in the "
        "profile"));
  }
  return findings;
}

}  // namespace ichor
