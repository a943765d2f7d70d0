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

OrEnd<SecretString> read_kubeconfig_file(const std::string& file, Host& host) {
  auto text = host.files.read_input(file);
  if (!text) return end_with(Exit::usage, text.error().message);
  return SecretString(*std::move(text));
}

}  // namespace

OrEnd<SecretString> kubeconfig_of(const std::string& file, ClusterState& state,
                                  const KubeconfigCheck& check, Host& host) {
  if (!file.empty()) return read_kubeconfig_file(file, host);
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

std::optional<Workspace> reach_talos(const ProfileInput& input, const RunTarget& target,
                                     Host& host) {
  WorkspaceOptions place = target.workspace_options();
  place.read_only = true;
  place.as_guest = true;
  auto space = open_workspace(input, place, host);
  // No node knows secrets that were made for this look.
  if (!space || !space->secrets_kept) return std::nullopt;
  return *std::move(space);
}

OrEnd<SecretString> find_kubeconfig(const std::string& file, const ProfileInput& input,
                                    const RunTarget& target, Host& host) {
  if (!file.empty()) return read_kubeconfig_file(file, host);
  if (const auto known = reach_talos(input, target, host); known && known->state) {
    return kubeconfig_of(file, *known->state, kubeconfig_check(input.profile, *known), host);
  }
  auto state = host.states.open_state(target.state_dir, ClusterStates::Missing::refuse);
  if (!state) return no_kubeconfig(target.state_dir);
  return kubeconfig_of(file, **state, {}, host);
}

OrEnd<KubeReach> reach_kube(const std::string& file, const NodeOptions& nodes,
                            const CommonOptions& common, Host& host) {
  KubeReach reach;
  if (file.empty() || host.files.has_file(common.profile)) {
    auto input = read_profile_input(common, {nodes, {}, {}}, host);
    if (!input) return forward_error(input);
    auto target = find_target(common, *input, host);
    if (!target) return forward_error(target);
    reach.input.emplace(*std::move(input));
    reach.target = *std::move(target);
  }
  auto kubeconfig = file.empty() ? find_kubeconfig(file, *reach.input, *reach.target, host)
                                 : read_kubeconfig_file(file, host);
  if (!kubeconfig) return forward_error(kubeconfig);
  reach.kubeconfig = *std::move(kubeconfig);
  // A kubeconfig that was named is dialled as it says.
  auto client =
      host.network.open_kube(reach.kubeconfig, file.empty() && reach.target
                                                   ? reach.target->dial
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
