#include "sim/rehearsal_cast.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/kubernetes_plan.h"
#include "sim/faults/fault.h"
#include "sim/node/digest.h"
#include "sim/planned_machine.h"
#include "sim/seeded_random.h"

namespace ichor::sim {

namespace {

constexpr std::uint64_t kFaultStream = 79;
/// Of the seeds that have faults at all.
constexpr std::uint64_t kFaultsMax = 3;
/// A lasting fault says little about a profile: one seed in twenty has one.
constexpr double kLastingShare = 0.05;

bool has_phases(const ClusterProfile& profile) {
  return profile.kubernetes && profile.kubernetes->phases;
}

bool told_apart(const NodePlan& plan) {
  return !plan.mac.value().empty() || !plan.uuid.value().empty() || !plan.serial.value().empty();
}

/// The profile says which machines they are and not where DHCP puts them: it may be anywhere.
bool may_be_anywhere(const ClusterProfile& profile) {
  return std::all_of(profile.nodes.begin(), profile.nodes.end(), [](const NodePlan& plan) {
    return told_apart(plan) && plan.maintenance_address == plan.address;
  });
}

Shape shape_of(const ClusterProfile& profile) {
  Shape shape;
  shape.control_planes = profile.control_plane_count();
  shape.workers = static_cast<int>(profile.nodes.size()) - shape.control_planes;
  return shape;
}

std::vector<std::size_t> draw_faults(const SeedPlan& plan, const FaultChoice& choice) {
  std::vector<std::size_t> passing, lasting;
  for (const std::size_t index : choice.allowed) {
    const FaultClass& fault = fault_catalogue()[index];
    if (fault.of_upgrade || (fault.of_kubernetes && plan.line != Line::whole)) continue;
    (fault.recovery.heals() ? passing : lasting).push_back(index);
  }
  if (!choice.everything) {
    passing.insert(passing.end(), lasting.begin(), lasting.end());
    return passing;
  }
  SeededRandom random = SeededRandom(plan.seed).fork(kFaultStream);
  std::vector<std::size_t> drawn;
  const std::uint64_t count = random.between(std::uint64_t{0}, kFaultsMax);
  while (drawn.size() < count && !passing.empty()) {
    const auto place = passing.begin() + static_cast<std::ptrdiff_t>(random.below(passing.size()));
    drawn.push_back(*place);
    passing.erase(place);
  }
  if (!lasting.empty() && random.chance(kLastingShare)) {
    drawn.push_back(lasting[random.below(lasting.size())]);
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

NodeSpec machine_of(const NodePlan& plan, std::size_t place, bool unknown) {
  NodeSpec spec = machine_for(plan);
  if (plan.mac.value().empty()) {
    const std::uint64_t number = head_of(quick_digest(plan.name.value()));
    spec.hardware.macs = {
        MacAddress(fmt::format("52:54:{:02x}:{:02x}:{:02x}:{:02x}", (number >> 8) & 0xff,
                               number & 0xff, (place >> 8) & 0xff, place & 0xff))};
  }
  spec.dhcp_address = plan.maintenance_address;
  // The network of RFC 2544, in which no cluster has a node.
  if (unknown) {
    spec.dhcp_address = IpAddress(fmt::format("198.18.{}.{}", (place >> 8) & 0xff, (place & 0xff)));
  }
  return spec;
}

}  // namespace

ClusterProfile playable(const ClusterProfile& profile) {
  ClusterProfile played = profile;
  for (NodePlan& plan : played.nodes) {
    plan.pin = {};
    plan.disk_selector = {};
    if (!plan.disk.starts_with("/dev/")) plan.disk = "/dev/sda";
    if (plan.maintenance_address.value().empty()) plan.maintenance_address = plan.address;
  }
  if (played.trust == Trust::pin) played.trust = Trust::tofu;
  played.pins.clear();
  played.accepted_keys.clear();
  played.wipe_consents.clear();
  if (!has_phases(played)) played.kubernetes.reset();
  return played;
}

std::string_view unplayable_fault(const ClusterProfile& profile, const FaultChoice& faults) {
  if (faults.everything) return {};
  for (const std::size_t index : faults.allowed) {
    const FaultClass& fault = fault_catalogue()[index];
    if (fault.of_provider || (fault.of_kubernetes && !has_phases(profile))) return fault.name;
  }
  return {};
}

SeedPlan rehearsal_plan(const ClusterProfile& profile, std::uint64_t seed,
                        const FaultChoice& faults) {
  FaultChoice none;
  none.everything = false;
  SeedPlan plan =
      draw_plan(seed, shape_of(profile), none, has_phases(profile) ? Line::whole : Line::talos);
  plan.personality = nearest_personality(profile.talos.version);
  const TalosVersion typed = release_of(Personality::v1_14).contract();
  plan.typed_configs = profile.talos.contract >= typed;
  plan.etcd_volume = false;
  plan.platform = Platform::metal;
  plan.worker_order = profile.worker_order;
  plan.sequential = profile.sequential;
  plan.addresses_unknown = plan.addresses_move && may_be_anywhere(profile);
  plan.addresses_move = plan.addresses_unknown;
  plan.stack.cilium = profile.talos.cni_none;
  if (has_phases(profile)) {
    plan.stack.helmfile = !profile.kubernetes->core.helmfile.empty();
    plan.stack.connect =
        profile.kubernetes->onepassword.way == KubernetesPlan::OnePasswordWay::connect;
  }
  plan.faults = draw_faults(plan, faults);
  return plan;
}

ClusterFixture rehearsal_fixture(const ClusterProfile& profile, const SeedPlan& plan) {
  std::vector<NodeSpec> hardware;
  hardware.reserve(profile.nodes.size());
  for (const NodePlan& node : profile.nodes) {
    hardware.push_back(machine_of(node, hardware.size(), plan.addresses_unknown));
  }
  return make_fixture(plan, profile, std::move(hardware));
}

}  // namespace ichor::sim
