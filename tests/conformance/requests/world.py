"""A lab whose nodes are reached through a recorder of requests, and its two clients."""

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/conformance"))
import real_tool  # noqa: E402

ICHOR = pathlib.Path(os.environ.get("ICHOR") or ROOT / "build/ichor").resolve()
PATIENCE_S = 180

NODES = {"cp1": "10.5.0.2", "w1": "10.5.0.3"}
PROFILE = """\
name: requests
network: {api_endpoint: "https://10.5.0.2:6443", node_cidr: 10.5.0.0/24, gateway: 10.5.0.1}
talos: {version: v1.12.6}
nodes:
  controlplane:
    assignments:
      - {name: cp1, ip: 10.5.0.2, interface: eth0, disk: /dev/sda}
  worker:
    assignments:
      - {name: w1, ip: 10.5.0.3, interface: eth0, disk: /dev/sda}
"""


def free_addresses(count):
    """Loopback addresses on which no program listens at the two ports of a node."""
    for block in range(os.getpid(), os.getpid() + 1000):
        found = [f"127.{100 + block // 250 % 25}.{block % 250}.{host + 2}"
                 for host in range(count)]
        try:
            with contextlib.ExitStack() as stack:
                for address in found:
                    for port in (50000, 6443):
                        taken = stack.enter_context(socket.socket())
                        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                        taken.bind((address, port))
            return found
        except OSError:
            continue
    sys.exit("no loopback addresses are free")


def until(what, attempt):
    """Repeats an attempt until its answer is true, and gives that answer."""
    deadline = time.monotonic() + PATIENCE_S
    while not (answer := attempt()):
        if time.monotonic() > deadline:
            raise RuntimeError(f"out of time: {what}")
        time.sleep(0.1)
    return answer


class Scene:
    """A lab, the recorder before it, and the lines that were recorded."""

    def __init__(self, home, secrets):
        self.home, self.state, self.lines = home, home / "lab", home / "calls.jsonl"
        self.profile = home / "ichor.yaml"
        home.mkdir()
        (home / "secrets.yaml").write_text(secrets)
        (home / "secrets.yaml").chmod(0o600)
        self.profile.write_text(PROFILE)
        self.at = dict(zip(NODES, free_addresses(len(NODES))))
        self.recorder = None

    def __enter__(self):
        done = self.run(ICHOR, "lab", "start", "-p", self.profile, "--state", self.state,
                        "--time-scale", "30", "--detach")
        if done.returncode != 0:
            raise RuntimeError(f"the lab did not start: {done.stdout}{done.stderr}")
        # On a lab ichor makes throw-away keys unless its state folder has some; the recorder must
        # know them to stand between.
        kept = self.state / "ichor/requests"
        kept.mkdir(mode=0o700, parents=True, exist_ok=True)
        (kept / "secrets.yaml").write_text((self.home / "secrets.yaml").read_text())
        (kept / "secrets.yaml").chmod(0o600)
        self.put_recorder_before()
        return self

    def __exit__(self, *_):
        if self.recorder:
            self.recorder.stdin.close()
            self.recorder.wait()
        self.run(ICHOR, "lab", "stop", "--state", self.state)

    def put_recorder_before(self):
        """Whoever looks for the lab's nodes from now on finds the recorder."""
        book = self.state / "addresses.json"
        real = json.loads(book.read_text())
        pairs = [(address, real[NODES[name]]) for name, address in self.at.items()]
        words = [f"{here}:50000={there}:50000" for here, there in pairs] + ["pass"]
        words += [f"{here}:6443={there}:6443" for here, there in pairs]
        self.recorder = subprocess.Popen(
            [real_tool.path_of("talos-recorder"), "-secrets", self.home / "secrets.yaml", "-output",
             self.lines, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.recorder.stdout.readline() != "ready\n":
            raise RuntimeError("the recorder did not start")
        front = {there: here for here, there in pairs}
        book.write_text(json.dumps({of: front.get(at, at) for of, at in real.items()}))

    def run(self, *words):
        return subprocess.run(list(map(str, words)), capture_output=True, text=True,
                              errors="replace", check=False, stdin=subprocess.DEVNULL)

    def calls(self):
        """Every request so far."""
        lines = map(json.loads, self.lines.read_text().splitlines(keepends=False))
        found = list(lines)
        wrong = [line["error"] for line in found if "error" in line]
        if wrong:
            raise RuntimeError(f"the recorder could not read a request: {wrong}")
        return [line for line in found if "code" not in line]

    def good(self, *words):
        done = self.run(*words)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
        return done.stdout


class Ichor:
    """Every command of ichor that talks to Talos."""

    def __init__(self, scene):
        self.scene = scene

    def command(self, *words):
        return (ICHOR, *words, "-p", self.scene.profile, "--lab-state", self.scene.state)

    def run_all(self):
        scene = self.scene
        scene.good(*self.command("up"))
        for words in (["status", "-o", "wide"], ["health"], ["doctor", "cp1"], ["doctor", "w1"]):
            scene.run(*self.command(*words))  # what is recorded counts, not the verdict
        shown = scene.run(*self.command("reset", "w1"))
        consent = re.search(r"--consent-wipe [\w=.-]+", shown.stdout + shown.stderr)
        if not consent:
            raise RuntimeError(f"reset names no consent: {shown.stdout}{shown.stderr}")
        scene.good(*self.command("reset", "w1", *consent[0].split()))
        return scene.calls()


class Talosctl:
    """The same calls, made by talosctl."""

    def __init__(self, scene):
        self.scene, self.program = scene, real_tool.path_of("talosctl-1.12.6")
        self.at, self.config = scene.at, scene.home / "talosconfig"

    def on(self, node, *words):
        return (self.program, "--talosconfig", self.config, "-e", self.at[node], "-n",
                NODES[node], *words)

    def insecure(self, node, *words):
        return (self.program, *words, "--insecure", "-n", self.at[node])

    def bring_up(self):
        scene = self.scene
        scene.good(self.program, "gen", "config", "requests", f"https://{NODES['cp1']}:6443",
                   "--with-secrets", scene.home / "secrets.yaml", "--output", scene.home,
                   "--force", "--with-docs=false", "--with-examples=false", "--install-disk",
                   "/dev/sda")
        os.chmod(self.config, 0o600)
        for node, role in (("cp1", "controlplane"), ("w1", "worker")):
            until(f"{node} is in maintenance mode", lambda node=node: "maintenance" in scene.run(
                *self.insecure(node, "get", "machinestatus")).stdout)
            scene.good(*self.insecure(node, "apply-config", "-f", scene.home / f"{role}.yaml"))
        until("bootstrap", lambda: scene.run(*self.on("cp1", "bootstrap")).returncode == 0)
        until("etcd", lambda: scene.run(*self.on("cp1", "etcd", "status")).returncode == 0)
        until("the worker", lambda: scene.run(*self.on("w1", "version")).returncode == 0)

    def run_all(self, streams, words_of):
        """`words_of` are the reads; `streams` those that do not end by themselves."""
        self.bring_up()
        for words in words_of:
            self.scene.run(*self.on("cp1", *words))
        for words in streams:
            self.listen(*words)
        self.scene.good(*self.on("w1", "reset", "--wait=false", "--reboot"))
        return self.scene.calls()

    def listen(self, *words):
        """Runs a command until its request was recorded."""
        before = len(self.scene.calls())
        last = "/Watch" if "-w" in words else "/Events"
        with subprocess.Popen(list(map(str, self.on("cp1", *words))), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as process:
            try:
                until(f"talosctl {' '.join(words)}", lambda: any(
                    call["method"].endswith(last) for call in self.scene.calls()[before:]))
            finally:
                process.send_signal(signal.SIGINT)
