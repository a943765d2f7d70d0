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
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ICHOR, PROFILE = sys.argv[1:3]
SEED = int(os.environ.get("KILL_SEED") or random.SystemRandom().randrange(2**32))
COUNT = int(os.environ.get("KILL_COUNT") or 20)
SCALE = 60
LONGEST_S = 5  # a whole bring-up at this scale, on a machine that is not busy
LIMIT_S = 240


def command(state):
    return [ICHOR, "up", "-p", PROFILE, "--lab", "--lab-state", state, "--time-scale", str(SCALE),
            "-o", "json"]


def etcd_clusters(lab):
    """Those with a data directory on a disk. The lab dies with the run, and it writes a cluster
    down before the disk of its first member: one that died in between was never acknowledged.
    """
    disks = [json.loads(file.read_text())["disk"] for file in lab.glob("*.machine.json")]
    held = {disk.get("etcd_cluster") for disk in disks}
    return [cluster for cluster in json.loads((lab / "etcd.json").read_text())
            if cluster["id"] in held]


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
    clusters = etcd_clusters(pathlib.Path(folder))
    if len(clusters) != 1:
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
            with concurrent.futures.ThreadPoolExecutor(6) as pool:
                folders = [f"{home}/{number}" for number in range(COUNT)]
                wrong = list(pool.map(strike, folders, moments))
        for moment, trouble in zip(moments, wrong):
            with self.subTest(killed_after=moment):
                self.assertEqual(trouble, "")

    def test_a_lab_that_is_about_to_end_is_not_taken(self):
        """It was started to die with its parent; here the signal that tells it so does nothing."""
        with tempfile.TemporaryDirectory() as state:
            asked = [ICHOR, "lab", "status", "--state", state]
            start = f"setpriv --pdeathsig WINCH {ICHOR} lab start -p {PROFILE} --state {state} & " \
                    "echo $!; wait"
            parent = subprocess.Popen(["sh", "-c", start], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
            lab = int(parent.stdout.readline())
            try:
                before = self.answer(asked, 0)
                parent.kill()
                parent.wait()
                after = self.answer(asked, 1)
            finally:
                os.kill(lab, signal.SIGKILL)
                parent.stdout.close()
            self.assertEqual(before.returncode, 0, before.stderr)
            self.assertEqual(after.returncode, 1, after.stdout)

    def answer(self, asked, code):
        """As soon as it ends with this code; else the last one of ten seconds."""
        for _ in range(100):
            done = subprocess.run(asked, capture_output=True, text=True, check=False)
            if done.returncode == code:
                break
            time.sleep(0.1)
        return done


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
