#include "sim/cluster_fixture.h"

#include <fmt/format.h>

#include "model/kubernetes_plan.h"
#include "sim/canaries.h"
#include "sim/kube/stack.h"
#include "sim/node/digest.h"
#include "sim/planned_machine.h"

namespace ichor::sim {

namespace {

/// What DHCP gives a node before it has its config: 192.168.23.101 to 192.168.22.101.
IpAddress lease_of(const NodePlan& plan) {
  const std::string& address = plan.address.value();
  return IpAddress("192.168.23." + address.substr(address.rfind('.') + 1));
}

NodePlan plan_node(const SeedPlan& seed, Role role, int index) {
  NodePlan plan;
  const bool control_plane = role == Role::control_plane;
  plan.name = NodeName(fmt::format("{}{}", control_plane ? "cp" : "w", index + 1));
  plan.role = role;
  const int host = (control_plane ? 101 : 111) + index;
  plan.address = IpAddress(fmt::format("192.168.22.{}", host));
  const bool told = seed.addresses_move && !seed.addresses_unknown;
  plan.maintenance_address = told ? lease_of(plan) : plan.address;
  plan.vmid = static_cast<std::uint32_t>(700 + host);
  plan.mac = MacAddress(fmt::format("52:54:00:00:00:{:02x}", host));
  plan.disk = "/dev/sda";
  return plan;
}

/// A config of the cluster `cluster`; `edition` tells apart those that differ in nothing else.
MachineConfig config_for(const NodePlan& plan, const ClusterProfile& profile, const SeedPlan& seed,
                         FixedJudge& judge, std::string_view cluster, std::string_view edition) {
  const std::string text = fmt::format("{} machine config of {} in {}\n{}", edition,
                                       plan.name.value(), cluster, config_canaries());
  ConfigFacts facts;
  facts.complete = true;
  facts.cni_none = profile.talos.cni_none;
  facts.role = plan.role;
  facts.hostname = plan.name;
  facts.static_address = plan.address;
  facts.install_disk = plan.disk;
  facts.unattended = seed.typed_configs;
  facts.etcd_volume = seed.etcd_volume;
  facts.cluster_name = cluster;
  facts.endpoint = profile.network.api_endpoint;
  facts.os_ca = quick_digest(fmt::format("os ca of {}", cluster));
  facts.secrets = quick_digest(fmt::format("secrets of {}", cluster));
  facts.canonical = quick_digest(text + ", parsed");
  judge.know(text, facts);
  return {SecretString(text), quick_digest(text), facts.canonical, plan.role};
}

ConfigSet configs_for(const ClusterProfile& profile, const SeedPlan& seed, FixedJudge& judge,
                      std::string_view cluster, std::string_view edition) {
  ConfigSet configs;
  for (const NodePlan& node : profile.nodes) {
    configs.nodes[node.name] = config_for(node, profile, seed, judge, cluster, edition);
  }
  configs.secrets_fingerprint = quick_digest(fmt::format("secrets of {}", cluster));
  configs.plan = quick_digest("plan of sim");
  configs.contract = "1.12";
  return configs;
}

/// Every duration of a node, so that a pace can be applied to all of them.
constexpr Duration Durations::*kDurations[] = {
    &Durations::power_on_to_api, &Durations::config_to_switch, &Durations::port_gap,
    &Durations::install,         &Durations::reboot_down,      &Durations::cri_start,
    &Durations::kubelet_start,   &Durations::etcd_prepare,     &Durations::etcd_healthy,
    &Durations::etcd_join_retry, &Durations::etcd_catch_up,    &Durations::api_server_start,
    &Durations::node_register,   &Durations::node_ready,       &Durations::kubelet_healthy,
    &Durations::upgrade,         &Durations::time_sync,        &Durations::worker_certificate,
};

Durations scaled(Durations durations, double pace) {
  for (Duration Durations::*member : kDurations) {
    const double length = static_cast<double>((durations.*member).count());
    durations.*member = Duration(static_cast<Duration::rep>(length * pace));
  }
  return durations;
}

/// The simulator's own stack under the limits of the operator's plan, if there is one.
KubernetesPlan plan_on(const KubeStack& stack, const KubernetesPlan* limits) {
  KubernetesPlan plan = stack.material.plan;
  if (limits == nullptr) return plan;
  plan.budgets = limits->budgets;
  plan.slo = limits->slo;
  plan.core.parallel = limits->core.parallel;
  plan.core.approve_csrs = limits->core.approve_csrs;
  plan.gates.nodes_stable = limits->gates.nodes_stable;
  return plan;
}

}  // namespace

NodeSpec machine_for(const NodePlan& plan) {
  NodeSpec spec;
  spec.name = plan.name;
  const std::uint64_t number = head_of(quick_digest(plan.name.value()));
  spec.hardware.uuid =
      plan.uuid.value().empty() ? MachineUuid(uuid_from(number, mix(number))) : plan.uuid;
  spec.hardware.serial =
      plan.serial.value().empty() ? SerialNumber("SN-" + plan.name.value()) : plan.serial;
  spec.hardware.macs = {plan.mac};
  Disk disk;
  const bool by_link = plan.disk.starts_with("/dev/disk/");
  disk.dev_path = by_link ? "/dev/vda" : plan.disk;
  disk.id = disk.dev_path.substr(disk.dev_path.rfind('/') + 1);
  disk.links = {by_link ? plan.disk : "/dev/disk/by-id/virtio-DISK-" + plan.name.value()};
  disk.size_bytes = 64ull << 30;
  disk.serial = "DISK-" + plan.name.value();
  disk.transport = "virtio";
  spec.disks = {disk};
  spec.record_events = false;
  // A learner that is never promoted needs an operator (E7); campaigns test what recovers by
  // itself.
  spec.learner_forgets_on_restart = false;
  return spec;
}

ClusterFixture make_fixture(const SeedPlan& plan) {
  ClusterProfile profile;
  profile.name = "sim";
  profile.network.api_endpoint = "https://192.168.22.100:6443";
  profile.worker_order = plan.worker_order;
  profile.sequential = plan.sequential;
  for (int i = 0; i < plan.shape.control_planes; ++i) {
    profile.nodes.push_back(plan_node(plan, Role::control_plane, i));
  }
  for (int i = 0; i < plan.shape.workers; ++i) {
    profile.nodes.push_back(plan_node(plan, Role::worker, i));
  }
  std::vector<NodeSpec> hardware;
  for (const NodePlan& node : profile.nodes) {
    hardware.push_back(machine_for(node));
    hardware.back().dhcp_address = plan.addresses_move ? lease_of(node) : node.address;
  }
  if (plan.line == Line::whole) profile.talos.cni_none = plan.stack.cilium;
  return make_fixture(plan, std::move(profile), std::move(hardware));
}

ClusterFixture make_fixture(const SeedPlan& plan, ClusterProfile wanted,
                            std::vector<NodeSpec> hardware) {
  ClusterFixture fixture;
  fixture.profile = std::move(wanted);
  fixture.hardware = std::move(hardware);
  ClusterProfile& profile = fixture.profile;
  if (plan.line != Line::talos) {
    fixture.stack = std::make_shared<const KubeStack>(make_stack(plan.stack));
  }
  if (plan.line == Line::whole) {
    profile.kubernetes =
        std::make_shared<const KubernetesPlan>(plan_on(*fixture.stack, profile.kubernetes.get()));
  }
  fixture.configs = configs_for(profile, plan, fixture.judge, "sim", "the");
  fixture.changed = configs_for(profile, plan, fixture.judge, "sim", "a changed");
  fixture.regenerated = configs_for(profile, plan, fixture.judge, "sim new key", "the");
  fixture.foreign = configs_for(profile, plan, fixture.judge, "another cluster", "the");
  return fixture;
}

NodeSpec hardware_for(const SeedPlan& plan, NodeSpec spec) {
  spec.personality = plan.personality;
  spec.platform = plan.platform;
  if (plan.platform == Platform::container) {
    spec.hardware.uuid = {};
    spec.hardware.serial = {};
    spec.disks.clear();
    spec.durations = container_durations();
  }
  spec.durations = scaled(spec.durations, plan.pace);
  return spec;
}

}  // namespace ichor::sim
