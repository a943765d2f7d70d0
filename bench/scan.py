"""A /22 with six machines and three strangers, scanned by ichor and by nmap, in turns."""

import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import measure

sys.path.insert(0, str(measure.ROOT / "tests" / "lab"))

import scan_bed  # noqa: E402

TURNS = 5


def seconds(work):
    began = time.monotonic()
    work()
    return time.monotonic() - began


def times():
    """Median seconds of ichor and of nmap. Both must see every machine in every turn."""
    why = scan_bed.missing() or ("" if shutil.which("nmap") else "nmap is not installed")
    if why:
        raise RuntimeError(why)
    with tempfile.TemporaryDirectory() as folder:
        bed = scan_bed.Bed(str(measure.ICHOR), folder)
        try:
            bed.start_lab(1)
            bed.add_strangers()
            ours, theirs = [], []
            for turn in range(TURNS):
                ours.append(seconds(lambda: scan(bed, pathlib.Path(folder) / f"state-{turn}")))
                theirs.append(seconds(lambda: nmap(bed)))
            return statistics.median(ours), statistics.median(theirs)
        finally:
            bed.end()


def scan(bed, state):
    code, lines = bed.run("discover", "--scan", scan_bed.NETWORK, "--state-dir", str(state))
    found = {line["node"] for line in lines if line["type"] == "machine"} - {""}
    if code != 0 or found != set(scan_bed.MACS):
        raise RuntimeError(f"ichor discover: exit {code}, found {sorted(found)}")


def nmap(bed):
    done = subprocess.run(bed.desk_side.command("nmap", "-T5", "-n", "-Pn", "-p", "50000",
                                                scan_bed.NETWORK), check=True,
                          stdout=subprocess.PIPE, text=True)
    if done.stdout.count("50000/tcp open") != len(scan_bed.MACS) + 3:
        raise RuntimeError("nmap missed a machine:\n" + done.stdout)
