#include "doctor/fault_tables.h"

namespace ichor {

namespace {

using enum Recovery;

const std::vector<Fault> kRows = {
    {"D1",
     "the node loses power while it installs",
     "it is silent and comes back in maintenance mode, or half installed",
     "A power failure, a host that was restarted, a reset by hand.",
     "Looks again. In maintenance mode after a new boot, with nothing installed, the same config "
     "is sent again.",
     {"switch NODE on; the run continues by itself",
      "`ichor up -p PROFILE` if the run has ended meanwhile"},
     "I6 I7",
     by_itself},
    {"D2",
     "the install image cannot be pulled",
     "the stage stays installing; events and kernel log name the pull",
     "The registry is down or unreachable from the node, a proxy is missing, the image is of "
     "another architecture or does not exist.",
     "Waits up to the apply budget, because Talos tries again by itself.",
     {"`talosctl -n NODE dmesg | grep -i pull` names the reason",
      "check `talos.installer_image` and the schematic in PROFILE, and mirrors",
      "`ichor up -p PROFILE` continues when the image is available"},
     "I13 I19",
     by_itself},
    {"D3",
     "the install would wipe a disk with data",
     "the disk that the selector matches has partitions or a file system; or it matches none, or "
     "several",
     "Talos wipes the install disk whatever `wipe` says, and takes the first of several that "
     "match.",
     "Resolves the selector against the node's real disks first, and stops unless `--consent-wipe` "
     "names the node and the disk's serial.",
     {"`ichor preflight -p PROFILE -n NODE` lists the disks",
      "make `disk_selector` of NODE in PROFILE match exactly one disk, by serial or WWID"},
     "I4",
     by_operator},
    {"D4",
     "Talos runs from another disk than the planned one",
     "the system disk of the node is not the planned one",
     "It was booted from a raw image or a USB stick, which counts as installed, so the install was "
     "skipped.",
     "Stops before a config is sent, or before bootstrap.",
     {"boot NODE from the ISO or PXE instead of the raw image, then `ichor up -p PROFILE`"},
     "I4 I5",
     by_operator},
    {"D5",
     "too little memory or disk",
     "below 1.7 GiB of memory for a control plane, 0.9 GiB for a worker, or 3.9 GiB for EPHEMERAL",
     "The machine was sized too small.",
     "Found by preflight, before anything is sent.",
     {"give NODE more memory or a larger disk, then `ichor up -p PROFILE`"},
     "I12",
     by_operator},
    {"D6",
     "the node reboots again and again",
     "the boot id changes three times and more",
     "A kernel panic, a watchdog, a config that breaks the boot.",
     "Stops for this node after its retries and keeps what the kernel log said.",
     {"look at the console; `talosctl -n NODE dmesg` between two boots",
      "if the config is the cause, and NODE is not an etcd member that must stay: correct PROFILE, "
      "boot the ISO, `ichor reset NODE -p PROFILE`, then `ichor up -p PROFILE`"},
     "I13 I16",
     by_operator},
    {"D7",
     "the node is frozen",
     "connections open and no call is answered",
     "A kernel hang, a paused virtual machine, storage that stalls.",
     "Every call has a deadline; the node is unknown, not failed, until it answers.",
     {"resume or restart the virtual machine of NODE"},
     "I3 I13",
     by_itself},
    {"D8",
     "two machines claim to be one node",
     "the machine at the address is not the one in the journal; or its UUID or MAC is not the one "
     "in the profile",
     "Two machines with one address, a cloned virtual machine, or an address that DHCP gave to "
     "another machine.",
     "Stops and names both; nothing is sent to either.",
     {"`ip neigh show ADDRESS` shows the MAC that answers",
      "give the clone a UUID and address of its own; correct `mac`, `uuid` or `ip` in PROFILE",
      "`ichor up -p PROFILE --address NODE=IP` names where NODE is"},
     "I5",
     by_operator},
    {"D9",
     "two nodes have one host name",
     "the same name twice in the profile or in etcd's member list",
     "A copied entry. A joining node takes the place of the member with its name.",
     "Refused when the profile is read.",
     {"give every node its own name in PROFILE"},
     "I17",
     before_start},
    {"D10",
     "the node runs another version than planned",
     "Version differs from the profile, or the contract is newer than the node",
     "An old ISO, or a profile that was raised without the nodes.",
     "Found before a config is sent: a config of a newer contract may not parse.",
     {"boot NODE with an image of the planned version, or set `talos.contract` in PROFILE"},
     "I6",
     by_operator},
    {"D11",
     "a disk fails after the node has joined",
     "a volume is failed or read-only, etcd raises an alarm",
     "Hardware.",
     "Looks at the disks when etcd does not run, and stops where the system disk is read-only, or "
     "with the alarm (E9); nothing is repaired by itself.",
     {"with a new disk in the same machine: boot it into maintenance mode, `ichor reset NODE -p "
      "PROFILE`, then `ichor up -p PROFILE`",
      "for another machine: switch the old one off for good, `ichor node remove NODE --dead -p "
      "PROFILE`, then `ichor up -p PROFILE`"},
     "I17",
     by_operator},
    {"D12",
     "a node stays in maintenance mode",
     "MachineStatus stays maintenance after the config was sent; the console still shows the "
     "maintenance page",
     "The config was sent to another machine, the node refused it, the install image cannot be "
     "pulled (D2), the install disk does not match (D3), or the machine boots from the ISO again.",
     "Watches the stage, and after the limit names the node with its unmet conditions, last events "
     "and kernel messages.",
     {"`ichor doctor NODE -p PROFILE` looks at the node and says which of these it is",
      "`ichor verify -p PROFILE -n NODE` waits for the node, with what is unmet now",
      "set the boot order of the machine to disk first, and remove the ISO",
      "`ichor apply -p PROFILE -n NODE` sends the config again if the node does not have it"},
     "I7 I19",
     by_operator},
};

}  // namespace

std::vector<Fault> machine_faults() { return kRows; }

}  // namespace ichor
