#include "phase/provision.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <set>

#include "base/ip.h"
#include "phase/vm_identity.h"
#include "port/provider.h"
#include "secrets/digest.h"

namespace ichor {

namespace {

using Kind = ProvisionStep::Kind;

/// A call whose answer did not come has had its effect by then, or never will: Proxmox forks a
/// task, or refuses, within the call itself. It counts from the intent, and so contains the call.
constexpr std::int64_t kSettleMs =
    std::chrono::duration_cast<std::chrono::milliseconds>(kProviderCallLimit).count() + 15'000;

MachineUuid uuid_of(const ClusterProfile& profile, const NodePlan& plan) {
  if (!plan.uuid.value().empty()) return plan.uuid;
  Digest seed = pki::sha256(fmt::format("uuid\n{}\n{}", profile.name, plan.name.value()));
  seed.bytes[6] = static_cast<std::uint8_t>((seed.bytes[6] & 0x0f) | 0x80);  // version 8: our own
  seed.bytes[8] = static_cast<std::uint8_t>((seed.bytes[8] & 0x3f) | 0x80);
  std::string text;
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", seed.bytes[i]);
  }
  return MachineUuid(text);
}

Finding problem(std::string id, const NodeName& node, std::string what, std::string fix) {
  return {Severity::error, std::move(id), node, "proxmox", std::move(what), std::move(fix)};
}

class Decider {
 public:
  Decider(const ClusterProfile& profile, const std::vector<VmSpec>& specs,
          const ProvisionSight& sight, const ProvisionFacts& facts, std::int64_t wall_ms)
      : profile_(profile), specs_(specs), sight_(sight), facts_(facts), wall_ms_(wall_ms) {}

  ProvisionDecision run() {
    check_own_macs();
    for (const VmSpec& spec : specs_) {
      const VmSeen* seen = sight_.find(spec.place.id);
      if (seen && !acceptable(spec, *seen)) continue;
      check_double(spec);
      check_mac(spec, seen);
      const auto left = unfinished_step(spec.place, sight_, facts_, wall_ms_);
      decision_.steps[spec.node] = left ? *left : seen ? of_existing(*seen) : of_missing(spec);
    }
    return std::move(decision_);
  }

 private:
  void refuse(Finding finding) { decision_.findings.push_back(std::move(finding)); }

  bool acceptable(const VmSpec& spec, const VmSeen& seen) {
    // A machine that is being made has no tags yet; its task is ours by the journal.
    const VmAttempt* last = facts_.last(spec.place.id);
    const bool being_made =
        last && last->open && last->deed == VmDeed::create && seen.lock == "create";
    if (!is_ours(seen, profile_) && !being_made) {
      refuse(problem(
          "P4", spec.node,
          fmt::format("VM {} ({}) on {} has the VM ID of {} but not the tag {}: it is not ichor's",
                      seen.place.id, seen.name, seen.place.host, spec.node.value(),
                      tag_of(profile_)),
          fmt::format("give {} another vmid in the profile; or, if it is the machine of this node, "
                      "add the tag {} to it in Proxmox",
                      spec.node.value(), tag_of(profile_))));
      return false;
    }
    if (!being_made && seen.name != spec.name) {
      refuse(problem("P4", spec.node,
                     fmt::format("VM {} has the cluster's tag, but its name is {} instead of {}",
                                 seen.place.id, seen.name, spec.name),
                     "correct the vmids in the profile, or the name of the VM in Proxmox"));
      return false;
    }
    if (seen.is_template) {
      refuse(problem("P4", spec.node, fmt::format("VM {} is a template", seen.place.id),
                     "give the node another vmid in the profile"));
      return false;
    }
    return true;
  }

  /// One node, two machines: it is not certain which of them is the node.
  void check_double(const VmSpec& spec) {
    for (const VmSeen& vm : sight_.vms) {
      if (vm.place.id == spec.place.id || vm.name != spec.name || !is_ours(vm, profile_)) continue;
      refuse(problem("P1", spec.node,
                     fmt::format("VM {} has the cluster's tag and the name {}, like VM {}",
                                 vm.place.id, spec.name, spec.place.id),
                     fmt::format("write `vmid: {}` for {} in the profile, or remove that VM in "
                                 "Proxmox",
                                 vm.place.id, spec.node.value())));
    }
  }

  void check_mac(const VmSpec& spec, const VmSeen* seen) {
    for (const VmSeen& vm : sight_.vms) {
      if (vm.place.id == spec.place.id || !vm.config) continue;
      const std::vector<std::string> macs = macs_of(*vm.config);
      if (std::find(macs.begin(), macs.end(), spec.mac.value()) == macs.end()) continue;
      refuse(problem("P9", spec.node,
                     fmt::format("VM {} ({}) has the MAC {} of {} (VM {})", vm.place.id, vm.name,
                                 spec.mac.value(), spec.node.value(), spec.place.id),
                     fmt::format("change the MAC of VM {} in Proxmox, or `mac:` of {} in the "
                                 "profile",
                                 vm.place.id, spec.node.value())));
    }
    if (!seen || !seen->config || seen->lock == "create") return;
    const std::vector<std::string> macs = macs_of(*seen->config);
    if (std::find(macs.begin(), macs.end(), spec.mac.value()) != macs.end()) return;
    // A derived one is for a VM that has none yet; its own tells which machine it is, too.
    const bool derived = spec.mac == derived_mac(profile_, spec.node);
    if (derived && !macs.empty() && !profile_.find(spec.node)->interface.empty()) return;
    refuse(problem("P2", spec.node,
                   fmt::format("VM {} has the MAC {}, and {} is expected", seen->place.id,
                               macs.empty() ? "none" : macs.front(), spec.mac.value()),
                   fmt::format("write `mac: {}` for {} in the profile",
                               macs.empty() ? "…" : macs.front(), spec.node.value())));
  }

  /// Those that ichor derives have three bytes of their own, and may be alike.
  void check_own_macs() {
    std::map<std::string, const VmSpec*> known;
    for (const VmSpec& spec : specs_) {
      const auto [at, added] = known.emplace(spec.mac.value(), &spec);
      if (added) continue;
      refuse(problem("P9", spec.node,
                     fmt::format("{} and {} have the MAC {}", at->second->node.value(),
                                 spec.node.value(), spec.mac.value()),
                     fmt::format("write another `mac:` for {} in the profile", spec.node.value())));
    }
  }

  static ProvisionStep of_missing(const VmSpec& spec) {
    return {Kind::create, VmDeed::create, {}, fmt::format("there is no VM {}", spec.place.id)};
  }

  static ProvisionStep of_existing(const VmSeen& seen) {
    if (!seen.lock.empty()) {
      return {Kind::settle,
              VmDeed::start,
              {},
              fmt::format("VM {} is locked: {}", seen.place.id, seen.lock)};
    }
    if (seen.running) return {Kind::ready, VmDeed::start, {}, {}};
    return {Kind::start, VmDeed::start, {}, fmt::format("VM {} is off", seen.place.id)};
  }

  const ClusterProfile& profile_;
  const std::vector<VmSpec>& specs_;
  const ProvisionSight& sight_;
  const ProvisionFacts& facts_;
  std::int64_t wall_ms_;
  ProvisionDecision decision_;
};

std::string volume_storage(const std::string& volume) { return volume.substr(0, volume.find(':')); }

std::string_view task_kind(VmDeed deed) {
  switch (deed) {
    case VmDeed::create: return "qmcreate";
    case VmDeed::start: return "qmstart";
    case VmDeed::stop: return "qmstop";
    case VmDeed::destroy: return "qmdestroy";
  }
  return "?";
}

/// The task of an attempt whose answer was lost: one of its kind that is not older than what the
/// machine had before. Those that are may belong to a former machine with this number. Only the
/// provider's clock is asked, because ours may have jumped.
const ProviderTask* task_of(const VmAttempt& attempt, const std::vector<ProviderTask>& tasks,
                            const ProvisionFacts& facts) {
  const auto before = std::find_if(tasks.begin(), tasks.end(), [&](const ProviderTask& task) {
    return task.id == attempt.before;
  });
  for (const ProviderTask& task : tasks) {
    if (before != tasks.end() && task.started_s < before->started_s) continue;
    const bool same = task.kind == task_kind(attempt.deed) && task.id != attempt.before;
    if (same && !task.of_others && !facts.knows(task.id)) return &task;
  }
  return nullptr;
}

}  // namespace

const VmSeen* ProvisionSight::find(VmId id) const {
  const auto found =
      std::find_if(vms.begin(), vms.end(), [&](const VmSeen& vm) { return vm.place.id == id; });
  return found == vms.end() ? nullptr : &*found;
}

std::optional<ProvisionStep> unfinished_step(const VmPlace& place, const ProvisionSight& sight,
                                             const ProvisionFacts& facts, std::int64_t wall_ms) {
  const VmAttempt* last = facts.last(place.id);
  if (!last || !last->open) return std::nullopt;
  const VmDeed deed = last->deed;
  if (!last->task.value().empty()) {
    return ProvisionStep{Kind::follow, deed, last->task, "its task is in the journal"};
  }
  const auto tasks = sight.tasks.find(place.id);
  const ProviderTask* found =
      tasks == sight.tasks.end() ? nullptr : task_of(*last, tasks->second, facts);
  if (found) {
    return ProvisionStep{Kind::follow, deed, found->id, "its task was found at the provider"};
  }
  // The wall clock may jump; the other way it says nothing either.
  if (std::abs(wall_ms - last->wall_ms) < kSettleMs) {
    return ProvisionStep{
        Kind::settle, deed, {}, fmt::format("the answer to its {} was lost", name_of(deed))};
  }
  const VmSeen* vm = sight.find(place.id);
  // Its task was not found. The call left because no such machine was seen, so this one is new.
  const bool made = deed == VmDeed::create && vm && vm->lock.empty();
  if (made) return ProvisionStep{Kind::made, deed, {}, "it was created"};
  const bool gone = deed == VmDeed::destroy && !vm;
  if (gone) return ProvisionStep{Kind::gone, deed, {}, "it was removed"};
  return std::nullopt;
}

std::string tag_of(const ClusterProfile& profile) { return "ichor-" + profile.name; }

bool is_ours(const VmSeen& vm, const ClusterProfile& profile) {
  return std::find(vm.tags.begin(), vm.tags.end(), tag_of(profile)) != vm.tags.end();
}

std::vector<VmSpec> machines_for(const ClusterProfile& profile, const ProviderPlan& plan) {
  std::vector<VmSpec> specs;
  const auto network = parse_cidr(profile.network.node_cidr);
  for (const NodePlan& node : profile.nodes) {
    const MachineSize& size = node.role == Role::control_plane ? plan.control_plane : plan.worker;
    VmSpec spec;
    spec.node = node.name;
    spec.name = node.name.value();
    spec.place.id = node.vmid.value_or(0);
    // By the number and not by the place in the list: a run may be about some of the nodes only.
    if (!plan.hosts.empty()) spec.place.host = plan.hosts[spec.place.id % plan.hosts.size()];
    spec.tags = {tag_of(profile)};
    spec.tags.insert(spec.tags.end(), plan.tags.begin(), plan.tags.end());
    spec.description =
        fmt::format("Talos node {} of the cluster {}, made by ichor", spec.name, profile.name);
    spec.uuid = uuid_of(profile, node);
    spec.mac = node.mac.value().empty() ? derived_mac(profile, node.name) : node.mac;
    if (profile.proxmox) {
      const ProxmoxPlan& hardware = *profile.proxmox;
      if (!hardware.machine.empty()) spec.machine = hardware.machine;
      if (!hardware.bios.empty()) spec.bios = hardware.bios;
      if (!hardware.scsi_controller.empty()) spec.scsi_controller = hardware.scsi_controller;
      spec.ballooning = hardware.ballooning.value_or(false);
      spec.agent = hardware.agent.value_or(true);
      spec.vlan = hardware.vlan;
    }
    spec.cpu = plan.cpu;
    spec.cores = size.cores;
    spec.memory_mib = size.memory_mib;
    spec.tpm = profile.talos.secure_boot;
    spec.start_at_boot = plan.start_at_boot;
    spec.storage = plan.storage;
    spec.disks_gib = {size.disk_gib};
    spec.disks_gib.insert(spec.disks_gib.end(), size.more_disks_gib.begin(),
                          size.more_disks_gib.end());
    spec.image = plan.image;
    spec.bridge = plan.bridge;
    spec.pool = plan.pool;
    if (plan.first_address && network) {
      spec.first_cidr = fmt::format("{}/{}", node.address.value(), network->length);
      spec.gateway = profile.network.gateway;
      spec.nameservers = profile.network.nameservers;
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

void bind_machines(ClusterProfile& profile, const ProviderPlan& plan) {
  const std::vector<VmSpec> specs = machines_for(profile, plan);
  for (std::size_t i = 0; i < specs.size(); ++i) profile.nodes[i].mac = specs[i].mac;
}

std::vector<PrivilegeNeed> privileges_for(const std::vector<VmSpec>& specs, ProviderUse use,
                                          const Privileges& known) {
  struct Row {
    std::string_view privilege;
    std::string_view what_for;
    ProviderUse from;
    bool optional{false};
  };
  static constexpr Row kOnVm[] = {
      {"VM.Audit", "to see it", ProviderUse::list},
      {"VM.PowerMgmt", "to start and stop it", ProviderUse::power},
      {"VM.Allocate", "to create and remove it", ProviderUse::destroy},
      {"VM.Config.Disk", "to give it disks", ProviderUse::make},
      {"VM.Config.CDROM", "to give it the Talos image", ProviderUse::make},
      {"VM.Config.CPU", "to set its CPU", ProviderUse::make},
      {"VM.Config.Memory", "to set its memory", ProviderUse::make},
      {"VM.Config.Network", "to give it a network card", ProviderUse::make},
      {"VM.Config.HWType", "to set firmware and controllers", ProviderUse::make},
      {"VM.Config.Options", "to set name, tags and boot order", ProviderUse::make},
      // The same right: the first is of PVE 8, the second of PVE 9.
      {"VM.Monitor", "to ask its guest agent for addresses", ProviderUse::make, true},
      {"VM.GuestAgent.Audit", "to ask its guest agent for addresses", ProviderUse::make, true},
  };
  std::vector<PrivilegeNeed> needs;
  std::set<std::pair<std::string, std::string>> asked;
  const auto add = [&](std::string path, std::string_view privilege, std::string_view what_for,
                       std::string or_path = {}) {
    if (std::find(known.begin(), known.end(), privilege) == known.end()) return;
    if (!asked.emplace(path, privilege).second) return;
    needs.push_back(
        {std::move(path), std::string(privilege), std::string(what_for), std::move(or_path)});
  };
  for (const VmSpec& spec : specs) {
    const std::string vm = fmt::format("/vms/{}", spec.place.id);
    const std::string pool = spec.pool.empty() ? "" : "/pool/" + spec.pool;
    for (const Row& row : kOnVm) {
      if (row.from > use || (row.optional && !spec.agent)) continue;
      const std::size_t before = needs.size();
      add(vm, row.privilege, row.what_for, pool);
      if (needs.size() > before) needs.back().optional = row.optional;
    }
    if (use != ProviderUse::make) continue;
    if (!spec.first_cidr.empty()) {
      add(vm, "VM.Config.Cloudinit", "to give it its first address", pool);
    }
    const std::string disks = "/storage/" + spec.storage;
    add(disks, "Datastore.AllocateSpace", "to make disks there");
    add(disks, "Datastore.Audit", "to see its space");
    add("/storage/" + volume_storage(spec.image), "Datastore.Audit", "to find the Talos image");
    // Bridges are in the zone localnet.
    const std::string bridge = "/sdn/zones/localnet/" + spec.bridge;
    add(spec.vlan ? fmt::format("{}/{}", bridge, *spec.vlan) : bridge, "SDN.Use",
        "to attach network cards to the bridge");
  }
  return needs;
}

namespace {

Finding unasked_agents(const std::vector<const PrivilegeNeed*>& needs) {
  const PrivilegeNeed& first = *needs.front();
  return {Severity::note,
          "P6",
          {},
          "proxmox",
          fmt::format("the token has no {} on {}{}: ichor cannot ask guest agents where the "
                      "machines are, and scans for them",
                      first.privilege, first.path,
                      needs.size() > 1 ? fmt::format(" and {} more", needs.size() - 1) : ""),
          fmt::format("nothing is needed; {} on these paths makes the search shorter",
                      first.privilege)};
}

}  // namespace

std::vector<Finding> missing_privileges(const std::vector<PrivilegeNeed>& needs,
                                        const std::map<std::string, Privileges>& has) {
  std::vector<std::string> paths;
  std::map<std::string, std::vector<const PrivilegeNeed*>> missing;
  std::vector<const PrivilegeNeed*> helpful;
  for (const PrivilegeNeed& need : needs) {
    const auto granted = [&](const std::string& path) {
      const auto at = has.find(path);
      return at != has.end() &&
             std::find(at->second.begin(), at->second.end(), need.privilege) != at->second.end();
    };
    if (granted(need.path) || granted(need.or_path)) continue;
    if (need.optional) {
      helpful.push_back(&need);
      continue;
    }
    if (!missing.contains(need.path)) paths.push_back(need.path);
    missing[need.path].push_back(&need);
  }
  std::vector<Finding> findings;
  for (const std::string& path : paths) {
    std::string names;
    std::string reasons;
    for (const PrivilegeNeed* need : missing[path]) {
      names += (names.empty() ? "" : ", ") + need->privilege;
      reasons += (reasons.empty() ? "" : "; ") + need->privilege + " " + need->what_for;
    }
    Finding finding = problem(
        "P6", {}, fmt::format("the token has no {} on {}", names, path),
        fmt::format("grant a role with these privileges on {} to the token, and to its user: "
                    "`pveum acl modify {} --roles ROLE --tokens 'USER@REALM!TOKENID'`. A token "
                    "with privilege separation has no rights of its own",
                    path, path));
    finding.why = reasons;
    findings.push_back(std::move(finding));
  }
  if (!helpful.empty()) findings.push_back(unasked_agents(helpful));
  return findings;
}

ProvisionDecision decide_provision(const ClusterProfile& profile, const std::vector<VmSpec>& specs,
                                   const ProvisionSight& sight, const ProvisionFacts& facts,
                                   std::int64_t wall_ms) {
  return Decider(profile, specs, sight, facts, wall_ms).run();
}

}  // namespace ichor
