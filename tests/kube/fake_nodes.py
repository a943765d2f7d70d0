"""Nodes and kubelets played by kwok, with the troubles a test asks for.

A node is NotReady until its CNI agent runs, as a real one is: kwok plays pods and nodes one by one,
so the link between the two is ours. `Cni` looks at the agents' pods and marks their nodes, and the
stages below turn the mark into the condition.
"""

import dataclasses
import json
import threading

import api as apis
import processes
import tools

MARK = "bed.ichor/cni"
AGENT = "k8s-app=cilium"
POLL_S = 0.3
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"


@dataclasses.dataclass(frozen=True)
class Trouble:
    """Pods with a label, on one node or on all, that do not become ready."""

    label: str  # NAME=VALUE
    node: str = ""
    reason: str = ""  # of the waiting container; empty: the pod stays Pending
    message: str = ""

    def holds(self):
        """A jq expression that is true of the pods it hits."""
        name, value = self.label.split("=", 1)
        text = f".metadata.labels[{json.dumps(name)}] == {json.dumps(value)}"
        return f"({text} and .spec.nodeName == {json.dumps(self.node)})" if self.node else text


def stage(name, kind, expressions, following, delay_ms=0):
    """A kwok Stage. `expressions` are (jq, operator, values...)."""
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "Stage", "metadata": {"name": name},
        "spec": {"resourceRef": {"apiGroup": "v1", "kind": kind},
                 "selector": {"matchExpressions": [
                     {"key": key, "operator": operator, **({"values": values} if values else {})}
                     for key, operator, *values in expressions]},
                 "delay": {"durationMilliseconds": delay_ms}, "next": following}}


def conditions(ready, reason, message):
    now = "lastHeartbeatTime: {{ Now | Quote }}, lastTransitionTime: {{ Now | Quote }}"
    pressures = [f'- {{type: {kind}, status: "False", reason: KubeletHasEnough, {now}}}'
                 for kind in ("MemoryPressure", "DiskPressure", "PIDPressure")]
    state = f'status: "{ready}", reason: {reason}, message: "{message}"'
    return "\n".join(["conditions:", *pressures, f"- {{type: Ready, {state}, {now}}}", ""])


READY = '.status.conditions.[] | select(.type == "Ready") | .status'
MARKED = f'.metadata.annotations["{MARK}"]'
ALIVE = (".metadata.deletionTimestamp", "DoesNotExist")

NODE_STARTS = conditions(
    "False", "KubeletNotReady", "container runtime network not ready: cni plugin not initialized"
) + """\
addresses:
- {type: InternalIP, address: {{ index .metadata.annotations "bed.ichor/address" | Quote }}}
- {type: Hostname, address: {{ .metadata.name | Quote }}}
- {type: ExternalIP, address: 127.0.0.1}
daemonEndpoints: {kubeletEndpoint: {Port: {{ NodePort }}}}
allocatable: {cpu: "64", memory: 256Gi, pods: "1000"}
capacity: {cpu: "64", memory: 256Gi, pods: "1000"}
nodeInfo:
  architecture: amd64
  bootID: ""
  containerRuntimeVersion: kwok
  kernelVersion: kwok
  kubeProxyVersion: ""
  kubeletVersion: v1.35.4
  machineID: ""
  operatingSystem: linux
  osImage: kwok
  systemUUID: ""
phase: Running
"""

POD_RUNS = """\
conditions:
- {type: Initialized, status: "True", lastTransitionTime: {{ Now | Quote }}}
- {type: ContainersReady, status: "True", lastTransitionTime: {{ Now | Quote }}}
- {type: Ready, status: "True", lastTransitionTime: {{ Now | Quote }}}
containerStatuses:
{{ range .spec.containers }}
- image: {{ .image | Quote }}
  imageID: ""
  name: {{ .name | Quote }}
  ready: true
  started: true
  restartCount: 0
  state: {running: {startedAt: {{ Now | Quote }}}}
{{ end }}
initContainerStatuses:
{{ range .spec.initContainers }}
- image: {{ .image | Quote }}
  imageID: ""
  name: {{ .name | Quote }}
  ready: true
  restartCount: 0
  {{ if eq (or .restartPolicy "") "Always" }}
  started: true
  state: {running: {startedAt: {{ Now | Quote }}}}
  {{ else }}
  state:
    terminated:
      exitCode: 0
      reason: Completed
      startedAt: {{ Now | Quote }}
      finishedAt: {{ Now | Quote }}
  {{ end }}
{{ end }}
hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
{{ $host := or .spec.hostNetwork false }}
{{ $meta := .metadata }}
podIP: {{ PodIPWith .spec.nodeName $host $meta.uid $meta.name $meta.namespace | Quote }}
phase: Running
startTime: {{ Now | Quote }}
"""

POD_COMPLETES = """\
containerStatuses:
{{ range .spec.containers }}
- image: {{ .image | Quote }}
  imageID: ""
  name: {{ .name | Quote }}
  ready: false
  started: false
  restartCount: 0
  state:
    terminated:
      exitCode: 0
      reason: Completed
      startedAt: {{ Now | Quote }}
      finishedAt: {{ Now | Quote }}
{{ end }}
phase: Succeeded
"""


def pod_waits(trouble):
    """The status of a pod whose containers wait for `trouble`."""
    return """\
conditions:
- {type: Initialized, status: "True", lastTransitionTime: {{ Now | Quote }}}
- type: ContainersReady
  status: "False"
  reason: ContainersNotReady
  lastTransitionTime: {{ Now | Quote }}
- type: Ready
  status: "False"
  reason: ContainersNotReady
  lastTransitionTime: {{ Now | Quote }}
containerStatuses:
{{ range .spec.containers }}
- image: {{ .image | Quote }}
  imageID: ""
  name: {{ .name | Quote }}
  ready: false
  started: false
  restartCount: 7
  state: {waiting: {reason: REASON, message: MESSAGE}}
{{ end }}
phase: Running
startTime: {{ Now | Quote }}
""".replace("REASON", json.dumps(trouble.reason)).replace("MESSAGE", json.dumps(trouble.message))


def stages(troubles):
    """How nodes and pods live. A pod in trouble does not run; one with a reason shows it."""
    hit = " or ".join(trouble.holds() for trouble in troubles) or "false"
    is_well = (f'if {hit} then "hit" else "well" end', "In", "well")
    pending = (".status.phase", "In", "Pending")
    found = [
        stage("node-starts", "Node", [(READY, "DoesNotExist"), ALIVE],
              {"statusTemplate": NODE_STARTS}),
        stage("node-is-ready", "Node",
              [(READY, "In", "False", "Unknown"), (MARKED, "In", "ready"), ALIVE],
              {"statusTemplate": conditions("True", "KubeletReady", "kubelet is posting ready")}),
        stage("node-loses-network", "Node", [(READY, "In", "True"), (MARKED, "In", "lost"), ALIVE],
              {"statusTemplate": conditions("False", "KubeletNotReady", "cni is gone")}),
        stage("pod-runs", "Pod", [ALIVE, pending, is_well], {"statusTemplate": POD_RUNS}),
        # It was hit once, and the trouble is over.
        stage("pod-recovers", "Pod", [ALIVE, (READY, "In", "False"), is_well],
              {"statusTemplate": POD_RUNS}),
        stage("pod-completes", "Pod",
              [ALIVE, (".status.phase", "In", "Running"),
               (".metadata.ownerReferences.[].kind", "In", "Job")],
              {"statusTemplate": POD_COMPLETES}, delay_ms=200),
        stage("pod-goes", "Pod", [(".metadata.deletionTimestamp", "Exists")], {"delete": True})]
    for number, trouble in enumerate(troubles):
        is_hit = (f'if {trouble.holds()} then "hit" else "well" end', "In", "hit")
        if trouble.reason:
            found.append(stage(f"pod-trouble-{number}", "Pod",
                               [ALIVE, pending, is_hit], {"statusTemplate": pod_waits(trouble)}))
    return found


class FakeNodes:
    """kwok and the nodes it plays."""

    def __init__(self, folder, running, plane, rules=()):
        """`rules` are further documents of kwok's config."""
        self.folder, self.running, self.plane = folder, running, plane
        self.rules = rules
        self.port = processes.free_port()  # of all kubelets
        self.cni = None

    def start(self, troubles=()):
        """Starts kwok, or starts it again with other troubles."""
        config = self.folder / "stages.yaml"
        config.write_text("\n---\n".join(json.dumps(one, indent=1)
                                         for one in (*stages(troubles), *self.rules)))
        # A new kwok would wait for the leases of the old one to run out.
        self.running.stop("kwok")
        self.plane.api.delete(LEASES)
        self.running.start(
            "kwok",
            [tools.program("kwok"), "--kubeconfig", self.plane.kubeconfig, "--manage-all-nodes",
             "--config", config, "--server-address", f"127.0.0.1:{self.port}",
             "--node-port", self.port, "--node-lease-duration-seconds", "40"],
            lambda: processes.connects(self.port))

    def add(self, name, address, labels=None):
        self.plane.api.create("/api/v1/nodes", {
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "annotations": {"bed.ichor/address": address},
                         "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
                                    "kubernetes.io/arch": "amd64", **(labels or {})}}})

    def mark(self, name, mark):
        self.plane.api.merge(f"/api/v1/nodes/{name}", {"metadata": {"annotations": {MARK: mark}}})

    def link_readiness_to_cni(self):
        """From now on a node is Ready while its agent is."""
        self.cni = Cni(self)
        self.cni.start()

    def stop(self):
        if self.cni:
            self.cni.stop()


class Cni(threading.Thread):
    """Marks nodes whose CNI agent runs, and those where it ran once and does no more."""

    def __init__(self, nodes):
        super().__init__(daemon=True)
        self.nodes = nodes
        self.over = threading.Event()
        self.marks = {}

    def run(self):
        while not self.over.wait(POLL_S):
            try:
                self.look()
            except (OSError, apis.ApiError, ValueError):
                continue  # the API server may be away, which is then what a test wants

    def look(self):
        agents = self.nodes.plane.api.items("/api/v1/namespaces/kube-system/pods",
                                            labelSelector=AGENT)
        working = {pod["spec"].get("nodeName") for pod in agents if apis.is_true(pod, "Ready")}
        wanted = {node: "ready" for node in working if node}
        wanted.update({node: "lost" for node in self.marks if node not in wanted})
        for node, mark in wanted.items():
            if self.marks.get(node) != mark:
                self.nodes.mark(node, mark)
                self.marks[node] = mark

    def stop(self):
        self.over.set()
        self.join()
