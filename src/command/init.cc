#include <fmt/format.h>

#include "command/commands.h"
#include "command/taskfile.h"
#include "lint/rules.h"
#include "profile/profile_file.h"
#include "profile/write_profile.h"
#include "run/finish.h"

namespace ichor {

namespace {

constexpr const char* kIgnored =
    "# Files that ichor writes and that must not be committed.\n"
    ".ichor/\n"
    "clusterconfig/\n"
    "kubeconfig\n"
    "kubernetes/kubeconfig\n"
    "secrets.yaml\n"
    "talosconfig\n"
    "talsecret.yaml\n";

/// Six nodes, of which the lab makes simulated ones.
ClusterProfile lab_profile() {
  ClusterProfile profile = starter_profile();
  profile.name = "lab";
  for (int i = 2; i <= 3; ++i) {
    NodePlan node = profile.nodes.back();
    node.name = NodeName(fmt::format("w{}", i));
    node.address = node.maintenance_address = IpAddress(fmt::format("192.168.22.11{}", i));
    node.mac = MacAddress(fmt::format("52:54:00:16:01:1{}", i));
    profile.nodes.push_back(std::move(node));
  }
  return profile;
}

struct Start {
  ClusterProfile profile;
  std::vector<Finding> lost;
};

/// What a profile of ours does not hold, reported as warnings: nothing is dropped silently.
std::vector<Finding> find_lost(const ClusterRecipe& recipe, const std::string& file) {
  std::vector<Finding> lost;
  for (const NodeRecipe& node : recipe.nodes) {
    if (node.patches.empty() && node.documents.empty()) continue;
    Finding finding;
    finding.severity = Severity::warning;
    finding.id = "profile.converted";
    finding.node = node.node;
    finding.where = file + ":1:1";
    finding.what = fmt::format("{} patches and {} documents of {} are not in the new profile",
                               node.patches.size(), node.documents.size(), node.node.value());
    finding.fix = fmt::format(
        "`ichor gen config --from {}` has them; write them as files below patches_dir", file);
    lost.push_back(std::move(finding));
  }
  return lost;
}

OrEnd<Start> start_of(const InitRequest& request, Host& host) {
  if (request.from_lab) return Start{lab_profile(), {}};
  if (request.from.empty()) return Start{starter_profile(), {}};
  SecretWords secrets;
  auto found = read_profile_file(request.from, secrets, host);
  if (!found) return forward_error(found);
  ProfileReading& reading = *found;
  if (reading.ok()) {
    std::vector<Finding> lost;
    if (reading.recipe) lost = find_lost(*reading.recipe, request.from);
    return Start{std::move(reading.profile), std::move(lost)};
  }
  RunResult result;
  result.exit = Exit::findings;
  result.verdict = fmt::format("{}: must be corrected first", request.from);
  result.findings = std::move(reading.findings);
  secrets.hide(result.findings);
  settle(result.findings);
  return tl::unexpected(std::move(result));
}

}  // namespace

Exit run(const InitRequest& request, const CommonOptions& common, Host& host) {
  auto start = start_of(request, host);
  if (!start) return finish(std::move(start).error(), host.terminal);
  if (host.files.has_file(common.profile)) {
    return finish(end_with(Exit::usage, fmt::format("{} already exists, and init does not write "
                                                    "over it",
                                                    common.profile))
                      .value(),
                  host.terminal);
  }
  Summary summary;
  summary.cluster = start->profile.name;
  const std::string folder = common.profile.substr(0, common.profile.rfind('/') + 1);
  const auto write = [&](const char* what, const std::string& path, std::string text) {
    auto written = host.files.create_private(path, SecretString(std::move(text)), false);
    if (written) summary.written.emplace_back(what, path);
    return written;
  };
  if (auto done = write("profile", common.profile, write_profile(start->profile)); !done) {
    return finish(end_with(done.error()).value(), host.terminal);
  }
  struct Companion {
    const char* what;
    const char* name;
    std::string text;
  };
  for (const Companion& file :
       {Companion{"gitignore", ".gitignore", kIgnored},
        Companion{"tasks", "Taskfile.yaml", taskfile_beside(common.profile)}}) {
    if (host.files.has_file(folder + file.name)) continue;
    if (auto done = write(file.what, folder + file.name, file.text); !done) {
      return finish(end_with(done.error()).value(), host.terminal);
    }
  }
  summary.result.exit = Exit::done;
  summary.result.verdict = fmt::format("wrote {}", common.profile);
  summary.result.findings = std::move(start->lost);
  settle(summary.result.findings);
  summary.next = {request.from_lab ? fmt::format("ichor up -p {} --lab", common.profile)
                                   : fmt::format("edit {}, then: ichor lint -p {}", common.profile,
                                                 common.profile)};
  return finish(std::move(summary), host.terminal);
}

}  // namespace ichor
