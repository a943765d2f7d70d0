#include "doctor/fault_tables.h"

namespace ichor {

namespace {

using enum Recovery;

const std::vector<Fault> kRows = {
    {"U1",
     "the installer image of an upgrade cannot be pulled",
     "ImagePull answers not found, or the registry does not answer the node",
     "The version or the schematic does not exist in the registry, or the node does not reach it.",
     "Pulls the image on every node before the first one is drained, and stops there.",
     {"check `talos.version`, the schematic and `talos.installer_image` in PROFILE, and mirrors",
      "then `ichor upgrade -p PROFILE`: nothing was drained"},
     "I12 I13",
     by_operator},
    {"U2",
     "a pod cannot leave its node",
     "an eviction is answered with 429, or the pod does not end its grace period",
     "A PodDisruptionBudget allows no disruption: a workload with one replica, or one whose other "
     "pods are not Ready.",
     "Waits for `budgets.drain` and names the pod and the budget. It deletes no pod past a budget.",
     {"`kubectl get pdb -A` and `kubectl get pods -A --field-selector spec.nodeName=NODE`",
      "give the workload another replica or change the budget, then `ichor upgrade -p PROFILE` "
      "goes on",
      "or call it off: `kubectl uncordon NODE`; the node still runs its old version"},
     "I12 I13",
     by_operator},
    {"U3",
     "a node runs its old version after an upgrade",
     "another boot id, and the old version: Talos went back to the other boot slot",
     "The new image does not boot on this machine, or does not become ready: a driver, an "
     "extension "
     "or a kernel argument is missing.",
     "Names the node and stops: no other node is upgraded. A node is never rolled back by ichor.",
     {"see the console of NODE and `talosctl -n NODE dmesg`",
      "correct the schematic, or take another version; then `ichor upgrade -p PROFILE` tries "
      "again"},
     "I12 I17",
     by_operator},
    {"U4",
     "the installer of an upgrade fails",
     "the install ends with an exit code, and the node has not rebooted",
     "The boot partition is full, the disk is broken, or the image is not an installer.",
     "Stops; the node is cordoned and runs its old version.",
     {"`talosctl -n NODE dmesg` and `talosctl -n NODE disks`",
      "then `ichor upgrade -p PROFILE`, or `kubectl uncordon NODE` to call it off"},
     "I12",
     by_operator},
    {"U5",
     "the path to another version is not supported",
     "more than one minor release ahead, not from the last patch, back to an older minor, or a "
     "version of Kubernetes that the release does not run",
     "Talos is tested from one minor release to the next; etcd does not go back.",
     "Refuses before anything is changed, and prints the next step of the path.",
     {"`ichor upgrade --to VERSION -p PROFILE` for each step that it prints"},
     "I12",
     before_start},
    {"U6",
     "the new image would drop extensions",
     "the node runs extensions, and the image is of no schematic",
     "The plain installer has no extensions, and an image that is named by digest cannot be that "
     "of "
     "another version.",
     "Refuses before anything is changed.",
     {"set `talos.factory.schematic_id` in PROFILE, or `ichor upgrade --schematic FILE -p "
      "PROFILE`"},
     "I4",
     before_start},
    {"U7",
     "etcd would lose its quorum while a control plane reboots",
     "one or two control planes",
     "With one or two members none may be away.",
     "Refuses without the operator's consent, which names the cluster.",
     {"`ichor upgrade --consent-downtime NAME -p PROFILE`, or add control planes first"},
     "I17",
     before_start},
    {"U8",
     "a node has an image installed that it has not booted",
     "META has the mark of an upgrade, and the journal has not asked for one",
     "Another tool installed it and ended before the reboot. At its next reboot the node runs "
     "another version.",
     "Stops: what it would boot is not known.",
     {"reboot it into that image: `talosctl -n NODE reboot`",
      "or go back to what runs now: `talosctl -n NODE rollback`; then `ichor upgrade -p PROFILE`"},
     "I8",
     by_operator},
};

}  // namespace

std::vector<Fault> upgrade_faults() { return kRows; }

}  // namespace ichor
