"""The bed itself, looked at with kubectl, helm and git: what the other tests stand on."""

import os
import signal
import subprocess
import sys
import time

import api as apis
import fake_nodes
import flux as fluxes
import processes
import support
import tools


class Bed(support.KubeTest):
    def test_has_nodes_that_are_ready_when_cilium_runs_on_them(self):
        bed = self.make_bed("nodes")
        began = time.monotonic()
        bed.start()
        print(f"    control plane and six nodes: {time.monotonic() - began:.1f} s", flush=True)
        self.eventually(lambda: len(self.not_ready(bed)) == 6, "six nodes, none Ready")
        bed.kubectl("apply", "-f", "-", text=AGENT)
        self.eventually(lambda: not self.not_ready(bed), "all nodes Ready")
        bed.nodes.start([fake_nodes.Trouble("k8s-app=cilium", node="w3")])
        bed.kubectl("-n", "kube-system", "delete", "pod", "-l", "k8s-app=cilium", "--wait=false")
        self.eventually(lambda: self.not_ready(bed) == ["w3"], "only w3 without its agent")

    def not_ready(self, bed):
        return sorted(node["metadata"]["name"] for node in bed.api.items("/api/v1/nodes")
                      if apis.condition(node, "Ready") and not apis.is_true(node, "Ready"))

    def test_shows_a_crashing_pod_as_kubelets_do(self):
        bed = self.make_bed("crash")
        trouble = fake_nodes.Trouble("k8s-app=cilium", node="w2", reason="CrashLoopBackOff",
                                     message="back-off 5m0s restarting failed container")
        bed.start([trouble])
        bed.kubectl("apply", "-f", "-", text=AGENT)
        pods = "/api/v1/namespaces/kube-system/pods"

        def crashing():
            return [pod["spec"]["nodeName"] for pod in bed.api.items(pods)
                    for status in pod["status"].get("containerStatuses", [])
                    if status["state"].get("waiting", {}).get("reason") == "CrashLoopBackOff"]

        self.eventually(lambda: crashing() == ["w2"], "one crashing pod")

    def test_reconciles_a_repository_with_the_real_flux(self):
        bed = self.bed_with_tree("flux")
        bed.kubectl("apply", "-f", "-", text=AGENT)
        bed.kubectl("create", "namespace", fluxes.NAMESPACE)
        bed.kubectl("apply", "--server-side", "-f",
                    tools.files("flux-manifests") / "config/crd/bases")
        bed.flux.start_operator()
        bed.kubectl("apply", "-f", "-", text=INSTANCE.format(port=bed.git_port))
        instance = f"{fluxes.INSTANCES}/flux"
        self.eventually(lambda: apis.is_true(bed.api.get(instance), "Ready"), "Flux is there")
        source = f"{fluxes.SOURCES}/{fluxes.NAMESPACE}"
        self.eventually(lambda: apis.is_true(bed.api.get(source), "Ready"), "the source is Ready")
        root = f"{fluxes.KUSTOMIZATIONS}/{fluxes.NAMESPACE}"
        self.eventually(lambda: apis.is_true(bed.api.get(root), "Ready"), "its root is Ready")
        self.assertEqual(bed.tree.git("rev-parse", "HEAD").strip(),
                         bed.api.get(source)["status"]["artifact"]["revision"].split(":")[1])

    def test_ends_with_the_process_that_made_it(self):
        owner = subprocess.Popen([sys.executable, "-B", "-c", OWNER], cwd=support.HERE,
                                 stdout=subprocess.PIPE, text=True)
        folder, *children = owner.stdout.readline().split()
        self.assertGreater(len(children), 3)
        os.kill(owner.pid, signal.SIGKILL)
        owner.wait()
        owner.stdout.close()
        self.eventually(lambda: not [pid for pid in children
                                     if processes.labs.start_time(pid) is not None],
                        "all of its processes are gone")
        processes.sweep()
        self.assertFalse(os.path.exists(folder))


class BedAndHelm(support.KubeTest):
    NEEDS = (*tools.BED, "helm-4.3.1", "helmfile")

    def test_agree_on_the_charts(self):
        bed = self.bed_with_tree("helm")
        for name in ("helm-3.22.0", "helm-4.3.1"):
            done = subprocess.run(
                [str(tools.program(name)), "template", "cilium", "--plain-http", "--version",
                 "1.18.4", f"oci://127.0.0.1:{bed.registry_port}/charts/cilium"],
                capture_output=True, text=True, check=False, env=bed.environment)
            self.assertEqual(done.stdout.count("kind: DaemonSet"), 2, done.stderr)
        done = subprocess.run(
            [str(tools.program("helmfile")), "--helm-binary", str(tools.program(bed.helm)), "-q",
             "-f", "bootstrap/helmfile.d/00-crds.yaml", "template"], capture_output=True, text=True,
            check=False, env=bed.environment, cwd=bed.tree.folder)
        self.assertEqual(done.stdout.count("\nkind: CustomResourceDefinition"), 11, done.stderr)


OWNER = """
import bed, time
made = bed.Bed("orphan")
made.start()
print(made.folder, *[process.pid for process in made.running.running.values()], flush=True)
time.sleep(1000)
"""

INSTANCE = """\
apiVersion: fluxcd.controlplane.io/v1
kind: FluxInstance
metadata: {{name: flux, namespace: flux-system}}
spec:
  distribution: {{version: 2.9.x, registry: registry.example.org/fluxcd}}
  components: [source-controller, kustomize-controller, helm-controller]
  sync:
    kind: GitRepository
    url: http://127.0.0.1:{port}/home.git
    ref: refs/heads/main
    path: kubernetes/flux/cluster
"""

AGENT = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: cilium, namespace: kube-system}
spec:
  selector: {matchLabels: {k8s-app: cilium}}
  template:
    metadata: {labels: {k8s-app: cilium}}
    spec:
      hostNetwork: true
      tolerations: [{operator: Exists}]
      containers: [{name: agent, image: cilium}]
"""
