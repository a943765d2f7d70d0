#!/usr/bin/env python3
"""The Kubernetes phases on real Talos nodes: three control planes, a worker, real kubelets.

Usage: phases.py [TEST...]; ICHOR names the binary, default build/ichor. The releases are small
charts whose images are in the lab's registry: CoreDNS, Flux' source-controller and
kustomize-controller are real, Cilium and CSI are programs that only wait. Exit 77 and the reason
where real nodes cannot run.
"""

import contextlib
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import bring_up  # noqa: E402
import cluster as clusters  # noqa: E402
import gitops  # noqa: E402
import lab as labs  # noqa: E402
import pieces  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
CHARTS = HERE.parent / "kube/charts"
ONLY_FOR_CONTROL_PLANES = "registry.example.org/pause:3.10"
PARTS = ("talos", "secrets", "crds", "core", "validation")
SERVICE = "10.96.0.1"  # of the API, by the profile's service network
NOTICED_S = 120  # a kubelet that is silent is given up after 40 s

PHASES = """
phases:
  namespaces: {{names: [flux-system, apps]}}
  crds: {{dirs: [crds]}}
  core:
    releases:
      - {{name: cilium, namespace: kube-system, chart: charts/agent}}
      - name: coredns
        namespace: kube-system
        chart: real-charts/coredns
        values: [dns.yaml]
      - name: flux
        namespace: flux-system
        chart: real-charts/flux
        values: [flux.yaml]
        needs: [coredns]
      - {{name: csi-node, namespace: kube-system, chart: charts/agent, needs: [coredns]}}
  flux: {{operator: none, instance: none}}
  tools: {{helm: {helm}}}
gates:
  nodes: {{stable: 10s}}
  cilium: {{operator: none}}
  csi: {{phase: 2, namespace: kube-system, controller: none, node: csi-node}}
"""


class PhasesOnRealTalos(bring_up.RealNodes):
    def setUp(self):
        self.cluster = self.make_cluster()
        self.addCleanup(lambda: self.cluster.remove(failed=self.has_failed()))

    def make_cluster(self):
        """Its profile continues to the phases, and its tree has what they install."""
        cluster = clusters.Cluster("phases", 3, 1)
        shutil.copytree(HERE / "phase-patches", cluster.home / "patches", dirs_exist_ok=True)
        shutil.copytree(CHARTS, cluster.home / "charts")
        shutil.copytree(CHARTS / "observability-crds/crds", cluster.home / "crds")
        self.gitops = gitops.GitOps(cluster)
        self.gitops.lay_out()
        cluster.images_of = self.gitops.make_images
        cluster.profile.write_text(
            cluster.profile_text() + PHASES.format(helm=pieces.program("helm-3.22.0")))
        return cluster

    def test_from_machines_to_a_verified_core_and_with_one_node_in_trouble(self):
        self.cluster.boot()
        self.gitops.start_git()
        self.addCleanup(self.gitops.stop_git)
        self.the_phases_pass_and_then_change_nothing()
        self.all_gates_hold()
        self.health_waits_for_a_source_that_fails()
        self.a_kubelet_that_stopped_is_named()
        self.an_image_that_one_node_lacks_is_named()

    def the_phases_pass_and_then_change_nothing(self):
        for part in PARTS:
            run = self.cluster.ichor("up", "--only", part)
            self.assertEqual(run.code, 0, f"{part}: {run.explain()}")
            self.cluster.note(f"up --only {part}", run.seconds)
            if part == "core":
                self.assert_looked_up(run)
        self.assertEqual(self.kubectl("get", "configmap", "from-git", "-o",
                                      "jsonpath={.data.hello}"), "world")
        for name in ("cilium", "csi-node"):
            self.assertEqual(self.kubectl("-n", "kube-system", "get", "daemonset", name, "-o",
                                          "jsonpath={.status.numberReady}"), "4")
        requests = self.kubectl("get", "csr", "-o", "jsonpath={range .items[*]}{.spec.signerName}"
                                "={.status.conditions[0].type}{'\\n'}{end}").split()
        serving = [line for line in requests if line.startswith("kubernetes.io/kubelet-serving=")]
        self.assertGreaterEqual(len(serving), 4, requests)
        self.assertEqual({line.partition("=")[2] for line in serving}, {"Approved"})
        # The kubelets serve with what was approved, so the API server believes them.
        self.kubectl("-n", "kube-system", "logs", "--tail", "1", "daemonset/cilium")
        for part in PARTS:
            again = self.cluster.ichor("up", "--only", part)
            self.assertEqual(again.code, 0, f"{part} again: {again.explain()}")
            self.assertEqual(again.summary["mutations"], 0, again.explain())
        rest = self.cluster.ichor("up", "--from", "secrets")
        self.assertEqual(rest.code, 0, rest.explain())
        self.assertEqual(rest.summary["mutations"], 0, rest.explain())
        self.assertEqual([event["phase"] for event in rest.events if event["type"] == "phase"],
                         list(PARTS[1:]), rest.explain())

    def assert_looked_up(self, run):
        """CoreDNS was asked, in its pod, and gave the address of the API's Service."""
        said = [str(event) for event in run.events if event["type"] == "finding"]
        wanted = f"kubernetes.default.svc.cluster.local resolves to {SERVICE}, asked in coredns-"
        self.assertTrue(any(wanted in line for line in said), run.explain())

    def health_waits_for_a_source_that_fails(self):
        self.gitops.stop_git()
        self.look_for_the_source()
        failed = self.cluster.ichor("health", "--wait-timeout", "30s")
        self.assertEqual(failed.code, 4, failed.explain())
        self.assertIn("GitRepository", str(failed.events[-5:]), failed.explain())
        waiting = self.cluster.start_ichor("health", "--wait-timeout", "300s")
        self.gitops.start_git()
        self.look_for_the_source()
        output, errors = waiting.communicate(timeout=400)
        self.assertEqual(waiting.returncode, 0, output[-3000:] + errors[-2000:])

    def look_for_the_source(self):
        """Flux looks now, and has seen whether there is a git server."""
        source = ("-n", "flux-system", "annotate", "--overwrite", "gitrepository/flux-system",
                  f"reconcile.fluxcd.io/requestedAt={time.time()}")
        self.kubectl(*source)
        wanted = "True" if self.gitops.server else "False"
        jsonpath = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'

        def is_seen():
            return self.kubectl("-n", "flux-system", "get", "gitrepository/flux-system", "-o",
                                jsonpath) == wanted

        self.assertTrue(labs.wait_until(is_seen, NOTICED_S), f"the source is not {wanted}")

    def all_gates_hold(self):
        for gate in ("api", "etcd", "talos-services", "nodes", "cilium", "csi", "crds", "flux",
                     "kustomizations"):
            run = self.cluster.ichor("wait", gate, "--timeout", "60s")
            self.assertEqual(run.code, 0, f"{gate}: {run.explain()}")
            self.cluster.note(f"wait {gate}", run.seconds)

    def a_kubelet_that_stopped_is_named(self):
        with self.stopped_kubelet("w1"):
            self.assert_unmet("talos-services", "w1", "kubelet")
            self.assert_unmet("nodes", "w1", "")
        for gate in ("talos-services", "nodes"):
            run = self.cluster.ichor("wait", gate, "--timeout", f"{NOTICED_S}s")
            self.assertEqual(run.code, 0, f"{gate} after the kubelet: {run.explain()}")

    @contextlib.contextmanager
    def stopped_kubelet(self, name):
        """A kubelet that does not answer any more; its process is there, as after a deadlock."""
        pids = [pid for pid in self.cluster.lab.node(name).processes()
                if (pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "kubelet")]
        self.assertTrue(pids, "no kubelet found")
        for pid in pids:
            labs.send(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                labs.send(pid, signal.SIGCONT)

    def an_image_that_one_node_lacks_is_named(self):
        self.kubectl("-n", "kube-system", "set", "image", "daemonset/csi-node",
                     f"agent={ONLY_FOR_CONTROL_PLANES}")
        self.assert_unmet("csi", "w1", "Image")

    def assert_unmet(self, gate, node, reason):
        """Within the time it takes to notice, the gate fails and names node and reason."""
        def is_named():
            run = self.cluster.ichor("wait", gate, "--timeout", "10s")
            lines = [str(event) for event in run.events if event["type"] == "unmet"]
            self.last = run
            return run.code == 4 and any(node in line and reason in line for line in lines)

        self.assertTrue(labs.wait_until(is_named, NOTICED_S), f"{gate}: {self.last.explain()}")

    def kubectl(self, *arguments):
        done = self.cluster.kubectl(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout.strip()


def main(tests):
    subprocess.run([str(clusters.ROOT / "tools/real-tools"), *gitops.TOOLS], check=True,
                   stdout=subprocess.DEVNULL)
    return bring_up.main(tests or ["PhasesOnRealTalos"], __name__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
