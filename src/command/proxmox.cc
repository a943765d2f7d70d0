#include <fmt/format.h>

#include "command/commands.h"
#include "run/finish.h"
#include "run/provision_step.h"
#include "run/run_target.h"

namespace ichor {

namespace {

Listing machine_list(const ProvisionRun& run, const ClusterProfile& profile) {
  Listing listing;
  listing.type = "vm";
  listing.columns = {{"vmid", "VMID"},         {"name", "NAME"},       {"host", "HOST"},
                     {"status", "STATUS"},     {"mac", "MAC"},         {"memory", "MEMORY", true},
                     {"cores", "CORES", true}, {"lock", "LOCK", true}, {"tags", "TAGS", true}};
  for (const VmSeen& vm : run.sight().vms) {
    if (!is_ours(vm, profile)) continue;
    nlohmann::ordered_json row;
    row["vmid"] = vm.place.id;
    row["name"] = vm.name;
    row["host"] = vm.place.host;
    row["status"] = vm.running ? "running" : "stopped";
    const std::string net = vm.config ? vm.config->get("net0") : "";
    const std::size_t equals = net.find('=');
    row["mac"] = equals == net.npos ? "" : net.substr(equals + 1, 17);
    row["memory"] = vm.config ? vm.config->get("memory") : "";
    row["cores"] = vm.config ? vm.config->get("cores") : "";
    row["lock"] = vm.lock;
    row["tags"] = vm.tags;
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

ProvisionWork work_of(const ProxmoxRequest& request) {
  using Goal = ProvisionRun::Goal;
  const std::vector<NodeName> nodes = request.nodes;
  switch (request.deed) {
    case ProxmoxDeed::verify:
      return [nodes](ProvisionRun& run, Context c) { return run.verify(c, nodes); };
    case ProxmoxDeed::list:
      return [nodes](ProvisionRun& run, Context c) { return run.list(c, nodes); };
    case ProxmoxDeed::create:
      return [](ProvisionRun& run, Context c) { return run.bring_up(c, Goal::created); };
    case ProxmoxDeed::start:
      return
          [nodes](ProvisionRun& run, Context c) { return run.change(c, VmAction::start, nodes); };
    case ProxmoxDeed::stop:
      return [nodes](ProvisionRun& run, Context c) { return run.change(c, VmAction::stop, nodes); };
    case ProxmoxDeed::destroy:
      return
          [nodes](ProvisionRun& run, Context c) { return run.change(c, VmAction::destroy, nodes); };
  }
  return {};
}

/// The state folder, for the journal. A look needs none.
OrEnd<std::unique_ptr<ClusterState>> state_for(const ProxmoxRequest& request,
                                               const RunTarget& target, bool looks_only,
                                               Host& host) {
  if (looks_only) return std::unique_ptr<ClusterState>();
  auto state = host.states.open_state(target.state_dir, ClusterStates::Missing::make);
  if (!state) return end_with(state.error());
  if (!(*state)->copied()) return *std::move(state);
  if (!request.adopt) {
    return end_with(
        Exit::unsafe,
        fmt::format("the journal in {} was started on another machine. If no other run continues "
                    "with the cluster there, say so with --adopt",
                    target.state_dir),
        "L6");
  }
  if (auto adopted = (*state)->adopt(host.environment.owner()); !adopted)
    return end_with(adopted.error());
  return *std::move(state);
}

}  // namespace

Exit run(const ProxmoxRequest& request, const CommonOptions& common, Host& host) {
  NodeOptions nodes;
  nodes.nodes = request.nodes;
  const auto input = read_profile_input(common, {nodes, {}, {}}, host);
  if (!input) return finish(input.error(), host.terminal);
  const bool destroys = request.deed == ProxmoxDeed::destroy;
  if (destroys && request.cluster_name != input->profile.name) {
    return finish(
        end_with(Exit::usage, fmt::format("--cluster-name says {}, and the profile is of {}",
                                          request.cluster_name, input->profile.name))
            .value(),
        host.terminal);
  }
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  const bool looks_only = request.deed == ProxmoxDeed::verify || request.deed == ProxmoxDeed::list;
  const auto state = state_for(request, *target, looks_only, host);
  if (!state) return finish(state.error(), host.terminal);
  ProvisionOptions options{work_of(request), {}, looks_only};
  const auto show = [&](const ProvisionRun& run) {
    if (looks_only) host.terminal.display().show(machine_list(run, input->profile));
  };
  Summary summary =
      summary_of(*input, run_provision(*input, *target, state->get(), options, host, show));
  const bool done = summary.result.exit == Exit::done;
  if (done && request.deed == ProxmoxDeed::verify) summary.next = {"ichor up --provision"};
  if (done && request.deed == ProxmoxDeed::create) summary.next = {"ichor proxmox start"};
  return finish(std::move(summary), host.terminal);
}

}  // namespace ichor
