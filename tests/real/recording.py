"""What a real node told about itself while it was brought up, as lines of text.

Every line is SECONDS, KIND, SOURCE and MESSAGE of one event of the stream, with tabs between.
Seconds count from the node's first event; Talos' event ids are no finer. The first line, after "#",
says which versions were recorded and how.
"""

import base64
import re
import subprocess

import pieces

COLUMNS = re.compile(r"\s{2,}")


def seconds_of(event_id):
    """Event ids are xids: base32 of 12 bytes, of which the first four are a Unix time."""
    padded = event_id.upper() + "=" * (-len(event_id) % 8)
    return int.from_bytes(base64.b32hexdecode(padded)[:4], "big")


def parse(text):
    """(time, kind, source, message) of every line of `talosctl events`."""
    for line in text.splitlines():
        columns = COLUMNS.split(line.strip())
        if len(columns) < 4 or not re.fullmatch(r"[0-9a-v]{20}", columns[1]):
            continue
        kind = columns[2].rpartition(".")[2].removesuffix("Event")
        rest = [column for column in columns[3:] if column]
        yield seconds_of(columns[1]), kind, rest[0], " ".join(rest[1:])


def read_events(cluster, spec):
    """The history that the node still has. The stream has no end, so it is cut off."""
    command = cluster.lab.inside(
        pieces.program(f"talosctl-{pieces.TALOS}"), "--talosconfig", cluster.state / "talosconfig",
        "-e", spec.address, "-n", spec.address, "events", "--tail", "-1")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
        output = done.stdout
    except subprocess.TimeoutExpired as cut:
        output = (cut.stdout or b"").decode(errors="replace")
    return list(parse(output))


def write(cluster, folder):
    """One file per node, named after the cluster and the node."""
    folder.mkdir(parents=True, exist_ok=True)
    for spec in cluster.specs:
        events = read_events(cluster, spec)
        lines = [f"# Talos {pieces.TALOS}, Kubernetes {pieces.KUBERNETES}, etcd {pieces.ETCD},"
                 f" container mode; node {spec.name} of {len(cluster.specs)}, `ichor up`"]
        begin = events[0][0] if events else 0
        lines += ["\t".join([str(at - begin), kind, source, message])
                  for at, kind, source, message in events]
        (folder / f"{cluster.name}-{spec.name}.tsv").write_text("\n".join(lines) + "\n")
