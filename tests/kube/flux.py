"""Flux: its real operator and its real controllers, as processes.

kwok says of a pod that it runs, and nothing does. `Flux` is what a kubelet would be: when a
Deployment of Flux has a ready pod it starts the program. So the operator runs once phase 2 has
installed it, and the controllers once the operator has answered the FluxInstance. From there on
everything becomes Ready by real reconciliation.
"""

import sys
import threading

import api as apis
import processes
import tools

POLL_S = 0.3
NAMESPACE = "flux-system"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
INSTANCES = f"/apis/fluxcd.controlplane.io/v1/namespaces/{NAMESPACE}/fluxinstances"
RELEASES = "/apis/helm.toolkit.fluxcd.io/v2/helmreleases"
SOURCES = f"/apis/source.toolkit.fluxcd.io/v1/namespaces/{NAMESPACE}/gitrepositories"
KUSTOMIZATIONS = f"/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/{NAMESPACE}/kustomizations"


class Flux(threading.Thread):
    """The programs of one bed."""

    def __init__(self, folder, running, plane):
        super().__init__(daemon=True)
        self.folder, self.running, self.plane = folder, running, plane
        self.over = threading.Event()
        self.starts = {"flux-operator": self.start_operator,
                       "source-controller": self.start_source_controller,
                       "kustomize-controller": lambda: self.start_controller(
                           "kustomize-controller"),
                       "helm-controller": lambda: self.start_controller("helm-controller")}

    def run(self):
        # All of them are this thread's children and end with it, so it stays when one fails.
        while not self.over.wait(POLL_S):
            try:
                self.look()
            except (OSError, apis.ApiError, ValueError):
                continue  # an API server that is away
            except processes.BedError as error:
                print(error, file=sys.stderr, flush=True)

    def look(self):
        for deployment in self.plane.api.items(DEPLOYMENTS):
            name = deployment["metadata"]["name"]
            if name in self.starts and deployment.get("status", {}).get("readyReplicas"):
                self.starts.pop(name)()

    def start_operator(self):
        manifests = tools.files("flux-manifests") / "config/data"
        # It refuses to run with cryptography that is not FIPS 140's.
        self.start_program("flux-operator", "--storage-path", manifests, "--web-server-port", "0",
                           GODEBUG="fips140=on", NOTIFICATIONS_DISABLED="true")

    def start_source_controller(self):
        """Artifacts go from it to the others over the loopback."""
        storage = f"127.0.0.1:{processes.free_port()}"
        artifacts = self.folder / "artifacts"
        artifacts.mkdir(exist_ok=True)
        self.start_controller("source-controller", "--storage-path", artifacts,
                              "--storage-addr", storage, "--storage-adv-addr", storage)

    def start_controller(self, name, *arguments):
        self.start_program(name, "--watch-all-namespaces", *arguments)

    def start_program(self, name, *arguments, **environment):
        health = processes.free_port()
        self.running.start(
            name,
            [tools.program(name), "--enable-leader-election=false", "--metrics-addr", "127.0.0.1:0",
             "--health-addr", f"127.0.0.1:{health}", "--log-level", "info", *arguments],
            lambda: processes.connects(health),
            {"KUBECONFIG": str(self.plane.kubeconfig), "RUNTIME_NAMESPACE": NAMESPACE,
             **environment})

    def reconcile(self, path):
        """Asks a controller to look now, as the flux CLI does."""
        now = str(threading.get_ident()) + str(id(object()))
        self.plane.api.merge(path, {"metadata": {"annotations": {
            "reconcile.fluxcd.io/requestedAt": now}}})

    def stop(self):
        if self.is_alive():
            self.over.set()
            self.join()
