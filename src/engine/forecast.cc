#include "engine/forecast.h"

#include <algorithm>
#include <charconv>

#include "machineconfig/kubernetes_images.h"
#include "phase/upgrade_plan.h"

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

void forecast_unseen(const NodePlan& plan, const MachineConfig& config, const JournalFacts& facts,
                     NodeView& node) {
  const BoundIdentity* bound = facts.bound(plan.name);
  Identity planned;
  planned.uuid = plan.uuid.value().empty() ? MachineUuid("unseen " + plan.name.value()) : plan.uuid;
  planned.serial = plan.serial;
  if (!plan.mac.value().empty()) planned.macs = {plan.mac};
  node.identity = bound ? bound->identity : planned;
  node.trouble.reset();
  node.address = plan.address;
  if (facts.settled(plan.name)) {
    const bool has_etcd = plan.role == Role::control_plane && facts.bootstrap_target();
    node.etcd.has_data = has_etcd ? Known::yes : Known::no;
    return forecast_configured(plan, config, node);
  }
  node.presence = Presence::maintenance;
  node.config_read = true;
  node.status = MachineStatus{Stage::maintenance, true, {}};
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

void forecast_defragmented(NodeView& node) {
  if (node.etcd.status) node.etcd.status->db_bytes = node.etcd.status->db_bytes_in_use;
}

void forecast_member_gone(EtcdMemberId member, ClusterView& view) {
  for (NodeView& node : view.nodes) {
    if (!node.etcd.members) continue;
    std::erase_if(*node.etcd.members, [&](const EtcdMember& one) { return one.id == member; });
  }
}

void forecast_member(const ClusterProfile& profile, NodeView& node) {
  std::vector<EtcdMember> members;
  for (const NodePlan& plan : profile.nodes) {
    if (plan.role != Role::control_plane) continue;
    members.push_back({EtcdMemberId(members.size() + 1), plan.name.value(), false});
  }
  node.etcd.has_data = Known::yes;
  node.etcd.service_state = "Running";
  node.etcd.service_healthy = true;
  node.etcd.members = members;
  EtcdStatus status;
  status.leader = members.front().id;
  node.etcd.status = status;
  node.etcd.alarms.emplace();
}

void forecast_etcd(const ClusterProfile& profile, ClusterView& view) {
  for (NodeView& node : view.nodes) {
    const NodePlan* plan = profile.find(node.node);
    const bool is_control_plane = plan && plan->role == Role::control_plane;
    if (is_control_plane && node.presence == Presence::configured) forecast_member(profile, node);
  }
}

namespace {

/// "…:v1.13.9" → 1.13.9.
TalosVersion version_of(const std::string& image) {
  TalosVersion version;
  const char* end = image.data() + image.size();
  const char* at = image.data() + image.rfind(':') + 1;
  for (int* part : {&version.major, &version.minor, &version.patch}) {
    if (at < end) at = std::from_chars(at + 1, end, *part).ptr;
  }
  return version;
}

void forecast_boot(const NodeCall& action, NodeView& node) {
  node.version = version_of(action.upgrade.image);
  if (node.identity) node.identity->boot_id = BootId("after the upgrade");
  if (node.upgrade) {
    node.upgrade->pending = false;
    node.upgrade->schematic = schematic_of(action.upgrade.image);
  }
  forecast_running(node);
}

}  // namespace

void forecast_upgrade(const NodeCall& action, ClusterView& view) {
  const auto found = std::find_if(view.nodes.begin(), view.nodes.end(),
                                  [&](const NodeView& one) { return one.node == action.node; });
  if (found == view.nodes.end()) return;
  NodeView& node = *found;
  const bool boots =
      action.call == Call::reboot || (action.call == Call::upgrade && !action.upgrade.lifecycle);
  if (boots) forecast_boot(action, node);
  if (action.call == Call::upgrade && action.upgrade.lifecycle) node.upgrade->pending = true;
  if (action.call == Call::etcd_forfeit_leadership && node.etcd.members) {
    const auto other = std::find_if(
        node.etcd.members->begin(), node.etcd.members->end(),
        [&](const EtcdMember& member) { return member.id != node.etcd.status->member; });
    for (NodeView& one : view.nodes) {
      if (one.etcd.status) one.etcd.status->leader = other->id;
    }
  }
  if (action.call == Call::update_proxy && view.kube) {
    view.kube->proxy_image = action.upgrade.image;
    for (NodeView& one : view.nodes) {
      const bool has = one.kube && one.kube->components.contains("kube-proxy");
      if (has) one.kube->components["kube-proxy"] = {action.upgrade.image, true};
    }
  }
  if (!node.kube) return;
  if (action.call == Call::cordon) node.kube->cordoned = true;
  if (action.call == Call::uncordon) node.kube->cordoned = false;
  if (action.call == Call::evict) {
    std::erase_if(node.kube->pods, [&](const PodOnNode& pod) {
      return std::any_of(action.pods.begin(), action.pods.end(),
                         [&](const PodToEvict& gone) { return gone.uid == pod.uid; });
    });
  }
}

void forecast_kubernetes(const NodeCall& action, NodeView& node) {
  node.config = action.config->canonical;
  node.config_text = std::make_shared<const SecretString>(action.config->bytes);
  const auto runs = read_kubernetes(action.config->bytes);
  if (!runs || !node.kube) return;
  for (const auto& [component, image] : runs->images) {
    const auto pod = node.kube->components.find(std::string(name_of(component)));
    const bool is_static = component < KubeComponent::proxy;
    if (is_static && pod != node.kube->components.end()) pod->second = {image, true};
    if (component == KubeComponent::kubelet) {
      node.kube->kubelet_version = to_text(version_of(image));
    }
  }
}

void forecast_api(ClusterView& view) {
  view.kubeconfig_written = true;
  view.api_ready = Known::yes;
  view.api_trouble.reset();
}

}  // namespace ichor
