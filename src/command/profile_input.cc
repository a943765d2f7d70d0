#include "command/profile_input.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/nearest_name.h"
#include "command/profile_patches.h"
#include "lint/rules.h"
#include "profile/read_profile.h"

namespace ichor {

namespace {

struct Judged {
  ProfileReading reading;
  std::vector<Finding> findings;
  ProfilePatches patches;
};

/// The folder of a path, with a slash at its end; empty if it is the present one.
std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

OrEnd<Judged> judge(const CommonOptions& common, Desk& desk) {
  const auto text = desk.read_input(common.profile);
  if (!text) return end_with(Exit::usage, text.error().message);
  Judged judged{read_profile(*text, common.profile), {}, {}};
  judged.findings = judged.reading.findings;
  // Rules look at a profile that could be read; of another one they would only say follow-ups.
  if (judged.reading.ok()) {
    const ClusterProfile& profile = judged.reading.profile;
    judged.findings = lint({profile, judged.reading.source});
    judged.patches =
        read_profile_patches(profile, folder_of(common.profile), judged.findings, desk);
    for (Finding& finding : check_patches(profile, judged.patches)) {
      judged.findings.push_back(std::move(finding));
    }
  }
  return judged;
}

bool has_error(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.severity == Severity::error; });
}

OrEnd<NodePlan*> find_node(const NodeName& name, ClusterProfile& profile) {
  std::vector<std::string_view> known;
  for (NodePlan& plan : profile.nodes) {
    if (plan.name == name) return &plan;
    known.push_back(plan.name.value());
  }
  return end_with(Exit::usage, fmt::format("{} has no node {}; {}", profile.name, name.value(),
                                           name_hint(name.value(), known)));
}

OrEnd<void> place_nodes(const NodeOptions& options, ClusterProfile& profile) {
  for (const auto& [name, address] : options.addresses) {
    auto plan = find_node(name, profile);
    if (!plan) return tl::unexpected(std::move(plan).error());
    (*plan)->maintenance_address = address;
  }
  for (const NodeName& name : options.nodes) {
    if (auto plan = find_node(name, profile); !plan) {
      return tl::unexpected(std::move(plan).error());
    }
  }
  if (!options.nodes.empty()) {
    std::erase_if(profile.nodes, [&](const NodePlan& plan) {
      return std::find(options.nodes.begin(), options.nodes.end(), plan.name) ==
             options.nodes.end();
    });
  }
  return {};
}

OrEnd<void> exclude_nodes(const std::vector<NodeName>& names, ClusterProfile& profile) {
  for (const NodeName& name : names) {
    if (auto plan = find_node(name, profile); !plan) {
      return tl::unexpected(std::move(plan).error());
    }
    std::erase_if(profile.nodes, [&](const NodePlan& plan) { return plan.name == name; });
  }
  if (!names.empty() && profile.control_plane_count() == 0) {
    return end_with(Exit::usage, "no control plane is left");
  }
  return {};
}

void order_nodes(const ChangeOptions& options, ClusterProfile& profile) {
  if (options.order != Order::as_profile) {
    profile.sequential = options.order == Order::sequential;
  }
  if (options.concurrency) profile.concurrency = *options.concurrency;
}

OrEnd<ProfileInput> accept(const CommonOptions& common, Judged judged) {
  if (has_error(judged.findings)) {
    RunResult result;
    result.exit = Exit::findings;
    result.verdict = fmt::format("{}: the profile must be corrected first", common.profile);
    result.findings = std::move(judged.findings);
    return tl::unexpected(std::move(result));
  }
  const ClusterProfile& profile = judged.reading.profile;
  if (!common.cluster.empty() && common.cluster != profile.name) {
    return end_with(Exit::usage, fmt::format("{} describes the cluster {}, not {}", common.profile,
                                             profile.name, common.cluster));
  }
  return ProfileInput{std::move(judged.reading.profile), std::move(judged.findings),
                      folder_of(common.profile), std::move(judged.patches)};
}

}  // namespace

OrEnd<std::vector<Finding>> lint_profile_input(const CommonOptions& common, Desk& desk) {
  auto judged = judge(common, desk);
  if (!judged) return tl::unexpected(std::move(judged).error());
  return std::move(judged->findings);
}

OrEnd<ProfileInput> read_profile_input(const CommonOptions& common, const ProfileWish& wish,
                                       Desk& desk) {
  auto judged = judge(common, desk);
  if (!judged) return tl::unexpected(std::move(judged).error());
  auto input = accept(common, *std::move(judged));
  if (!input) return input;
  if (auto placed = place_nodes(wish.nodes, input->profile); !placed) {
    return tl::unexpected(std::move(placed).error());
  }
  if (auto excluded = exclude_nodes(wish.exclude, input->profile); !excluded) {
    return tl::unexpected(std::move(excluded).error());
  }
  order_nodes(wish.change, input->profile);
  return input;
}

std::string state_path(const CommonOptions& common, const ProfileInput& input) {
  if (!common.state_dir.empty()) return common.state_dir;
  if (!common.lab_state.empty()) return common.lab_state + "/ichor/" + input.profile.name;
  return fmt::format("{}.ichor/{}", input.folder, input.profile.name);
}

}  // namespace ichor
