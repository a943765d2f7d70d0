"""What a machine's console shows of its sequences, as lines of text.

A line is SECONDS, KIND, NAME and TEXT with tabs between, as in the recordings of tests/real.
Seconds count from the start of the kernel of each boot. Kinds are boot, sequence, phase and task;
the text is START, STOP or, of what failed, its error. A machine has no other witness of what it
does before its API is up, nor of what it did before it booted again.
"""

import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "real"))

import recording  # noqa: E402

LINE = re.compile(r"\[\s*(\d+)\.\d+\] \[talos\] (.*?)\s*$")
SEQUENCE = re.compile(r"(\w+) sequence: (\d+ phase\(s\)|done|failed)(?::? .*)?")
STEP = re.compile(r"(phase|task) (\w+) \(\d+/\d+\): "
                  r"(\d+ tasks\(s\)|starting|done|failed)(?:[:,] (.*))?")
BOOT = re.compile(r"\[\s*0\.0+\] Linux version (\S+)")
ENDS = {"done": "STOP", "failed": "FAILED"}


def parse(console):
    """(seconds, kind, name, text) of every step that the console shows."""
    for line in console.splitlines():
        if BOOT.search(line):
            yield 0, "boot", "", ""
            continue
        told = LINE.search(line)
        if not told:
            continue
        at, text = int(told[1]), told[2]
        sequence, step = SEQUENCE.fullmatch(text), STEP.fullmatch(text)
        if sequence:
            yield at, "sequence", sequence[1], ENDS.get(sequence[2], "START")
        elif step and step[3] == "failed" and step[4]:
            yield at, step[1], step[2], f"FAILED: {step[4]}"
        elif step:
            yield at, step[1], step[2], ENDS.get(step[3], "START")


def lines_of(console):
    return ["\t".join([str(at), *rest]).rstrip() for at, *rest in parse(console)]


def write(cluster, spec):
    """Keeps what the console of a machine has shown until now."""
    folder = cluster.kept / "recordings"
    folder.mkdir(parents=True, exist_ok=True)
    lines = lines_of(cluster.lab.node(spec.name).console())
    path = folder / f"{cluster.name}-{spec.name}-console.tsv"
    path.write_text("\n".join([recording.head(cluster, spec), *lines]) + "\n")
