"""A cluster of real nodes that ichor is to bring up, and the real tools to look at it with."""

import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import ground
import lab as labs
import pieces
import server_logs

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ICHOR = pathlib.Path(os.environ.get("ICHOR", ROOT / "build/ichor")).resolve()
KEPT = ROOT / "build/real"  # times and, after a failure, the nodes' consoles
UP_LIMIT_S = 900

PROFILE = """\
name: {name}
network:
  api_endpoint: https://10.5.0.2:6443
  node_cidr: 10.5.0.0/24
  gateway: 10.5.0.1
  pod_cidr: 10.244.0.0/16
  service_cidr: 10.96.0.0/12
  nameservers: [10.5.0.1]
talos:
  version: v{talos}
  kubernetes_version: v{kubernetes}
  patches_dir: patches
nodes:
  controlplane:
    assignments:
{control_planes}
{workers}
"""
ASSIGNMENT = "      - {{name: {name}, ip: {address}, mac: \"{mac}\", disk: /dev/none}}"


def skip_reason():
    """Why real nodes cannot run here; empty if they can."""
    reasons = ground.missing(labs.LABS)
    if not os.access(ICHOR, os.X_OK):
        reasons.append(f"{ICHOR} is not built")
    return "; ".join(reasons)


@dataclasses.dataclass
class Run:
    """One run of ichor that prints JSON."""

    code: int
    events: list
    errors: str
    seconds: float
    began: float = 0.0  # Unix time

    @property
    def summary(self):
        last = self.events[-1] if self.events else {}
        return last if last.get("type") == "summary" else {}

    def steps(self):
        """How long each phase took, from the first node that began to the last that was through."""
        spans = {}
        for event in self.events:
            phase = event.get("phase")
            if event["type"] == "phase-started":
                spans.setdefault(phase, [event["at"], None])
            elif event["type"] == "phase-done" and phase in spans:
                spans[phase][1] = event["at"]
        return {phase: {"from": begin, "to": end} for phase, (begin, end) in spans.items()}

    def calls(self, node):
        """(Unix time, phase) of the mutations that this node, or the cluster, has answered."""
        return [(self.began + event["at"], event["phase"]) for event in self.events
                if event["type"] == "acted" and event.get("node", node) == node]

    def explain(self):
        tail = [json.dumps(event) for event in self.events[-25:]]
        head = f"exit {self.code} after {self.seconds:.0f} s"
        return "\n".join([head, *tail, self.errors[-3000:]])


class Cluster:
    """Nodes in maintenance mode, a profile for them, and a folder for what ichor writes."""

    kept = KEPT
    mode = "container"
    up_limit_s = UP_LIMIT_S

    def __init__(self, name, control_planes, workers=0):
        self.name = name
        names = [f"cp{i + 1}" for i in range(control_planes)]
        names += [f"w{i + 1}" for i in range(workers)]
        self.specs = [labs.NodeSpec.parse(f"{node},10.5.0.{host}")
                      for host, node in enumerate(names, 2)]
        self.control_planes = self.specs[:control_planes]
        self.workers = self.specs[control_planes:]
        self.lab = labs.Lab(f"{name}-{os.getpid()}")
        self.home = pathlib.Path(tempfile.mkdtemp(prefix=f"ichor-{name}-"))
        self.profile = self.home / "ichor.yaml"
        self.state = self.home / "state"
        self.images_of = lambda parts: parts.images
        self.times = {"cluster": name, "nodes": len(self.specs), "steps": []}
        patches = "patches-typed" if pieces.is_typed() else "patches"
        shutil.copytree(HERE / patches, self.home / "patches")
        self.profile.write_text(self.profile_text())

    def profile_text(self):
        def lines(specs):
            return "\n".join(ASSIGNMENT.format(**dataclasses.asdict(spec)) for spec in specs)

        workers = lines(self.workers)
        return PROFILE.format(
            name=self.name, talos=pieces.TALOS, kubernetes=pieces.KUBERNETES,
            control_planes=lines(self.control_planes),
            workers="  worker:\n    assignments:\n" + workers if workers else "")

    # The nodes.

    def boot(self):
        for name in labs.sweep():
            print(f"removed lab {name}: its owner is gone", flush=True)
        parts = pieces.pieces()
        self.lab.create("10.5.0.1/24", os.getpid(), self.images_of(parts))
        for spec in self.specs:
            node = self.lab.node(spec.name)
            node.create(spec, parts.rootfs)
            with self.timed(f"{spec.name}: boot to maintenance mode"):
                node.switch_on()
                node.wait_for_answer()

    def consoles(self, text):
        """How often the nodes' consoles show a text."""
        return sum(node.console().count(text) for node in self.lab.nodes())

    def server_log(self, spec):
        """What apid and machined of a node have written, and its console."""
        logs = [self.lab.node(spec.name).console()]
        for service in ("apid", "machined"):
            done = self.talosctl("-n", spec.address, "-e", spec.address, "logs", service,
                                 "--tail", "-1")
            if done.returncode == 0:
                logs.append(done.stdout)
        return "\n".join(logs)

    def complaints(self):
        """What the nodes' servers hold against ichor's calls, with the node's name."""
        return [f"{spec.name}: {line}" for spec in self.specs
                for line in server_logs.complaints(self.server_log(spec))]

    def remove(self, failed=False):
        self.kept.mkdir(parents=True, exist_ok=True)
        (self.kept / f"times-{self.name}.json").write_text(json.dumps(self.times, indent=1) + "\n")
        if failed:
            kept = self.kept / f"failed-{self.name}"
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir()
            for console in self.lab.folder.glob("nodes/*/console.log"):
                shutil.copyfile(console, kept / f"{console.parent.name}.log")
            print(f"the consoles of the nodes are in {kept}", file=sys.stderr)
        self.lab.remove()
        shutil.rmtree(self.home, ignore_errors=True)

    # Times.

    def timed(self, what):
        return Stopwatch(self.times["steps"], what)

    def note(self, what, seconds):
        self.times["steps"].append({"step": what, "seconds": round(seconds, 1)})
        print(f"    {what}: {seconds:.1f} s", flush=True)

    def keep(self, what, value):
        self.times.setdefault("measured", {})[what] = value
        print(f"    {what}: {value}", flush=True)

    # The tools, all inside the lab's network.

    def start_ichor(self, *arguments, errors=subprocess.PIPE):
        command = self.lab.inside(ICHOR, *arguments, "-p", self.profile, "--state-dir", self.state,
                                  "-o", "json")
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True,
                                cwd=self.home)

    def ichor(self, *arguments, limit_s=None, seen=lambda event: None):
        """Every event gets "arrived", the Unix time at which it was printed, and is shown to
        `seen`; the signal that it returns, if any, is sent to ichor. A run that goes beyond its
        limit gets SIGTERM."""
        began, began_at = time.monotonic(), time.time()
        with tempfile.TemporaryFile("w+") as errors:
            process = self.start_ichor(*arguments, errors=errors)
            limit = threading.Timer(limit_s or self.up_limit_s, process.terminate)
            limit.start()
            events = []
            for line in process.stdout:
                if line.startswith("{") and line.endswith("\n"):
                    events.append(dict(json.loads(line), arrived=time.time()))
                    number = seen(events[-1])
                    if number:
                        process.send_signal(number)
            code = process.wait()
            limit.cancel()
            errors.seek(0)
            return Run(code, events, errors.read(), time.monotonic() - began, began_at)

    def up(self, label="up", seen=lambda event: None):
        run = self.ichor("up", seen=seen)
        for phase, span in run.steps().items():
            if span["to"] is not None:
                self.note(f"{label}: {phase} (from {span['from']:.1f} s)",
                          span["to"] - span["from"])
        self.note(f"{label}: all", run.seconds)
        return run

    def up_and_kill_at(self, seen):
        """Begins a run and kills it as soon as it prints an event for which `seen` holds."""
        run = self.ichor("up", seen=lambda event: signal.SIGKILL if seen(event) else None)
        return run.code

    def talosctl(self, *arguments, limit_s=600):
        return self.tool(f"talosctl-{pieces.TALOS}", "--talosconfig", self.state / "talosconfig",
                         *arguments, limit_s=limit_s)

    def kubectl(self, *arguments, limit_s=60):
        return self.tool(f"kubectl-{pieces.KUBERNETES}", "--kubeconfig",
                         self.home / "kubernetes/kubeconfig", *arguments, limit_s=limit_s)

    def tool(self, tool, *arguments, limit_s):
        command = self.lab.inside(pieces.program(tool), *arguments)
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=limit_s, check=False)

    def talosctl_health(self):
        arguments = ["-n", self.specs[0].address, "-e", self.specs[0].address, "health",
                     "--wait-timeout", "5m", "--control-plane-nodes",
                     ",".join(spec.address for spec in self.control_planes)]
        if self.workers:
            arguments += ["--worker-nodes", ",".join(spec.address for spec in self.workers)]
        return self.talosctl(*arguments)

    def kubernetes_nodes(self):
        """Every registered node and whether it is Ready, as kubectl sees them."""
        done = self.kubectl("get", "nodes", "-o", "json")
        if done.returncode != 0:
            return {}
        def is_ready(node):
            return any(condition["type"] == "Ready" and condition["status"] == "True"
                       for condition in node["status"]["conditions"])
        return {node["metadata"]["name"]: is_ready(node)
                for node in json.loads(done.stdout)["items"]}


class Stopwatch:
    """with-block whose time is printed and kept."""

    def __init__(self, steps, what):
        self.steps, self.what = steps, what

    def __enter__(self):
        self.began = time.monotonic()

    def __exit__(self, *_):
        seconds = time.monotonic() - self.began
        self.steps.append({"step": self.what, "seconds": round(seconds, 1)})
        print(f"    {self.what}: {seconds:.1f} s", flush=True)
