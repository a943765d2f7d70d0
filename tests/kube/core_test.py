"""Phases 1 and 2, with nodes, certificates and an API server that make trouble."""

import base64
import json
import time

import api as apis
import fake_nodes
import support
import tools

REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
SIGNER = "kubernetes.io/kubelet-serving"


class ACrd(support.KubeTest):
    def test_that_cannot_be_had_or_established_is_named(self):
        bed = self.bed_with_tree("crds")
        self.phases(bed, 0)
        bed.tree.replace("ichor.yaml", "version: 0.1.0", "version: 9.9.9")
        run = bed.ichor("phase", 1, "--timeout", "60s")
        self.assert_named(run, support.UNMET, "", "9.9.9", "observability-crds")
        bed.tree.replace("ichor.yaml", "version: 9.9.9", "version: 0.1.0")
        # A CRD that claims the names of one of ours: ours is never established.
        bed.kubectl("apply", "-f", "-", text=SQUATTER)
        crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        squatter = f"{crds}/monitors.monitoring.example.org"
        self.eventually(lambda: apis.is_true(bed.api.get(squatter), "Established"), "established")
        run = bed.ichor("phase", 1, "--timeout", "20s")
        self.assert_named(run, support.UNMET, "K3",
                          "servicemonitors.monitoring.example.org", "ServiceMonitor")
        run = bed.ichor("wait", "crds", "--timeout", "2s")
        self.assert_named(run, support.UNMET, "K3",
                          "servicemonitors.monitoring.example.org", "ServiceMonitor")
        bed.api.delete(squatter)
        self.assert_done(bed.ichor("phase", 1))
        self.assert_done(bed.ichor("wait", "crds", "--timeout", "10s"))

    def test_that_is_missing_is_named_by_wait(self):
        bed = self.make_bed("crdless")
        bed.start()
        run = bed.ichor("wait", "object", "servicemonitors.monitoring.example.org/echo",
                        "--timeout", "2s")
        self.assertIn(run.code, (1, 4), run.explain())
        self.assertIn("servicemonitors", run.output + run.errors)


class ANodeWithoutCilium(support.KubeTest):
    def test_is_named_and_flux_does_not_come_before_it_has_it(self):
        trouble = fake_nodes.Trouble("k8s-app=cilium", node="w3", reason="ImagePullBackOff",
                                     message="Back-off pulling image")
        bed = self.bed_with_tree("no-cilium", [trouble])
        self.phases(bed, 0, 1)
        run = bed.ichor("phase", 2, "--timeout", "45s")
        self.assert_named(run, support.OUT_OF_TIME, "K1", "w3", "ImagePullBackOff")
        self.assertIsNone(bed.api.find(
            "/apis/apps/v1/namespaces/flux-system/deployments/flux-operator"))
        run = bed.ichor("wait", "cilium", "--timeout", "3s")
        self.assert_named(run, support.OUT_OF_TIME, "K1", "w3", "")
        run = bed.ichor("wait", "nodes", "--timeout", "3s")
        self.assert_named(run, support.OUT_OF_TIME, "K", "Node/w3", "")
        self.assertFalse(run.of("unmet", object="Node/w1"), run.explain())
        bed.nodes.start()
        self.assert_done(bed.ichor("phase", 2))
        self.assert_done(bed.ichor("wait", "cilium", "--timeout", "10s"))


class CiliumStatusOfAPlayedProgram(support.KubeTest):
    """There is no module of the cilium CLI, so a script plays it; it asks the real API."""

    def test_has_its_say_after_the_agents_are_ready(self):
        bed = self.bed_with_tree("cilium")
        program, notes, verdict = (bed.folder / name for name in ("cilium", "notes", "verdict"))
        program.write_text(CILIUM.format(kubectl=tools.program("kubectl"), notes=notes,
                                         verdict=verdict))
        program.chmod(0o700)
        bed.tree.replace("ichor.yaml", "  tools:\n", f"  tools:\n    cilium: {program}\n")
        self.phases(bed, 0, 1)
        verdict.write_text("1")
        run = bed.ichor("phase", 2, "--timeout", "120s")
        self.assert_named(run, support.OUT_OF_TIME, "K1", "cilium status", "1 errors")
        words, variables = notes.read_text().splitlines()[-2:]
        self.assertRegex(words, r"^status --namespace kube-system --wait --wait-duration \d+s$")
        self.assertEqual(variables, "HOME KUBECONFIG PATH")
        verdict.write_text("0")
        self.assert_done(bed.ichor("phase", 2))


class ADnsServerThatIsAway(support.KubeTest):
    def test_is_named_and_the_lookup_is_reported_when_it_is_back(self):
        bed = self.bed_with_tree("dns")
        self.phases(bed, 0, 1)
        bed.dns.stop()
        run = bed.ichor("phase", 2, "--timeout", "60s")
        self.assert_named(run, support.OUT_OF_TIME, "K6", "Pod/kube-system/coredns-",
                          "does not resolve kubernetes.default.svc.cluster.local")
        bed.dns.start()
        run = bed.ichor("phase", 2)
        self.assert_done(run)
        address = bed.kubectl("get", "service", "kubernetes", "-o", "jsonpath={.spec.clusterIP}")
        self.assertTrue(any(f"resolves to {address}, asked in coredns-" in json.dumps(one)
                            for one in run.of("finding")), run.explain())


class AnApiServerThatRestarts(support.KubeTest):
    """A kube-apiserver that is stopped between accepting a CRD's names and establishing it sets
    Established only when its informers look at everything again, 5 minutes after its start.
    """

    PATIENCE_S = 900  # more than those 5 minutes, whatever the machine does besides

    def test_in_the_middle_of_a_phase_is_waited_for(self):
        bed = self.bed_with_tree("restart")
        self.phases(bed, 0)
        process = bed.start_ichor("phase", 1, "--timeout", f"{self.PATIENCE_S}s")
        time.sleep(1.0)  # only chooses where the restart strikes
        bed.plane.stop_apiserver()
        time.sleep(3)
        bed.plane.start_apiserver()
        output, errors = process.communicate(timeout=self.PATIENCE_S * 2)  # ichor ends by itself
        self.assertEqual(process.returncode, 0, output[-3000:] + errors[-2000:])
        self.assert_done(bed.ichor("phase", 1), mutations=0)

    def test_and_does_not_come_back_is_named(self):
        bed = self.make_bed("away")
        bed.start()
        self.assert_done(bed.ichor("wait", "api", "--timeout", "10s"))
        bed.plane.stop_apiserver()
        run = bed.ichor("wait", "api", "--timeout", "3s")
        self.assert_named(run, support.OUT_OF_TIME, "K3", "Kubernetes API", "")


class KubeletServingRequests(support.KubeTest):
    def request(self, bed, name, node, names, sender=None):
        """A request as a node's kubelet sends it, or one in its name that another user sends."""
        authority, user = bed.plane.authority, sender or f"node-{node}"
        subject = f"/O=system:nodes/CN=system:node:{node}"
        if not authority.certificate(user).exists():
            authority.sign(user, subject)
        text = authority.request(f"serving-{name}", subject, names)
        apis.Api(bed.plane.port, authority, user).create(REQUESTS, {
            "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
            "metadata": {"name": name},
            "spec": {"signerName": SIGNER, "request": base64.b64encode(text.encode()).decode(),
                     "usages": ["digital signature", "server auth"]}})

    def test_are_approved_only_for_nodes_and_names_of_the_profile(self):
        bed = self.bed_with_tree("csr")
        self.phases(bed, 0, 1)
        self.request(bed, "good", "w1", ["DNS:w1", "IP:192.168.22.111"])
        self.request(bed, "unknown-node", "mallory", ["DNS:mallory", "IP:192.168.22.66"])
        self.request(bed, "foreign-address", "w2", ["DNS:w2", "IP:192.168.22.112", "IP:10.0.0.1"])
        self.request(bed, "foreign-name", "w3", ["DNS:api.example.org", "IP:192.168.22.113"])
        self.request(bed, "foreign-sender", "w1", ["DNS:w1", "IP:192.168.22.111"], "admin")
        run = bed.ichor("phase", 2, "--timeout", "120s")

        def approved(name):
            return apis.is_true(bed.api.get(f"{REQUESTS}/{name}"), "Approved")

        self.assertTrue(approved("good"), run.explain())
        self.eventually(lambda: bed.api.get(f"{REQUESTS}/good")["status"].get("certificate"),
                        "it is signed")
        for name in ("unknown-node", "foreign-address", "foreign-name", "foreign-sender"):
            self.assertFalse(approved(name), f"{name}: {run.explain()}")
            self.assertIn(name, run.output, run.explain())
        self.assertIn("K2", run.output, run.explain())


# Says so if the API has no DaemonSet cilium, and else what the test wants.
CILIUM = """\
#!/bin/sh
echo "$@" >>{notes}
env | sed 's/=.*//' | grep -v -e '^PWD$' -e '^_$' -e '^SHLVL$' | sort | paste -s -d ' ' >>{notes}
{kubectl} -n kube-system get daemonset cilium >/dev/null || exit 2
test "$(cat {verdict})" = 0 || echo "Cilium: 1 errors" >&2
exit "$(cat {verdict})"
"""

SQUATTER = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: monitors.monitoring.example.org}
spec:
  group: monitoring.example.org
  scope: Namespaced
  names: {kind: ServiceMonitor, plural: monitors, singular: monitor}
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
"""
