#include "engine/forecast.h"

namespace ichor {

void forecast_configured(const NodePlan& plan, const MachineConfig& config, NodeView& node) {
  node.presence = Presence::configured;
  node.trouble.reset();
  node.address = plan.address;
  node.config_read = true;
  node.config = config.canonical;
  if (node.identity) node.identity->boot_id = BootId("after the install");
  if (node.etcd.has_data == Known::unknown) node.etcd.has_data = Known::no;
  forecast_running(node);
}

void forecast_running(NodeView& node) { node.status = MachineStatus{Stage::running, true, {}}; }

void forecast_reset(NodeView& node) {
  node.presence = Presence::maintenance;
  node.trouble.reset();
  node.status = MachineStatus{Stage::maintenance, true, {}};
  node.config.reset();
  node.etcd = {};
  if (node.identity) node.identity->boot_id = {};
}

void forecast_etcd(const ClusterProfile& profile, ClusterView& view) {
  std::vector<EtcdMember> members;
  for (const NodePlan& plan : profile.nodes) {
    if (plan.role != Role::control_plane) continue;
    members.push_back({EtcdMemberId(members.size() + 1), plan.name.value(), false});
  }
  for (NodeView& node : view.nodes) {
    const NodePlan* plan = profile.find(node.node);
    const bool is_control_plane = plan && plan->role == Role::control_plane;
    if (!is_control_plane || node.presence != Presence::configured) continue;
    node.etcd.has_data = Known::yes;
    node.etcd.service_state = "Running";
    node.etcd.service_healthy = true;
    node.etcd.members = members;
    EtcdStatus status;
    status.leader = members.front().id;
    node.etcd.status = status;
    node.etcd.alarms.emplace();
  }
}

void forecast_api(ClusterView& view) {
  view.kubeconfig_written = true;
  view.api_ready = Known::yes;
  view.api_trouble.reset();
}

}  // namespace ichor
