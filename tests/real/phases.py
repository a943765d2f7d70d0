#!/usr/bin/env python3
"""The Kubernetes phases on real Talos nodes: three control planes, a worker, real kubelets.

Usage: phases.py [TEST...]; ICHOR names the binary, default build/ichor. The releases are small
charts whose only image is in the lab's registry. Exit 77 and the reason where real nodes cannot
run.
"""

import contextlib
import pathlib
import shutil
import signal
import subprocess
import sys

sys.dont_write_bytecode = True

import bring_up  # noqa: E402
import cluster as clusters  # noqa: E402
import lab as labs  # noqa: E402
import pieces  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
CHARTS = HERE.parent / "kube/charts"
ONLY_FOR_CONTROL_PLANES = "registry.example.org/pause:3.10"
PARTS = ("talos", "secrets", "crds", "core")  # there are no images of Flux for a validation
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
        chart: charts/coredns
        values: [dns.yaml]
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
        """Its profile goes on to the phases, and its tree has what they install."""
        cluster = clusters.Cluster("phases", 3, 1)
        shutil.copytree(HERE / "patches", cluster.home / "patches")
        shutil.copytree(HERE / "phase-patches", cluster.home / "patches", dirs_exist_ok=True)
        shutil.copytree(CHARTS, cluster.home / "charts")
        shutil.copytree(CHARTS / "observability-crds/crds", cluster.home / "crds")
        (cluster.home / "dns.yaml").write_text("image: registry.k8s.io/pause:3.10\n")
        cluster.profile.write_text(
            cluster.profile_text().replace(str(HERE / "patches"), "patches")
            + PHASES.format(helm=pieces.program("helm-3.22.0")))
        return cluster

    def test_from_machines_to_a_verified_core_and_with_one_node_in_trouble(self):
        self.cluster.boot()
        self.the_phases_pass_and_then_change_nothing()
        self.all_gates_hold()
        self.a_kubelet_that_stopped_is_named()
        self.an_image_that_one_node_lacks_is_named()

    def the_phases_pass_and_then_change_nothing(self):
        for part in PARTS:
            run = self.cluster.ichor("up", "--only", part)
            self.assertEqual(run.code, 0, f"{part}: {run.explain()}")
            self.cluster.note(f"up --only {part}", run.seconds)
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

    def all_gates_hold(self):
        for gate in ("api", "etcd", "talos-services", "nodes", "cilium", "csi", "crds"):
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
    subprocess.run([str(clusters.ROOT / "tools/real-tools"), "helm-3.22.0"], check=True,
                   stdout=subprocess.DEVNULL)
    return bring_up.main(tests or ["PhasesOnRealTalos"], __name__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
