"""The whole bed: a real control plane, played nodes, charts, git, Flux and 1Password Connect.

    with bed.Bed("name") as it:
        it.start()
        it.ichor("phase", "0")

Everything listens on 127.0.0.1, lives in one temporary folder and ends with the process that made
it.
"""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import charts
import control_plane
import dns as resolvers
import fake_nodes
import flux as fluxes
import processes
import schemas
import tools
import tree as trees

HERE = pathlib.Path(__file__).resolve().parent
KEPT = tools.ROOT / "build/kube"  # logs of beds whose test failed
RUN_LIMIT_S = 600
NODES = {"cp1": "192.168.22.101", "cp2": "192.168.22.102", "cp3": "192.168.22.103",
         "w1": "192.168.22.111", "w2": "192.168.22.112", "w3": "192.168.22.113"}


CRD_CHARTS = """\
    charts:
      - {{chart: {charts}/observability-crds, version: 0.1.0, plain_http: true}}
      - {{chart: {charts}/flux-operator, version: 0.59.0, plain_http: true}}
      - chart: {charts}/cert-manager
        version: v1.21.2
        plain_http: true
        values: [bootstrap/crds.yaml]
"""
RELEASES = """\
    releases:
      - {name: cilium, namespace: kube-system, from: kubernetes/apps/kube-system/cilium/app}
      - {name: coredns, namespace: kube-system, from: kubernetes/apps/kube-system/coredns/app}
      - name: cert-manager
        namespace: cert-manager
        from: kubernetes/apps/cert-manager/cert-manager/app
        needs: [coredns]
      - name: flux-operator
        namespace: flux-system
        from: kubernetes/apps/flux-system/flux-operator/app
        needs: [cert-manager]
      - name: flux-instance
        namespace: flux-system
        from: kubernetes/apps/flux-system/flux-instance/app
        needs: [flux-operator]
"""


@dataclasses.dataclass
class Run:
    """One run of ichor that prints JSON."""

    code: int
    events: list
    output: str
    errors: str
    seconds: float

    def of(self, kind, **fields):
        """The events of a type whose fields are these."""
        return [event for event in self.events if event.get("type") == kind
                and all(event.get(name) == value for name, value in fields.items())]

    @property
    def summary(self):
        last = self.events[-1] if self.events else {}
        return last if last.get("type") == "summary" else {}

    def explain(self):
        return "\n".join([f"exit {self.code} after {self.seconds:.1f} s", self.output[-5000:],
                          self.errors[-3000:]])


class Bed:
    """One bed; nothing of it runs until it is started."""

    def __init__(self, name, helm="helm-3.22.0"):
        self.name, self.helm = name, helm
        self.folder = processes.new_folder(name)
        self.running = processes.Processes(self.folder)
        self.plane = control_plane.ControlPlane(self.folder, self.running)
        self.api = self.plane.api
        self.dns = resolvers.Dns(self.folder, self.running, self.plane)
        self.nodes = fake_nodes.FakeNodes(self.folder, self.running, self.plane,
                                          [self.dns.forwarding()])
        self.flux = fluxes.Flux(self.folder, self.running, self.plane)
        self.repositories = self.folder / "repositories"
        self.git_port = processes.free_port()
        self.registry_port, self.connect_port = processes.free_port(), processes.free_port()
        self.tree = None

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.remove(failed=kind is not None)

    # Parts.

    def start(self, troubles=(), nodes=None):
        """The control plane and its nodes, NotReady until Cilium runs on them."""
        self.plane.start()
        self.nodes.start(troubles)
        for name, address in (NODES if nodes is None else nodes).items():
            control = {"node-role.kubernetes.io/control-plane": ""} if name[:2] == "cp" else {}
            self.nodes.add(name, address, control)
        self.nodes.link_readiness_to_cni()

    def start_repository(self):
        """The GitOps tree, and what its files point to."""
        self.repositories.mkdir()
        self.tree = trees.Tree(self.folder, self.repositories)
        self.tree.add_secrets()
        self.tree.use_registry(self.registry_port)
        self.tree.use_git(f"http://127.0.0.1:{self.git_port}/home.git")
        self.write_profile()
        charts.fill(self.folder / "images", self.folder / "packed")
        self.tree.push("the cluster")
        self.start_server("registry", HERE.parent / "real/registry.py", self.registry_port,
                          self.folder / "images", "127.0.0.1")
        self.start_git()
        self.start_connect()
        self.dns.start()
        self.flux.start()

    def start_server(self, name, script, port, *arguments):
        self.running.start(name, [sys.executable, "-B", script, *arguments, port],
                           lambda: processes.connects(port))

    def start_git(self):
        self.start_server("git", HERE / "git_server.py", self.git_port, self.repositories,
                          "127.0.0.1")

    def start_connect(self):
        vaults = {"kubernetes": {"connect": {"token": trees.CONNECT_VALUE}}}
        trees.private(self.folder / "connect.json",
                      json.dumps({"token": trees.CONNECT_TOKEN, "vaults": vaults}))
        self.start_server("connect", HERE / "connect_server.py", self.connect_port,
                          self.folder / "connect.json")

    def write_profile(self):
        """The example's profile with the bed's addresses and programs, and without Talos nodes."""
        programs = {name: tools.program(name) for name in ("helmfile", "kustomize", "kubeconform")}
        programs["helm"] = tools.program(self.helm)
        lines = "".join(f"    {name}: {path}\n" for name, path in sorted(programs.items()))
        schemas_folder = self.folder / "schemas"
        schemas.write(self.api, schemas_folder)
        self.tree.replace("ichor.yaml", "http://127.0.0.1:8080",
                          f"http://127.0.0.1:{self.connect_port}")
        self.tree.replace("ichor.yaml", "    kustomize_root: kubernetes/flux/cluster\n",
                          "    kustomize_root: kubernetes/flux/cluster\n"
                          f"    kubeconform_schemas: ['{schemas.location(schemas_folder)}']\n"
                          f"  tools:\n{lines}")
        self.tree.replace("ichor.yaml", "nodes: {stable: 30s}",
                          "nodes: {stable: 3s}\n  talos_services: {enabled: false}")

    def use_releases(self):
        """Phases 1 and 2 by ichor's own lists, out of the GitOps tree, instead of helmfiles."""
        charts_at = f"oci://127.0.0.1:{self.registry_port}/charts"
        self.tree.replace("ichor.yaml", "    helmfile: bootstrap/helmfile.d/00-crds.yaml\n",
                          CRD_CHARTS.format(charts=charts_at))
        self.tree.replace("ichor.yaml", "    helmfile: bootstrap/helmfile.d/01-core.yaml.gotmpl\n",
                          RELEASES)
        trees.private(self.tree.folder / "bootstrap/crds.yaml", "crds: {enabled: true}\n")

    # Programs that look at it.

    @property
    def environment(self):
        profile = {name: os.environ[name] for name in ("LLVM_PROFILE_FILE",) if name in os.environ}
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), **profile,
                "SOPS_AGE_KEY_FILE": str(self.tree.age_key) if self.tree else ""}

    def start_ichor(self, *arguments, environment=None, kubeconfig=None):
        command = [str(tools.ICHOR), *map(str, arguments), "--kubeconfig",
                   str(kubeconfig or self.plane.kubeconfig), "-o", "json"]
        if self.tree:
            command += ["-p", str(self.tree.folder / "ichor.yaml"), "--state-dir",
                        str(self.folder / "state")]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                cwd=self.folder, env={**self.environment, **(environment or {})},
                                preexec_fn=processes.die_with_parent)

    def ichor(self, *arguments, limit_s=RUN_LIMIT_S, **options):
        began = time.monotonic()
        process = self.start_ichor(*arguments, **options)
        try:
            output, errors = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.terminate()
            output, errors = process.communicate()
        return finished(process.returncode, output, errors, time.monotonic() - began)

    def kubectl(self, *arguments, text=None):
        done = subprocess.run([str(tools.program("kubectl")), "--kubeconfig",
                               str(self.plane.kubeconfig), *map(str, arguments)], input=text,
                              capture_output=True, text=True, check=False, env=self.environment)
        if done.returncode != 0:
            raise processes.BedError(f"kubectl {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def flux_get(self, *kind, namespace=None):
        """(name, READY) of each row that `flux get` prints."""
        where = ["--namespace", namespace] if namespace else ["--all-namespaces"]
        done = subprocess.run([str(tools.program("flux")), "--kubeconfig",
                               str(self.plane.kubeconfig), "get", *kind, *where],
                              capture_output=True, text=True, check=False, env=self.environment)
        if done.returncode != 0:
            raise processes.BedError(f"flux get {' '.join(kind)}: {done.stderr}")
        head, *rows = [[cell.strip() for cell in line.split("\t")]
                       for line in done.stdout.splitlines() if line.strip()]
        return [(row[head.index("NAME")], row[head.index("READY")]) for row in rows]

    def remove(self, failed=False):
        """Ends all of it, in the order that leaves no process retrying."""
        self.flux.stop()
        self.nodes.stop()
        self.running.stop_all()
        if failed:
            kept = KEPT / f"failed-{self.name}"
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(self.running.logs, kept)
            print(f"the logs of the bed are in {kept}", file=sys.stderr)
        shutil.rmtree(self.folder, ignore_errors=True)


def finished(code, output, errors, seconds):
    events = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    return Run(code, events, output, errors, seconds)
