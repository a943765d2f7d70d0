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
    {"U9",
     "the path to another version of Kubernetes is not supported",
     "more than one minor release ahead, back to an older minor, a version that the Talos of a "
     "node does not run, kubelets too far behind, or an image that a patch pins",
     "API servers are upgraded one minor release at a time, no component is newer than its API "
     "server, and each release of Talos runs a range of Kubernetes.",
     "Refuses before anything is changed, and prints the next step of the path.",
     {"`ichor upgrade-k8s --to VERSION -p PROFILE` for each step that it prints",
      "or `ichor upgrade --to VERSION -p PROFILE` first, where Talos is too old"},
     "I12",
     before_start},
    {"U10",
     "something in use does not exist in the new version of Kubernetes",
     "a flag or a feature gate in a machine config, or an API version that clients write",
     "Releases of Kubernetes remove what was deprecated long before. A component that gets a flag "
     "that it does not know does not start.",
     "Refuses before anything is changed, and names each one.",
     {"remove the flag or gate from the patches, and `ichor up -p PROFILE`",
      "change the client or the manifest to an API version that stays, or delete the object"},
     "I12",
     before_start},
    {"U11",
     "a component of Kubernetes does not come up with its new version",
     "its pod or kubelet is not Ready, or still shows the old version, for `budgets.verify`",
     "The new image does not start on this node: a flag, the registry, or too little memory.",
     "Touches no other node, and names the component and the node.",
     {"`talosctl -n NODE logs -k` shows the logs of its containers",
      "when it is well, `ichor upgrade-k8s -p PROFILE` goes on"},
     "I12 I13",
     by_operator},
    {"U12",
     "a node runs another config when Kubernetes is upgraded",
     "the config on the node differs from the profile's in more than the version of Kubernetes",
     "The profile was edited and not applied, or the node was changed outside ichor.",
     "Refuses before anything is changed.",
     {"`ichor drift -p PROFILE` shows what differs; `ichor drift --fix -p PROFILE` applies the "
      "profile",
      "then `ichor upgrade-k8s -p PROFILE`"},
     "I12",
     before_start},
    {"U13",
     "the profile is behind the version of Kubernetes that runs",
     "`ichor upgrade-k8s` brought the cluster further than kubernetes_version says, or has not "
     "finished",
     "After an upgrade with --to the profile still names the old version.",
     "Sends no config that would take a node back.",
     {"set kubernetes_version in PROFILE to the version that it prints",
      "or finish the upgrade: `ichor upgrade-k8s --to VERSION -p PROFILE`"},
     "I4 I12",
     by_operator},
    {"U14",
     "kube-proxy is managed by another tool",
     "the DaemonSet kube-proxy has the marks of Helm or Flux, or runs a newer version",
     "Talos made it at the bootstrap, and another tool took it over since.",
     "Leaves it alone and says so.",
     {"bring kube-proxy to the new version where it is managed"},
     "I28",
     by_operator},
};

}  // namespace

std::vector<Fault> upgrade_faults() { return kRows; }

}  // namespace ichor
