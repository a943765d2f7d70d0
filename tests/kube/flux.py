"""Flux: its real controllers as processes, and its operator played.

flux-operator does not run here; docs/testing.md says why. `PlayedOperator` does what the tests need
of it: it answers a FluxInstance by starting the real controllers and making the objects of its
sync. So sources, Kustomizations and HelmReleases become Ready by real reconciliation, and only the
FluxInstance by our word; tests say so in their names.
"""

import subprocess
import threading

import api as apis
import processes
import tools

POLL_S = 0.3
NAMESPACE = "flux-system"
INSTANCES = f"/apis/fluxcd.controlplane.io/v1/namespaces/{NAMESPACE}/fluxinstances"
RELEASES = "/apis/helm.toolkit.fluxcd.io/v2/helmreleases"
SOURCES = f"/apis/source.toolkit.fluxcd.io/v1/namespaces/{NAMESPACE}/gitrepositories"
KUSTOMIZATIONS = f"/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/{NAMESPACE}/kustomizations"
CONTROLLERS = ("source-controller", "kustomize-controller", "helm-controller")
SYNC_INTERVAL = "1m"


class Flux:
    """The controllers of one bed."""

    def __init__(self, folder, running, plane):
        self.folder, self.running, self.plane = folder, running, plane

    def install_crds(self):
        manifests = tools.files("flux-manifests") / "config/data/flux/v2.9.5"
        for name in CONTROLLERS:
            # Only the CRD is ours to use: the controllers run as processes.
            text = (manifests / f"{name}.yaml").read_text()
            crds = [part for part in text.split("\n---\n")
                    if "kind: CustomResourceDefinition" in part]
            done = subprocess.run(
                [str(tools.program("kubectl")), "--kubeconfig", str(self.plane.kubeconfig), "apply",
                 "--server-side", "--field-manager", "flux-operator", "-f", "-"],
                input="\n---\n".join(crds), capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise processes.BedError(f"CRDs of {name}: {done.stderr}")

    def start(self):
        """All controllers. Artifacts go from the first to the others over the loopback."""
        storage = processes.free_port()
        artifacts = self.folder / "artifacts"
        artifacts.mkdir(exist_ok=True)
        self.start_controller("source-controller", "--storage-path", artifacts,
                              "--storage-addr", f"127.0.0.1:{storage}",
                              "--storage-adv-addr", f"127.0.0.1:{storage}")
        self.start_controller("kustomize-controller")
        self.start_controller("helm-controller")

    def start_controller(self, name, *arguments):
        health = processes.free_port()
        self.running.start(
            name,
            [tools.program(name), "--enable-leader-election=false", "--watch-all-namespaces",
             "--metrics-addr", "127.0.0.1:0", "--health-addr", f"127.0.0.1:{health}",
             "--log-level", "info", *arguments],
            lambda: processes.connects(health),
            {"KUBECONFIG": str(self.plane.kubeconfig), "RUNTIME_NAMESPACE": NAMESPACE})

    def reconcile(self, path):
        """Asks a controller to look now, as the flux CLI does."""
        now = str(threading.get_ident()) + str(id(object()))
        self.plane.api.merge(path, {"metadata": {"annotations": {
            "reconcile.fluxcd.io/requestedAt": now}}})


class PlayedOperator(threading.Thread):
    """What flux-operator would do."""

    def __init__(self, flux):
        super().__init__(daemon=True)
        self.flux, self.api = flux, flux.plane.api
        self.over = threading.Event()
        self.installed = set()
        self.error = None

    def run(self):
        while not self.over.wait(POLL_S):
            try:
                self.look()
            except (OSError, apis.ApiError, ValueError):
                continue  # kinds that are not there yet, or an API server that is away
            except processes.BedError as error:
                self.error = error
                return

    def look(self):
        for instance in self.api.items(INSTANCES):
            name = instance["metadata"]["name"]
            if name not in self.installed:
                self.install(instance)
                self.installed.add(name)
            self.report(f"{INSTANCES}/{name}", instance)

    def install(self, instance):
        """The controllers, then a source and a Kustomization of the same name as the namespace."""
        self.flux.install_crds()
        self.flux.start()
        sync = instance["spec"].get("sync") or {}
        meta = {"name": NAMESPACE, "namespace": NAMESPACE}
        branch = sync["ref"].removeprefix("refs/heads/")
        self.api.apply(f"{SOURCES}/{NAMESPACE}", {
            "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository", "metadata": meta,
            "spec": {"interval": SYNC_INTERVAL, "url": sync["url"], "ref": {"branch": branch}}})
        self.api.apply(f"{KUSTOMIZATIONS}/{NAMESPACE}", {
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": meta,
            "spec": {"interval": SYNC_INTERVAL, "path": sync["path"], "prune": True,
                     "sourceRef": {"kind": "GitRepository", "name": NAMESPACE}}})

    def report(self, path, instance):
        """Writes the Ready condition, unless it is already so."""
        generation = instance["metadata"]["generation"]
        found = apis.condition(instance, "Ready")
        if found.get("status") == "True" and found.get("observedGeneration") == generation:
            return
        self.api.merge(path + "/status", {"status": {
            "observedGeneration": generation,
            "conditions": [{"type": "Ready", "status": "True", "observedGeneration": generation,
                            "reason": "ReconciliationSucceeded",
                            "message": "Reconciliation finished",
                            "lastTransitionTime": "2026-01-01T00:00:00Z"}]}})

    def stop(self):
        self.over.set()
        self.join()
