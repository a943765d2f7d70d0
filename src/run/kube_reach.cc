#include "run/kube_reach.h"

#include <fmt/format.h>

namespace ichor {

namespace {

tl::unexpected<RunResult> no_kubeconfig(const std::string& state_dir) {
  return end_with(Exit::failed,
                  fmt::format("{} has no kubeconfig yet: run `ichor up` or `ichor kubeconfig`, "
                              "or name one with --kubeconfig",
                              state_dir));
}

OrEnd<SecretString> read_kubeconfig_file(const std::string& file, Desk& desk) {
  auto text = desk.read_input(file);
  if (!text) return end_with(Exit::usage, text.error().message);
  return SecretString(*std::move(text));
}

}  // namespace

OrEnd<SecretString> kubeconfig_of(const std::string& file, StateDir& state,
                                  const KubeconfigCheck& check, Desk& desk) {
  if (!file.empty()) return read_kubeconfig_file(file, desk);
  auto kept = state.load("kubeconfig");
  if (!kept) return end_with(kept.error());
  if (!*kept) return no_kubeconfig(state.path());
  if (!check) return **std::move(kept);
  auto ours = check(**kept);
  if (!ours) {
    return end_with(Exit::unsafe,
                    fmt::format("{}/kubeconfig is not one of this cluster: {}; `ichor kubeconfig` "
                                "fetches and checks it again",
                                state.path(), ours.error().message));
  }
  return *std::move(ours);
}

std::optional<Workspace> reach_talos(const ProfileInput& input, const Ground& ground, Desk& desk) {
  WorkspaceOptions place = ground.workspace_options();
  place.read_only = true;
  place.as_guest = true;
  auto space = open_workspace(input, place, desk);
  // No node knows secrets that were made for this look.
  if (!space || !space->secrets_kept) return std::nullopt;
  return *std::move(space);
}

OrEnd<SecretString> find_kubeconfig(const std::string& file, const ProfileInput& input,
                                    const Ground& ground, Desk& desk) {
  if (!file.empty()) return read_kubeconfig_file(file, desk);
  if (const auto known = reach_talos(input, ground, desk); known && known->state) {
    return kubeconfig_of(file, *known->state, kubeconfig_check(input.profile, *known), desk);
  }
  auto state = desk.open_state(ground.state_dir, Desk::Missing::refuse);
  if (!state) return no_kubeconfig(ground.state_dir);
  return kubeconfig_of(file, **state, {}, desk);
}

OrEnd<KubeReach> reach_kube(const std::string& file, const NodeOptions& nodes,
                            const CommonOptions& common, Desk& desk) {
  KubeReach reach;
  if (file.empty() || desk.has_file(common.profile)) {
    auto input = read_profile_input(common, {nodes, {}, {}}, desk);
    if (!input) return tl::unexpected(std::move(input).error());
    auto ground = find_ground(common, *input, desk);
    if (!ground) return tl::unexpected(std::move(ground).error());
    reach.input = *std::move(input);
    reach.ground = *std::move(ground);
  }
  auto kubeconfig = file.empty() ? find_kubeconfig(file, *reach.input, *reach.ground, desk)
                                 : read_kubeconfig_file(file, desk);
  if (!kubeconfig) return tl::unexpected(std::move(kubeconfig).error());
  reach.kubeconfig = *std::move(kubeconfig);
  // A kubeconfig that was named is dialled as it says.
  auto client =
      desk.open_kube(reach.kubeconfig, file.empty() && reach.ground
                                           ? reach.ground->dial
                                           : std::function<IpAddress(const IpAddress&)>());
  if (!client) return end_with(client.error());
  reach.client = *std::move(client);
  return reach;
}

Listing unmet_listing() {
  Listing listing;
  listing.type = "unmet";
  listing.columns = {{"gate", "GATE"},
                     {"object", "OBJECT"},
                     {"reason", "REASON"},
                     {"fault", "FAULT"},
                     {"fix", "FIX", true}};
  return listing;
}

nlohmann::ordered_json unmet_row(const std::string& gate, const Unmet& unmet) {
  nlohmann::ordered_json row;
  row["gate"] = gate;
  row["object"] = unmet.object;
  row["reason"] = unmet.reason;
  row["fix"] = unmet.fix;
  row["fault"] = unmet.fault;
  return row;
}

}  // namespace ichor
