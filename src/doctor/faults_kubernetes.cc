#include "doctor/fault_tables.h"

namespace ichor {

namespace {

using enum Recovery;

const std::vector<Fault> kRows = {
    {"K1",
     "no CNI, so no node becomes Ready",
     "nodeReady is unmet on every node and CoreDNS is pending, with `cni: none`",
     "The config says that Talos installs no CNI, and none is installed.",
     "Installs the CNI that the profile declares; without one the run ends with exit 6 and says "
     "that the control plane is up.",
     {"declare the CNI in PROFILE, or install it with your own tools, then `ichor health -p "
      "PROFILE`"},
     "I12",
     by_operator},
    {"K2",
     "kubelets wait for their serving certificates",
     "CSRs of kubernetes.io/kubelet-serving are pending; logs and exec fail",
     "Certificate rotation is on and nothing approves the requests.",
     "Approves those of the profile's own nodes if the profile says so; otherwise it only reports "
     "them.",
     {"`kubectl get csr`", "`kubectl certificate approve NAME` for each that is of your nodes"},
     "I12",
     by_operator},
    {"K3",
     "the API server flaps, throttles or refuses",
     "429, 5xx, a webhook that does not answer, a kind that is not known yet",
     "The control plane is starting, or its webhooks are not.",
     "Applies again with growing delays; kinds before the objects that use them.",
     {"`kubectl get --raw /readyz?verbose`"},
     "I7 I14",
     by_itself},
    {"K4",
     "GitOps does not converge",
     "a Kustomization or Application is not ready",
     "The repository, its key or the key for SOPS is missing, or a manifest is wrong.",
     "Stops with the condition's words; the cluster itself is reported as good.",
     {"`kubectl -n flux-system get kustomizations` and fix what it names"},
     "I12 I19",
     by_operator},
    {"K5",
     "two owners of one object",
     "a conflict of managed fields",
     "GitOps and ichor both apply it.",
     "Never forces: the object is left to its owner.",
     {"take the object out of one of the two"},
     "I7",
     by_operator},
    {"K6",
     "a node does not stay Ready",
     "Ready comes and goes, or the node is cordoned",
     "Pressure on memory or disk, a flapping network, a drain by another user.",
     "Counts a node as Ready only if it stays Ready; waits, then stops.",
     {"`kubectl describe node NODE`", "`kubectl uncordon NODE` if it was cordoned"},
     "I12",
     by_itself},
};

}  // namespace

std::vector<Fault> kubernetes_faults() { return kRows; }

}  // namespace ichor
