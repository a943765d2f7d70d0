#include "lint/reasons.h"

#include <algorithm>
#include <array>

namespace ichor {

namespace {

struct Reason {
  std::string_view id, text;
};

constexpr std::array kReasons = {
    Reason{"network.cidr", "Talos and Kubernetes refuse a network that is written with host bits"},
    Reason{"network.overlap",
           "packets for a pod or a service go to a machine instead, or the other way round"},
    Reason{"network.outside",
           "a node reaches an address outside its network only through a gateway, but no gateway "
           "or VIP that is outside its network"},
    Reason{"network.vip", "two machines answer at one address, and connections reach either one"},
    Reason{"network.endpoint",
           "the API cannot be reached there when that machine is away, although others serve it"},
    Reason{"network.duplicate",
           "two machines are taken for one, and one of them gets the config of the other"},
    Reason{"network.link",
           "the config cannot say which link gets the address, so the node does not get it"},
    Reason{"network.vlan", "frames with the wrong tag, or without one, are dropped"},
    Reason{"network.placeholder",
           "no machine has the addresses of an example, or another machine has them"},
    Reason{"boot.arguments",
           "Talos refuses a config with both, and the node stays in maintenance mode"},
    Reason{"gates.differ",
           "a field that only one of them knows is dropped or refused by the other"},
    Reason{"dns.forward",
           "eBPF host routing goes past the rules that lead to the node's resolver, and CoreDNS "
           "times out"},
    Reason{"logging.destination", "Talos drops logs that it cannot send, without a message"},
    Reason{"logging.kernel",
           "the kernel's messages of the boot, when they are needed most, are not sent"},
    Reason{"logging.loki", "nothing receives the logs, or a collector never gets any"},
    Reason{"versions.talos", "what changed in a release that ichor does not know, it cannot check"},
    Reason{"versions.kubernetes",
           "Talos refuses versions of Kubernetes that it was not tested with"},
    Reason{"versions.contract", "the nodes refuse a config with keys that they do not know"},
    Reason{"versions.quorum",
           "etcd needs more than half of its members, so an even number adds a machine that can "
           "fail and does not tolerate one more failure"},
    Reason{"versions.extension", "the Image Factory refuses the schematic"},
    Reason{"versions.installer", "the image cannot be pulled, and nothing is installed"},
    Reason{"versions.schematic", "the Image Factory refuses the schematic"},
    Reason{
        "versions.crds",
        "a controller writes fields that the API server drops, or reads some that are not there"},
    Reason{"proxmox.vmid", "the machine is found at its address only, and by no scan"},
    Reason{"proxmox.machine", "devices get other names than Talos expects, and disks move"},
    Reason{"proxmox.bios", "the boot image starts with UEFI only"},
    Reason{"proxmox.scsi", "the disk is slow, or Talos does not see it"},
    Reason{"proxmox.ballooning",
           "the host takes memory away under load, and etcd and kubelet are killed"},
    Reason{"proxmox.efidisk",
           "the boot entry is lost when the machine is off, and it boots the image"},
    Reason{"proxmox.tpm", "there is nowhere to store the key of an encrypted disk"},
    Reason{
        "proxmox.agent",
        "Proxmox waits for an agent that is not there, or an agent runs that Proxmox never asks"},
    Reason{"proxmox.vlan", "frames carry two tags, or another one than the switch expects"},
    Reason{"scheduling.nowhere", "pods stay Pending for ever, because no node takes them"},
    Reason{"scheduling.guardrails", "pods take memory and processor time that etcd needs"},
    Reason{"patch.syntax", "a patch that cannot be read cannot be applied"},
    Reason{"patch.unknown-key", "Talos refuses the whole config because of one unknown key"},
    Reason{"patch.kind", "Talos refuses the whole config because of one unknown document"},
    Reason{"patch.type", "Talos refuses the whole config because of one value of another type"},
    Reason{"patch.version", "this Talos refuses what only a later one knows"},
    Reason{"patch.old-form", "Talos refuses a config that says one thing in both forms"},
    Reason{"patch.authorizer", "the API server refuses everybody whom that authorizer lets in"},
    Reason{"patch.encryption-key",
           "the API server finds the key of a secret in etcd by the name that is stored with it"},
    Reason{"patch.label", "what selects control planes by this label finds none"},
    Reason{"patch.pem", "Talos refuses a config with a certificate or key that is no PEM"},
    Reason{"patch.secret",
           "secrets that are not those of the cluster lock everybody out of the node"},
    Reason{"patch.node", "every node would get what was meant for one"},
    Reason{"patch.nobody", "the patch has no effect on any node"},
    Reason{"patch.empty", "the intended change is made on no node"},
    Reason{"patch.template", "a patch that cannot be rendered cannot be applied"},
    Reason{"patch.variables", "a patch that cannot be rendered cannot be applied"},
    Reason{"patch.sealed", "encrypted text must never reach a node"},
    Reason{"patch.missing", "the intended change is made on no node"},
    Reason{"patch.read", "Talos refuses a config with this patch"},
    Reason{"patch.apply", "Talos refuses a config with this patch"},
    Reason{"patch.no-change", "the patch is either not needed, or it does not say what was meant"},
    Reason{"unchecked.value",
           "Talos accepts the config, and the node then does not do what it says"},
    Reason{"config.invalid", "the node refuses this config"},
    Reason{"config.duplicate",
           "two nodes with the same name or address replace each other in the cluster"},
};

}  // namespace

std::string_view reason_of(std::string_view finding_id) {
  const auto found = std::find_if(kReasons.begin(), kReasons.end(),
                                  [&](const Reason& reason) { return reason.id == finding_id; });
  return found == kReasons.end() ? std::string_view() : found->text;
}

}  // namespace ichor
