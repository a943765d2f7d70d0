#include "machineconfig/profile_patches.h"

#include <algorithm>
#include <set>

#include "machineconfig/generate.h"

namespace ichor {

std::vector<Patch> ProfilePatches::of(const NodePlan& node) const {
  std::vector<Patch> result = all;
  const auto add = [&](const std::vector<Patch>& more) {
    result.insert(result.end(), more.begin(), more.end());
  };
  add(node.role == Role::control_plane ? control_plane : worker);
  if (const auto own = nodes.find(node.name); own != nodes.end()) add(own->second);
  return result;
}

int schema_minor(const ClusterProfile& profile) {
  return std::clamp(profile.talos.version.minor, schema::Schema::kOldestMinor,
                    schema::Schema::kNewestMinor);
}

std::vector<Finding> check_patches(const ClusterProfile& profile, const ProfilePatches& patches) {
  std::vector<Finding> findings;
  std::set<std::string> told;    // patches whose errors are known
  std::set<std::string> idle;    // changed nothing somewhere
  std::set<std::string> active;  // changed something somewhere
  const pki::SecretsBundle blank;
  for (const NodePlan& node : profile.nodes) {
    const std::vector<Patch> own = patches.of(node);
    if (own.empty()) continue;
    auto bare = generate_documents(profile, blank, node, {});
    if (!bare) continue;  // what is wrong without patches is reported elsewhere
    const auto patched = apply_to(profile, std::move(*bare), own);
    if (!patched) {
      Finding finding;
      finding.id = "patch.apply";
      finding.node = node.name;
      finding.what = patched.error().message;
      finding.fix = "correct the patch, or remove it from this node";
      if (told.insert(finding.what).second) findings.push_back(std::move(finding));
      continue;
    }
    std::set<std::string> idle_here;
    for (const Finding& finding : patched->findings) {
      if (finding.id == "patch.no-change") {
        idle_here.insert(finding.where);
      } else if (told.insert(finding.where).second) {
        findings.push_back(finding);
      }
    }
    for (const Patch& patch : own) {
      (idle_here.contains(patch.name) ? idle : active).insert(patch.name);
    }
  }
  for (const std::string& name : idle) {
    if (active.contains(name)) continue;
    findings.push_back({Severity::warning,
                        "patch.no-change",
                        {},
                        name,
                        "the patch changes nothing on any node",
                        "remove it, or look for what it was meant to say"});
  }
  return findings;
}

}  // namespace ichor
