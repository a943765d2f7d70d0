#include "doctor/fault_tables.h"

namespace ichor {

namespace {

using enum Recovery;

const std::vector<Fault> kRows = {
    {"P1",
     "the provider's API fails half-way",
     "quota, 429, 5xx, or a timeout while the machine was created all the same",
     "Providers answer late, or not at all.",
     "Searches for machines by VM ID and tag before it creates one; a call is never repeated "
     "blindly.",
     {"correct what the provider names (quota, storage, a lock), then `ichor up -p PROFILE "
      "--provision`: it continues from there",
      "`ichor proxmox list -p PROFILE` shows the machines that are ours"},
     "I7 I14",
     by_itself},
    {"P2",
     "a machine comes back with another address, MAC or disk order",
     "the machine does not answer at its old address and answers at another one",
     "Interfaces and disks are numbered at boot.",
     "Machines are identified by UUID and serial; the address is bound again.",
     {"select disks by serial in PROFILE; `--address NODE=IP` if it is not found"},
     "I5",
     by_itself},
    {"P3",
     "the provider's credential expires, or a region fails",
     "401, 403 or 5xx in the middle",
     "A token of an hour, an outage.",
     "Stops; the next run continues.",
     {"renew the credential, then run the same command again"},
     "I12",
     by_operator},
    {"P4",
     "a machine to remove is not ours",
     "the tag or the owner does not match",
     "A shared network, or a machine that was put into the same place.",
     "Nothing without the cluster's tag is deleted.",
     {"remove it by hand if it must go; or give the node another vmid in PROFILE"},
     "I4",
     by_operator},
    {"P5",
     "user data configures the machine before ichor does",
     "the node is not in maintenance mode at the first contact",
     "The provider's metadata holds a machine config.",
     "As for T4 and T5: with the same config the step is done, with another one the run stops.",
     {"leave the config out of the user data, or use `--config-dir` with the same one"},
     "I6",
     by_operator},
    {"P6",
     "the provider's token lacks privileges",
     "403, or 200 with empty lists where machines are",
     "A token with privilege separation has no rights of its own; releases differ in what they ask "
     "for.",
     "Asks for the privileges first, names what is missing by path, and changes nothing.",
     {"grant what `ichor proxmox verify` names, to the token and to its user"},
     "I12",
     by_operator},
    {"P7",
     "the provider's certificate is not the expected one",
     "another CA, another fingerprint, or a certificate that is expired or not valid yet",
     "A renewed or expired certificate, a wrong address, or another server in between.",
     "Sends nothing: not even the token.",
     {"correct ca_file or fingerprint of providers.proxmox, or renew the certificate, then `ichor "
      "proxmox verify -p PROFILE`"},
     "I12",
     by_operator},
    {"P8",
     "a virtual machine runs and never answers",
     "the provider says that it runs, and no machine with its MAC is seen",
     "It boots nothing, has no address, or is in another network.",
     "Waits for the budget of discover, then stops and names the machine.",
     {"look at its console: image, boot order, DHCP, bridge and VLAN; then `ichor up -p PROFILE "
      "--provision`"},
     "I12",
     by_operator},
    {"P9",
     "two virtual machines have one MAC",
     "another machine of the provider has the MAC of a node",
     "A machine was cloned or restored with its network card.",
     "Stops before anything is created: it is not certain which of them is the node.",
     {"change the MAC of one of them in the provider or in PROFILE"},
     "I5",
     by_operator},
};

}  // namespace

std::vector<Fault> provider_faults() { return kRows; }

}  // namespace ichor
