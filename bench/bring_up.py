"""One bring-up on the lab at the lab's own pace, seen from both sides: the lab's diary tells when a
node became something, ichor's events and the calls in the diary tell when ichor did something about
it. Both clocks are this machine's."""

import dataclasses
import functools
import json
import subprocess
import time

import measure

CONTROL_PLANES, WORKERS = 3, 27


@dataclasses.dataclass
class Seen:
    seconds: float
    reactions_ms: list


def limit():
    """Seconds that the same cluster takes an operator who never lets a node wait."""
    subprocess.run(["cmake", "--build", measure.ROOT / "build", "--target", "lab_limit"],
                   check=True, stdout=subprocess.DEVNULL)
    told = subprocess.run([measure.ROOT / "build/lab_limit", str(CONTROL_PLANES), str(WORKERS),
                           "with-control-planes"], check=True, stdout=subprocess.PIPE, text=True)
    return float(told.stdout)


def percentile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


@functools.cache
def observe():
    with measure.Lab(CONTROL_PLANES + WORKERS, 1) as lab:
        began = time.monotonic()
        run = subprocess.Popen([measure.ICHOR, "up", "-p", lab.profile, "--lab-state", lab.state,
                                "-o", "json"], stdout=subprocess.PIPE, text=True)
        events = [(time.time() * 1000, json.loads(line)) for line in run.stdout]
        if run.wait() != 0:
            raise RuntimeError(f"ichor up: exit {run.returncode}: {events[-1][1]}")
        return Seen(time.monotonic() - began, list(reactions(events, lab.told())))


def first(moments):
    return min(moments, default=None)


def reactions(events, diary):
    """Delays in milliseconds. Only changes count that ichor was waiting for."""
    begun = {event["node"]: at for at, event in events
             if (event["type"], event.get("phase")) == ("phase-started", "verify")
             and "node" in event}
    for at, event in events:
        if (event["type"], event.get("phase")) != ("phase-done", "verify") or "node" not in event:
            continue
        ready = first(line["unix_ms"] for line in diary
                      if line["node"] == event["node"] and line.get("ready")
                      and line["stage"] == "running")
        if ready > begun[event["node"]]:
            yield round(at - ready)
    # Workers follow the API, and that is asked for when all control planes are members of etcd,
    # which is when the last of them runs.
    api = first(line["unix_ms"] for line in diary if line.get("api"))
    members = max(first(line["unix_ms"] for line in diary
                        if line["node"] == f"cp{number + 1}" and line.get("stage") == "running")
                  for number in range(CONTROL_PLANES))
    for line in diary:
        if line.get("call", "").endswith("/ApplyConfiguration") and line["unix_ms"] > api:
            yield line["unix_ms"] - max(api, members)
