#!/usr/bin/env python3
"""`ichor up` killed with SIGKILL at random moments, each on a lab of its own, and run again.

Usage: kill_test.py ICHOR PROFILE
KILL_SEED chooses the moments again; KILL_COUNT says how many there are.
"""

import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import unittest

ICHOR, PROFILE = sys.argv[1:3]
SEED = int(os.environ.get("KILL_SEED") or random.SystemRandom().randrange(2**32))
COUNT = int(os.environ.get("KILL_COUNT") or 20)
SCALE = 40
LONGEST_S = 8  # a whole bring-up at this scale, on a machine that is not busy
LIMIT_S = 240


def command(state):
    return [ICHOR, "up", "-p", PROFILE, "--lab", "--lab-state", state, "--time-scale", str(SCALE),
            "-o", "json"]


def strike(folder, seconds):
    """Kills a run after `seconds` and runs another; tells what is wrong with the result."""
    killed = subprocess.Popen(command(folder), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    time.sleep(seconds)
    killed.kill()
    killed.wait()
    again = subprocess.run(command(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, timeout=LIMIT_S, check=False)
    if again.returncode != 0:
        tale = "\n".join(line[:300] for line in again.stdout.splitlines()[-16:])
        return f"exit {again.returncode}:\n{tale}\n{again.stderr[-500:]}"
    clusters = json.loads((pathlib.Path(folder) / "etcd.json").read_text())
    if len({cluster["id"] for cluster in clusters}) != 1:
        return f"etcd clusters: {[cluster['id'] for cluster in clusters]}"
    members = {member["name"] for member in clusters[0]["members"] if not member["learner"]}
    if len(members) != 3:
        return f"etcd members: {members}"
    if not json.loads(again.stdout.splitlines()[-1])["ok"]:
        return "the summary does not say ok"
    return ""


class Kill(unittest.TestCase):
    maxDiff = None

    def test_whenever_it_is_killed_the_next_run_ends_with_one_cluster(self):
        print(f"KILL_SEED={SEED}", file=sys.stderr)
        chance = random.Random(SEED)
        moments = [chance.uniform(0, LONGEST_S) for _ in range(COUNT)]
        with tempfile.TemporaryDirectory() as home:
            with concurrent.futures.ThreadPoolExecutor(3) as pool:
                folders = [f"{home}/{number}" for number in range(COUNT)]
                wrong = list(pool.map(strike, folders, moments))
        for moment, trouble in zip(moments, wrong):
            with self.subTest(killed_after=moment):
                self.assertEqual(trouble, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
