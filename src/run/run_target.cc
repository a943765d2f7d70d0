#include "run/run_target.h"

#include <fmt/format.h>

#include "base/words.h"
#include "profile/profile_layout.h"

namespace ichor {

WorkspaceOptions RunTarget::workspace_options(const ChangeOptions& change) const {
  WorkspaceOptions options;
  options.adopt = change.adopt;
  options.raise_contract = change.raise_contract;
  options.config_dir = change.config_dir;
  options.state_dir = state_dir;
  options.dial = dial;
  options.throw_away_secrets = !lab.empty();
  return options;
}

namespace {

/// Anything of the profile that the lab does not stand for: dialling it would reach a real machine.
OrEnd<void> check_in_lab(const RunningLab& lab_found, const CommonOptions& common,
                         const ProfileInput& input) {
  const auto refuse = [&](const std::string& what) {
    return end_with(
        Exit::failed,
        fmt::format("{0} is not part of the lab in {1}: ichor did not connect. Run `ichor lab stop "
                    "--state {2}`, then `ichor lab start --profile {3} --state {2} --detach`",
                    what, lab_found.state_dir, shell_quoted(lab_found.state_dir),
                    shell_quoted(common.profile)));
  };
  std::vector<NodePlan> plans = input.everybody;
  plans.insert(plans.end(), input.profile.nodes.begin(), input.profile.nodes.end());
  for (const NodePlan& plan : plans) {
    for (const IpAddress& address : {plan.address, plan.maintenance_address}) {
      if (!lab_found.addresses.dialled(address).value().empty()) continue;
      return refuse(fmt::format("{} at {}", plan.name.value(), address.value()));
    }
  }
  for (const IpAddress& endpoint : input.endpoints) {
    if (lab_found.addresses.dialled(endpoint).value().empty()) return refuse(endpoint.value());
  }
  return {};
}

}  // namespace

OrEnd<RunTarget> target_on(const RunningLab& lab_found, const CommonOptions& common,
                           const ProfileInput& input) {
  if (auto known = check_in_lab(lab_found, common, input); !known) {
    return forward_error(known);
  }
  RunTarget target;
  target.state_dir =
      common.state_dir.empty() ? lab_found.ichor_state(input.profile) : common.state_dir;
  target.kubeconfig = lab_found.state_dir + "/kubeconfig";
  target.lab = lab_found.state_dir;
  target.lab_ends_with_us = lab_found.ends_with_us;
  target.lab_is_temporary = lab_found.temporary;
  if (!input.profile.talos.config_dir.empty()) target.config_dir = lab_found.state_dir + "/configs";
  target.dial = [addresses = lab_found.addresses](const IpAddress& address) {
    return addresses.dialled(address);
  };
  const std::string& endpoint = input.profile.network.api_endpoint;
  target.outside = {endpoint, lab_found.addresses.loopback_url(endpoint)};
  return target;
}

OrEnd<RunTarget> find_target(const CommonOptions& common, const ProfileInput& input, Host& host) {
  if (!common.lab_state.empty()) {
    auto lab_found = find_lab(common, host);
    if (!lab_found) return forward_error(lab_found);
    return target_on(*lab_found, common, input);
  }
  RunTarget target;
  target.state_dir = state_path(common, input);
  target.kubeconfig = input.folder + "kubernetes/kubeconfig";
  const std::string& config_dir = input.profile.talos.config_dir;
  if (!config_dir.empty()) target.config_dir = at_profile(input.folder, config_dir);
  return target;
}

OrEnd<Workspace> open_to_look(const CommonOptions& common, const ProfileInput& input, Host& host) {
  const auto target = find_target(common, input, host);
  if (!target) return forward_error(target);
  WorkspaceOptions place = target->workspace_options();
  place.read_only = true;
  place.as_guest = true;
  return open_workspace(input, place, host);
}

}  // namespace ichor
