"""What a real node reported about itself while it was brought up, as lines of text.

A line is SECONDS, KIND, NAME and TEXT with tabs between; seconds count from the first event of the
cluster. The first line, after "#", says which versions were recorded. Kinds of lines are:

  call      a mutation of ichor's: apply, bootstrap
  watch     the resource MachineStatus as it changed: stage, then "ready" or what is unmet, with
            the reasons; only from the moment on from which the node knows its clients
  others    the event stream, complete and in its order: sequence, phase, task, service, status,
            address, restart. Talos' event ids tell its seconds and no more
"""

import base64
import json
import re
import subprocess
import threading
import time

import pieces

EVENT = re.compile(r"\S+\s+([0-9a-v]{20})\s+talos/runtime/machine\.(\w+)Event(?:\s+\S+)?")
KINDS = {"ServiceState": "service", "MachineStatus": "status"}
PROCESS = re.compile(r"PID \d+")


def seconds_of(event_id):
    """Event ids are xids: base32 of 12 bytes, of which the first four are a Unix time."""
    padded = event_id.upper() + "=" * (-len(event_id) % 8)
    return int.from_bytes(base64.b32hexdecode(padded)[:4], "big")


def parse(text):
    """(time, kind, name, text) of every event that `talosctl events` shows, each on two lines."""
    found = None
    for line in text.splitlines():
        head = EVENT.fullmatch(line.rstrip())
        if head:
            found = head
        elif found and line.startswith(" "):
            name, _, message = line.strip().partition("  ")
            kind = KINDS.get(found[2], found[2].lower())
            yield seconds_of(found[1]), kind, name, PROCESS.sub("PID", message.strip())
            found = None


def status_text(spec):
    """"ready", or the unmet conditions as ichor shows them."""
    unmet = [f"{condition['name']} ({condition['reason']})"
             for condition in spec["status"].get("unmetConditions") or []]
    return "; ".join(unmet) or ("ready" if spec["status"]["ready"] else "not ready")


def decode_stream(text):
    """The JSON values of a text that holds one after the other, and what is left of it."""
    decoder, values = json.JSONDecoder(), []
    text = text.lstrip()
    while text:
        try:
            value, end = decoder.raw_decode(text)
        except ValueError:
            break
        values.append(value)
        text = text[end:].lstrip()
    return values, text


class Watch(threading.Thread):
    """Follows a node's MachineStatus until stop(), from when it answers ichor's credentials on."""

    def __init__(self, cluster, spec):
        super().__init__(daemon=True)
        self.command = command(cluster, spec, "get", "machinestatus", "--watch", "-o", "json")
        self.credentials = cluster.state / "talosconfig"
        self.lines = []
        self.over = threading.Event()
        self.process = None

    def run(self):
        while not self.over.wait(0.2):
            if not self.credentials.exists():
                continue
            self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True,
                                            stderr=subprocess.DEVNULL)
            rest = ""
            for line in self.process.stdout:
                values, rest = decode_stream(rest + line)
                for value in values:
                    self.add(value["spec"])
            self.process.wait()

    def add(self, spec):
        entry = (spec["stage"], status_text(spec))
        if not self.lines or self.lines[-1][1:] != entry:
            self.lines.append((time.time(), *entry))

    def stop(self):
        self.over.set()
        while self.is_alive():
            if self.process:
                self.process.kill()
            self.join(0.2)


def command(cluster, spec, *arguments, through=None):
    """talosctl on a node, by way of another one or by itself."""
    return cluster.lab.inside(
        pieces.program(f"talosctl-{pieces.TALOS}"), "--talosconfig", cluster.state / "talosconfig",
        "-e", (through or spec).address, "-n", spec.address, *arguments)


def read_events(cluster, spec):
    """The history that the node still has. The stream has no end, so it is cut off."""
    argv = command(cluster, spec, "events", "--tail", "-1", through=cluster.specs[0])
    try:
        output = subprocess.run(argv, capture_output=True, timeout=10, check=False).stdout
    except subprocess.TimeoutExpired as cut:
        output = cut.stdout or b""
    return list(parse(output.decode(errors="replace")))


def lines_of(begin, events, watched, calls):
    """The lines of a recording, all times counted from `begin`."""
    exact = [(at, "call", name, "") for at, name in calls]
    exact += [(at, "watch", stage, text) for at, stage, text in watched]
    lines = [(f"{at - begin:.1f}", *rest) for at, *rest in exact]
    lines += [(str(at - begin), *rest) for at, *rest in events]
    return ["\t".join(line).rstrip() for line in lines]


def head(cluster, spec):
    """The first line of a recording."""
    return (f"# Talos {pieces.TALOS}, Kubernetes {pieces.KUBERNETES}, etcd {pieces.ETCD}, "
            f"{cluster.mode} mode; {spec.name} of {len(cluster.specs)} nodes")


class Recorder:
    """Follows all nodes of a cluster; write() ends that and writes one file per node."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.watches = {spec: Watch(cluster, spec) for spec in cluster.specs}
        for watch in self.watches.values():
            watch.start()

    def write(self, folder, run):
        folder.mkdir(parents=True, exist_ok=True)
        self.stop()
        events = {spec: read_events(self.cluster, spec) for spec in self.watches}
        begin = min(told[0][0] for told in events.values() if told)
        for spec, watch in self.watches.items():
            lines = lines_of(begin, events[spec], watch.lines, self.calls(run, spec))
            path = folder / f"{self.cluster.name}-{spec.name}.tsv"
            path.write_text("\n".join([head(self.cluster, spec), *lines]) + "\n")

    def delays_ms(self, run):
        """Sorted: for each stage that both saw begin, how much later ichor reported it. Talos does
        not say when exactly a stage began, so talosctl's watch is the clock; it may be the later
        one."""
        delays = []
        for event in run.events:
            if event["type"] != "stage-changed" or "node" not in event:
                continue
            told = event["arrived"]
            seen = [at for spec, watch in self.watches.items() if spec.name == event["node"]
                    for at, stage, _ in watch.lines if stage == event.get("text")]
            if seen:
                delays.append(round(1000 * (told - min(seen, key=lambda at: abs(at - told)))))
        return sorted(delays)

    def calls(self, run, spec):
        """Those that this node answered; the cluster's bootstrap went to a control plane."""
        told = self.cluster.lab.node(spec.name).console().count("bootstrap request received")
        return [(at, phase) for at, phase in run.calls(spec.name)
                if phase == "apply" or (phase == "bootstrap" and told)]

    def stop(self):
        for watch in self.watches.values():
            watch.stop()
