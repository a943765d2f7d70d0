"""What the cases of the process tier work with: a lab, runs of ichor on it, and the judge.

A case runs in a network namespace of its own, so that its rules meet no foreign packets. The lab
is the judge: it knows what the machines really are, and ichor cannot see into it.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROFILE = HERE / "profile.yaml"
ICHOR = os.path.abspath(os.environ.get("ICHOR", ROOT / "build/ichor"))
LIMIT_S = 420
NAMES = ["cp1", "cp2", "cp3", "w1"]


class Failed(Exception):
    """The case did not end as it must."""


def demand(condition, text):
    if not condition:
        raise Failed(text)


def shell(*words):
    """Runs a command that must work."""
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    demand(done.returncode == 0, f"{' '.join(map(str, words))}: {done.stdout[-500:]}")
    return done.stdout


def rules(*lines):
    """Rules for packets when they arrive at either end, instead of those before; none: no rules."""
    text = "flush ruleset\n"
    if lines:
        chain = "\n".join(["type filter hook input priority 0", *lines])
        text += f"table inet faults {{\nchain arrive {{\n{chain}\n}}\n}}\n"
    done = subprocess.run(["nft", "-f", "-"], input=text, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    demand(done.returncode == 0, f"nft: {done.stdout}")


def on_arrival(rule):
    """A rule for packets of the Talos and the Kubernetes API, in both directions."""
    rules(f"tcp dport {{50000, 6443}} {rule}", f"tcp sport {{50000, 6443}} {rule}")


class Run:
    """One `ichor` that prints JSON, to be waited for or disturbed."""

    def __init__(self, bench, words, prefix=(), stdout=subprocess.PIPE, **popen):
        self.began = time.monotonic()
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [*prefix, ICHOR, *words, "-p", str(PROFILE), "--lab-state", bench.lab, "-o", "json",
             *bench.flags], stdout=stdout, stderr=self.errors, text=True, **popen)
        self.lines = []

    def wait_for(self, seen):
        """Reads events until one for which `seen` holds; False if the run ended before."""
        for line in self.process.stdout:
            self.lines.append(line)
            event = json.loads(line) if line.startswith("{") else {}
            if seen(event):
                return True
        return False

    def wait_phase(self, phase, kind="phase-started"):
        return self.wait_for(
            lambda event: (event.get("type"), event.get("phase")) == (kind, phase))

    def send(self, number):
        self.process.send_signal(number)

    def end(self, limit_s=LIMIT_S):
        """Waits for the end; the exit code."""
        try:
            rest, _ = self.process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise Failed(f"no end within {limit_s} s; last: {self.lines[-1:]}") from None
        self.lines += (rest or "").splitlines(keepends=True)
        self.seconds = time.monotonic() - self.began
        return self.process.returncode

    @property
    def events(self):
        return [json.loads(line) for line in self.lines if line.startswith("{")]

    @property
    def summary(self):
        last = self.events[-1] if self.events else {}
        return last if last.get("type") == "summary" else {}

    def ids(self):
        """Ids of the findings that are errors."""
        return {event["id"] for event in self.events if event.get("severity") == "error"}

    def outcome(self):
        """How it ended, for the line of a case whose world was ready at last."""
        code = self.process.returncode
        names = "/".join(sorted(self.ids()))
        return "ready" if code == 0 else f"exit {code}{names and ' ' + names}, then ready"

    def explain(self):
        self.errors.seek(0)
        tail = "".join(line[:300] + "\n" for line in self.lines[-6:])
        return f"exit {self.process.returncode}:\n{tail}{self.errors.read()[-800:]}"


class Bench:
    """A lab in a folder, and what is done to it."""

    def __init__(self, scale=20):
        self.home = tempfile.mkdtemp(prefix="ichor-process-")
        self.lab = self.home + "/lab"
        self.scale = scale
        self.flags = []
        self.lab_process = None

    def __enter__(self):
        shell("ip", "link", "set", "lo", "up")
        self.start_lab()
        return self

    def __exit__(self, *_):
        if self.lab_process and self.lab_process.poll() is None:
            self.lab_process.send_signal(signal.SIGCONT)
            self.lab_process.terminate()
            try:
                self.lab_process.wait(20)
            except subprocess.TimeoutExpired:
                self.lab_process.kill()
                self.lab_process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def start_lab(self):
        log = open(self.home + "/lab.log", "a", encoding="utf-8")
        self.lab_process = subprocess.Popen(
            [ICHOR, "lab", "start", "-p", str(PROFILE), "--state", self.lab, "--time-scale",
             str(self.scale)], stdout=log, stderr=log)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if self.status(check=False):
                return
            demand(self.lab_process.poll() is None,
                   "the lab ended: " + pathlib.Path(self.home, "lab.log").read_text()[-500:])
            time.sleep(0.1)
        raise Failed("the lab does not answer")

    def kill_lab(self):
        """All machines lose power at once."""
        self.lab_process.kill()
        self.lab_process.wait()

    def status(self, check=True):
        done = subprocess.run([ICHOR, "lab", "status", "--state", self.lab, "-o", "json"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode != 0:
            demand(not check, f"lab status: {done.stdout}{done.stderr}")
            return {}
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        return {row["node"]: row for row in rows if row["type"] == "lab-node"}

    def inject(self, fault, node="", **flags):
        words = [ICHOR, "lab", "inject", fault, "--state", self.lab]
        if node:
            words += ["--node", node]
        for name, value in flags.items():
            words += [f"--{name.rstrip('_')}", str(value)]
        shell(*words)

    # Runs.

    def start(self, *words, **options):
        return Run(self, words or ("up",), **options)

    def up(self, **options):
        run = self.start("up", **options)
        run.end()
        return run

    def state(self, name=""):
        return pathlib.Path(self.lab, "ichor/process", name)

    # The judge.

    def clusters(self):
        """Ids of the etcd clusters that the machines have data of."""
        path = pathlib.Path(self.lab, "etcd.json")
        return {row["id"] for row in json.loads(path.read_text())} if path.exists() else set()

    def judge_ready(self, run):
        """The run says ready, and it is."""
        demand(run.process.returncode == 0, run.explain())
        demand(run.summary.get("ok"), "the summary does not say ok: " + run.explain())
        self.judge_machines()

    def up_disturbed(self, phase, disturb):
        """A run that meets `disturb` when this phase begins, and its end."""
        run = self.start("up")
        demand(run.wait_phase(phase), run.explain())
        disturb(run)
        run.end()
        return run

    def judge_machines(self):
        nodes = self.status()
        wrong = {name: (row["stage"], row["ready"]) for name, row in nodes.items()
                 if (row["stage"], row["ready"]) != ("running", True)}
        demand(sorted(nodes) == NAMES, f"nodes: {sorted(nodes)}")
        demand(not wrong, f"not up: {wrong}")
        demand(len(self.clusters()) == 1, f"etcd clusters: {self.clusters()}")

    def judge_refused(self, run, codes, ids):
        """It ended with one of these exit codes and names one of these faults."""
        demand(run.process.returncode in codes, run.explain())
        demand(run.ids() & set(ids), f"no finding of {ids}: " + run.explain())
        demand(len(self.clusters()) <= 1, f"etcd clusters: {self.clusters()}")

    def finish(self, run=None):
        """A run that ended early is gone on with: ready, one cluster, and then nothing to do."""
        if run is None or run.process.returncode != 0:
            run = self.up()
        self.judge_ready(run)
        again = self.up()
        self.judge_ready(again)
        demand(again.summary["mutations"] == 0, "a further run changed something")
