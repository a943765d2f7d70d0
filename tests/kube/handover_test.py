"""The whole of phases 0 to 3: from nothing to the handover, and again with nothing to do."""

import base64
import json
import os
import random
import subprocess
import sys
import time

import api as apis
import fake_nodes
import flux as fluxes
import stand_in
import support
import tools
import tree as trees


SETTLES = f"{support.SETTLES_S}s"


def decoded(secret, key):
    return base64.b64decode(secret["data"][key]).decode()


class HandoverTest(support.KubeTest):
    """What must hold after the handover, by whichever way."""

    def assert_all_is_there(self, bed):
        names = {one["metadata"]["name"] for one in bed.api.items("/api/v1/namespaces")}
        folders = {path.name for path in (bed.tree.folder / "kubernetes/apps").iterdir()}
        self.assertLessEqual(folders, names)
        self.assertEqual(
            decoded(self.secret(bed, "flux-system", "cluster-secrets"), "SECRET_DOMAIN"),
            trees.SECRET_VALUE)
        self.assertEqual(decoded(self.secret(bed, "flux-system", "deploy-key"), "identity"),
                         trees.SECRET_VALUE)
        self.assertEqual(
            decoded(self.secret(bed, "external-secrets", "onepassword-secret"), "token"),
            trees.CONNECT_VALUE)
        self.assertIn("AGE-SECRET-KEY-",
                      decoded(self.secret(bed, "flux-system", "sops-age"), "age.agekey"))
        pair = self.secret(bed, "kube-system", "sealed-secrets-key")
        self.assertEqual(pair["type"], "kubernetes.io/tls")
        for crd in bed.api.items("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"):
            self.assertTrue(apis.is_true(crd, "Established"), crd["metadata"]["name"])
        # Flux decrypted it with the key that phase 0 gave it.
        self.assertEqual(decoded(self.secret(bed, "default", "echo"), "password"),
                         trees.SECRET_VALUE)
        for path in support.GITOPS:
            self.assertTrue(bed.api.items(path), path)
            self.assertTrue(support.resting(bed, path), path)

    def assert_flux_took_the_releases_over(self, bed):
        """helm-controller made a second revision of each, and what they run was not touched."""
        for release in bed.api.items(fluxes.RELEASES):
            newest = release["status"]["history"][0]
            self.assertEqual((newest["status"], newest["version"]), ("deployed", 2), newest)
        for kind in ("deployments", "daemonsets"):
            for thing in bed.api.items(f"/apis/apps/v1/{kind}"):
                meta = thing["metadata"]
                # cert-manager labels its pods with the version of its chart, and helm-controller
                # appends the chart's digest to that.
                changed = 1 if meta["namespace"] == "cert-manager" else 0
                self.assertEqual(meta["generation"], 1 + changed, meta["name"])

    def assert_a_second_run_changes_nothing(self, bed):
        before = support.versions(bed, *support.STATIC)
        for number in range(4):
            began = time.monotonic()
            run = bed.ichor("phase", number)
            print(f"    phase {number} again: {time.monotonic() - began:.1f} s", flush=True)
            self.assert_done(run, mutations=0)
        self.assertEqual(support.versions(bed, *support.STATIC), before)
        pending = bed.ichor("phase", 0, "--dry-run", "--detailed-exitcode")
        self.assertEqual(pending.code, 0, pending.explain())

    def assert_up_goes_on_from(self, bed, first, *rest):
        """`up --from` runs these phases and no other, with the kubeconfig of the state folder."""
        trees.private(bed.folder / "state/kubeconfig", bed.plane.kubeconfig.read_text())
        run = bed.ichor("up", "--from", first)
        self.assert_done(run, mutations=0)
        self.assertEqual([row["phase"] for row in run.of("phase")], [first, *rest])
        self.assertIn("handover", run.summary["verdict"])

    def assert_talos_is_not_asked_without_secrets(self, bed):
        bed.tree.replace("ichor.yaml", "talos_services: {enabled: false}",
                         "talos_services: {enabled: true}")
        for words in (("phase", 2), ("up", "--only", "core")):
            run = bed.ichor(*words)
            self.assert_done(run, mutations=0)
            self.assertTrue([one for one in run.of("finding") if "talos-services" in str(one)
                             and "skipped: there are no secrets" in str(one)], run.explain())

    def assert_kubectl_and_status_agree(self, bed):
        """`ichor status` says of nodes and layers what kubectl lists."""
        status = bed.ichor("status")
        self.assertEqual(status.code, 0, status.explain())
        seen = {row["node"]: (row["ready"], row["kubelet"])
                for row in status.of("kubernetes-node")}
        listed = json.loads(bed.kubectl("get", "nodes", "-o", "json"))["items"]
        self.assertEqual(seen, {node["metadata"]["name"]: (
            apis.is_true(node, "Ready"), node["status"]["nodeInfo"]["kubeletVersion"])
            for node in listed}, status.explain())
        layers = {row["layer"]: row["state"] for row in status.of("layer")}
        self.assertEqual(layers, {name: "ok" for name in layers}, status.explain())
        self.assertLessEqual({"kubernetes", "crds", "cni", "storage", "flux"}, set(layers))
        ready = bed.kubectl("get", "kustomizations,helmreleases,gitrepositories", "-A", "-o",
                            'jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")]'
                            '.status}{"\\n"}{end}').split()
        self.assertEqual(set(ready), {"True"})
        self.assert_status_sees_a_source_that_fails(bed)

    def assert_flux_and_status_agree(self, bed):
        """The flux CLI counts the same objects, and says of each what `ichor status` does."""
        status = bed.ichor("status")
        detail, = (row["detail"] for row in status.of("layer", layer="flux"))
        for kind, words in (("kustomizations", "Kustomizations"), ("helmreleases", "HelmReleases")):
            states = [ready for _, ready in bed.flux_get(kind)]
            self.assertTrue(states, kind)
            self.assertIn(f"{states.count('True')} of {len(states)} {words} Ready", detail)
        listed = {one["metadata"]["name"]: apis.condition(one, "Ready")["status"]
                  for one in bed.api.items(fluxes.KUSTOMIZATIONS)}
        self.assertEqual(dict(bed.flux_get("kustomizations", namespace=fluxes.NAMESPACE)), listed)

    def assert_status_sees_a_source_that_fails(self, bed):
        source = f"{fluxes.SOURCES}/{fluxes.NAMESPACE}"
        bed.running.stop("git")
        bed.flux.reconcile(source)
        self.eventually(lambda: not apis.is_true(bed.api.get(source), "Ready"), "it fails")
        status = bed.ichor("status")
        self.assertEqual([row["state"] for row in status.of("layer", layer="flux")], ["waiting"],
                         status.explain())
        self.assertIn("GitRepository", status.output)


class Handover(HandoverTest):
    """The core stack by helmfile."""

    helmfile = True
    NEEDS = (*tools.BED, "helmfile", "flux")

    def test_comes_after_four_phases_and_a_second_run_changes_nothing(self):
        bed = self.bed_with_tree("handover")
        runs = []
        for number, name in enumerate(("secrets", "crds", "core", "validation")):
            began = time.monotonic()
            run = bed.ichor("phase", number)
            print(f"    phase {number} ({name}): {time.monotonic() - began:.1f} s", flush=True)
            self.assert_done(run)
            done = run.of("phase", number=number)
            self.assertEqual([one["result"] for one in done], ["done"], run.explain())
            self.assertTrue(done[0]["within_slo"], done)
            runs.append(run)
        self.assertGreater(runs[0].summary["mutations"], 0)
        self.assertEqual(runs[3].summary["mutations"], 0, "validation only reads")
        self.assert_secret_free(bed, *runs)
        self.assert_all_is_there(bed)
        self.assert_a_second_run_changes_nothing(bed)
        self.assert_flux_took_the_releases_over(bed)
        self.assert_flux_and_status_agree(bed)
        self.assert_kubectl_and_status_agree(bed)
        self.assertIn(("flux-system", "False"), bed.flux_get("sources", "git"))


class HandoverByReleases(HandoverTest):
    """The core stack by ichor's own list, with chart, version and values out of the GitOps tree."""

    HELM = "helm-3.22.0"

    def test_comes_after_four_phases_and_the_releases_are_not_touched_again(self):
        bed = self.bed_with_tree(self.HELM, helm=self.HELM)
        runs = self.phases(bed, 0, 1, 2, 3)
        self.assertGreater(runs[2].summary["mutations"], 0)
        self.assertEqual(
            set(bed.kubectl("get", "secrets", "-A", "-l", "owner=helm", "-o",
                            "jsonpath={.items[*].metadata.labels.name}").split()),
            {"cert-manager", "cilium", "coredns", "flux-instance", "flux-operator"})
        before = support.versions(bed, *support.STATIC)
        again = bed.ichor("phase", 2)
        self.assert_done(again, mutations=0)
        self.assertEqual(support.versions(bed, *support.STATIC), before)
        self.assert_all_is_there(bed)
        self.assert_a_second_run_changes_nothing(bed)
        self.assert_flux_took_the_releases_over(bed)
        self.assert_up_goes_on_from(bed, "crds", "core", "validation")
        self.assert_talos_is_not_asked_without_secrets(bed)
        self.assert_kubectl_and_status_agree(bed)
        self.assert_secret_free(bed, *runs)


class HandoverByReleasesAndHelm4(HandoverByReleases):
    NEEDS = (*tools.BED, "helm-4.3.1")
    HELM = "helm-4.3.1"


class UpAgain(HandoverTest):
    """`up` as a user runs it: the Talos part on lab nodes of the same names, then all phases on the
    real control plane, which stands in for the lab's.
    """

    def setUp(self):
        self.bed = self.bed_with_tree("up-again")
        self.lab = self.bed.folder / "lab"
        profile = self.bed.tree.folder / "ichor.yaml"
        # The lab's nodes have all services; what Kubernetes makes of the nodes is the bed's part.
        self.bed.running.start(
            "lab", [tools.ICHOR, "lab", "start", "-p", profile, "--state", self.lab,
                    "--time-scale", "20"], self.lab_answers)
        # Exit 6: the profile has no CNI of Talos, and only the Talos part was asked for.
        run = self.up("--only", "talos")
        self.assertIn(run.code, (0, 6), run.explain())
        real = stand_in.StandIn(self.bed.folder / "stand-in", self.lab, self.bed.folder / "state",
                                profile, self.bed.plane)
        self.addCleanup(real.close)

    def lab_answers(self):
        return subprocess.run([tools.ICHOR, "lab", "status", "--state", self.lab], check=False,
                              capture_output=True).returncode == 0

    def up(self, *arguments):
        return self.bed.ichor("up", "--lab-state", self.lab, *arguments,
                              kubeconfig=self.bed.folder / "exported")

    def assert_all_phases_again(self, run):
        self.assert_done(run, mutations=0)
        self.assertEqual([row["phase"] for row in run.of("phase")],
                         ["secrets", "crds", "core", "validation"], run.explain())
        self.assertFalse(run.of("finding", id="O1"), run.explain())

    def test_changes_nothing_whatever_ran_before(self):
        first = self.up()
        self.assert_done(first)
        self.assertGreater(first.summary["mutations"], 0)
        self.assert_all_is_there(self.bed)
        before = support.versions(self.bed, *support.STATIC)
        self.assert_all_phases_again(self.up())
        self.assert_done(self.bed.ichor("phase", 2), mutations=0)
        self.assert_all_phases_again(self.up())
        self.assertEqual(support.versions(self.bed, *support.STATIC), before)

    def kill_between_the_halves(self, chance):
        """A run that dies when its first Kubernetes phase starts, or a moment later."""
        run = self.bed.start_ichor("up", "--lab-state", self.lab,
                                   kubeconfig=self.bed.folder / "exported")
        for line in run.stdout:
            event = json.loads(line)
            if event["type"] == "phase-started" and event["phase"] == "secrets":
                break
        time.sleep(chance.uniform(0, 0.3))
        run.kill()
        run.communicate()

    def test_goes_on_after_a_kill_between_its_halves(self):
        seed = int(os.environ.get("KILL_SEED") or random.SystemRandom().randrange(2**32))
        print(f"KILL_SEED={seed}", file=sys.stderr)
        chance = random.Random(seed)
        for _ in range(int(os.environ.get("KILL_COUNT") or 5)):
            self.kill_between_the_halves(chance)
        self.assert_done(self.up())
        self.assert_all_is_there(self.bed)
        self.assert_all_phases_again(self.up())


class GitOpsTrouble(support.KubeTest):
    """After the handover something of GitOps breaks, is named, is repaired, and holds again."""

    def setUp(self):
        self.bed = self.bed_with_tree("gitops")
        self.phases(self.bed, 0, 1, 2, 3)

    def validate(self, *arguments):
        return self.bed.ichor("phase", 3, "--timeout", "10s", *arguments)

    def reconcile(self, name=fluxes.NAMESPACE, kind=fluxes.KUSTOMIZATIONS):
        self.bed.flux.reconcile(f"{kind}/{name}")

    def test_is_named_and_ends_when_it_is_repaired(self):
        self.a_git_server_that_is_away()
        self.a_kustomization_that_fails()
        self.a_key_that_cannot_decrypt()
        self.a_helm_release_that_fails()
        self.an_instance_that_cannot_be_built()
        self.a_csi_plugin_that_crashes()
        self.assert_done(self.bed.ichor("phase", 3, "--timeout", SETTLES), mutations=0)

    def a_git_server_that_is_away(self):
        self.bed.running.stop("git")
        self.reconcile(kind=fluxes.SOURCES)
        source = f"{fluxes.SOURCES}/{fluxes.NAMESPACE}"
        self.eventually(lambda: not apis.is_true(self.bed.api.get(source), "Ready"),
                        "the source notices")
        self.assert_named(self.validate(), support.UNMET, "K4", "GitRepository", "flux-system")
        run = self.bed.ichor("wait", "flux", "--timeout", "5s")
        self.assert_named(run, support.UNMET, "K4", "GitRepository", "flux-system")
        self.bed.start_git()
        self.reconcile(kind=fluxes.SOURCES)
        self.assert_done(self.bed.ichor("wait", "flux", "--timeout", SETTLES))

    def a_kustomization_that_fails(self):
        path = "kubernetes/apps/default/echo/app/deployment.yaml"
        self.bed.tree.replace(path, "replicas: 2", "replicas: many")
        self.publish("a mistake")
        self.eventually(lambda: self.fails("echo"), "echo fails")
        self.assert_named(self.validate(), support.UNMET, "K4", "Kustomization", "echo")
        self.bed.tree.replace(path, "replicas: many", "replicas: 2")
        revision = self.publish("repaired")
        self.eventually(lambda: self.is_ready("echo", revision), "echo is repaired")

    def a_key_that_cannot_decrypt(self):
        secret = self.secret(self.bed, "flux-system", "sops-age")
        path = "/api/v1/namespaces/flux-system/secrets/sops-age"
        other = self.bed.folder / "other.key"
        self.bed.tree.make_age_key(other)
        wrong = base64.b64encode(other.read_bytes()).decode()
        self.bed.api.merge(path, {"data": {"age.agekey": wrong}})
        self.reconcile("echo")
        self.eventually(lambda: self.fails("echo"), "echo cannot be decrypted")
        self.assert_named(self.validate(), support.UNMET, "K4", "echo", "decrypt")
        self.bed.api.merge(path, {"data": secret["data"]})
        self.reconcile("echo")
        self.eventually(lambda: self.is_ready("echo"), "echo is decrypted")

    def a_helm_release_that_fails(self):
        path = "kubernetes/apps/kube-system/coredns/app/helmrelease.yaml"

        def ready():
            release, = (one for one in self.bed.api.items(fluxes.RELEASES)
                        if one["metadata"]["name"] == "coredns")
            return apis.condition(release, "Ready").get("status")

        self.bed.tree.replace(path, "replicas: 2", "replicas: many")
        self.publish("values that the chart cannot use")
        self.eventually(lambda: ready() == "False", "it fails")
        self.assert_named(self.validate(), support.UNMET, "K4", "HelmRelease", "upgrade failed")
        self.bed.tree.replace(path, "replicas: many", "replicas: 2")
        self.publish("values that it can use")
        self.eventually(lambda: ready() == "True", "it works")

    def an_instance_that_cannot_be_built(self):
        path = f"{fluxes.INSTANCES}/flux"

        def ask_for(version):
            self.bed.api.merge(path, {"spec": {"distribution": {"version": version}}})

        def ready():
            return apis.condition(self.bed.api.get(path), "Ready").get("status")

        ask_for("9.x")
        self.eventually(lambda: ready() == "False", "there is no Flux 9")
        self.assert_named(self.validate(), support.UNMET, "K4", "FluxInstance", "9.x")
        ask_for("2.9.x")
        self.eventually(lambda: ready() == "True", "the operator is content again")

    def a_csi_plugin_that_crashes(self):
        self.bed.nodes.start([fake_nodes.Trouble(
            "app.kubernetes.io/component=node", node="w2", reason="CrashLoopBackOff",
            message="back-off 5m0s restarting failed container=plugin")])
        self.bed.kubectl("-n", "csi-proxmox", "delete", "pod", "-l",
                         "app.kubernetes.io/component=node", "--wait=false")
        path = "/apis/apps/v1/namespaces/csi-proxmox/daemonsets/proxmox-csi-plugin-node"
        self.eventually(lambda: self.bed.api.get(path)["status"].get("numberReady") == 5,
                        "one plugin of six crashes")
        self.assert_named(self.validate(), support.UNMET, "K6", "w2", "CrashLoopBackOff")
        self.assert_named(self.bed.ichor("wait", "csi", "--timeout", "3s"), support.UNMET,
                          "K6", "w2", "CrashLoopBackOff")
        self.bed.nodes.start()
        self.assert_done(self.bed.ichor("wait", "csi", "--timeout", SETTLES))

    def publish(self, message):
        """Pushes the tree; Kustomizations follow their source by themselves."""
        revision = self.bed.tree.push(message)
        self.reconcile(kind=fluxes.SOURCES)
        return revision

    def kustomization(self, name):
        return self.bed.api.get(f"{fluxes.KUSTOMIZATIONS}/{name}")

    def is_ready(self, name, revision=""):
        found = self.kustomization(name)
        applied = found["status"].get("lastAppliedRevision", "")
        return apis.is_true(found, "Ready") and applied.endswith(revision)

    def fails(self, name):
        """Not only for the moment in which it looks."""
        return apis.condition(self.kustomization(name), "Ready").get("status") == "False"
