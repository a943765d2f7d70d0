#include "run/ground.h"

#include <fmt/format.h>

#include "base/words.h"
#include "profile/profile_layout.h"

namespace ichor {

WorkspaceOptions Ground::workspace_options(const ChangeOptions& change) const {
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
OrEnd<void> check_in_lab(const LabSeat& seat, const CommonOptions& common,
                         const ProfileInput& input) {
  const auto refuse = [&](const std::string& what) {
    return end_with(
        Exit::failed,
        fmt::format("{0} is not part of the lab in {1}, so nothing was dialled. `ichor lab stop "
                    "--state {2}`, then `ichor lab start --profile {3} --state {2} --detach`",
                    what, seat.state_dir, shell_quoted(seat.state_dir),
                    shell_quoted(common.profile)));
  };
  std::vector<NodePlan> plans = input.everybody;
  plans.insert(plans.end(), input.profile.nodes.begin(), input.profile.nodes.end());
  for (const NodePlan& plan : plans) {
    for (const IpAddress& address : {plan.address, plan.maintenance_address}) {
      if (!seat.addresses.dialled(address).value().empty()) continue;
      return refuse(fmt::format("{} at {}", plan.name.value(), address.value()));
    }
  }
  for (const IpAddress& endpoint : input.endpoints) {
    if (seat.addresses.dialled(endpoint).value().empty()) return refuse(endpoint.value());
  }
  return {};
}

}  // namespace

OrEnd<Ground> ground_on(const LabSeat& seat, const CommonOptions& common,
                        const ProfileInput& input) {
  if (auto known = check_in_lab(seat, common, input); !known) {
    return tl::unexpected(std::move(known).error());
  }
  Ground ground;
  ground.state_dir = common.state_dir.empty() ? seat.ichor_state(input.profile) : common.state_dir;
  ground.kubeconfig = seat.state_dir + "/kubeconfig";
  ground.lab = seat.state_dir;
  ground.lab_ends_with_us = seat.ends_with_us;
  ground.lab_is_temporary = seat.temporary;
  if (!input.profile.talos.config_dir.empty()) ground.config_dir = seat.state_dir + "/configs";
  ground.dial = [addresses = seat.addresses](const IpAddress& address) {
    return addresses.dialled(address);
  };
  const std::string& endpoint = input.profile.network.api_endpoint;
  ground.outside = {endpoint, seat.addresses.loopback_url(endpoint)};
  return ground;
}

OrEnd<Ground> find_ground(const CommonOptions& common, const ProfileInput& input, Desk& desk) {
  if (!common.lab_state.empty()) {
    auto seat = sit_down(common, desk);
    if (!seat) return tl::unexpected(std::move(seat).error());
    return ground_on(*seat, common, input);
  }
  Ground ground;
  ground.state_dir = state_path(common, input);
  ground.kubeconfig = input.folder + "kubernetes/kubeconfig";
  const std::string& config_dir = input.profile.talos.config_dir;
  if (!config_dir.empty()) ground.config_dir = at_profile(input.folder, config_dir);
  return ground;
}

OrEnd<Workspace> open_to_look(const CommonOptions& common, const ProfileInput& input, Desk& desk) {
  const auto ground = find_ground(common, input, desk);
  if (!ground) return tl::unexpected(ground.error());
  WorkspaceOptions place = ground->workspace_options();
  place.read_only = true;
  place.as_guest = true;
  return open_workspace(input, place, desk);
}

}  // namespace ichor
