#!/usr/bin/env python3
"""`ichor up` on the embedded lab: over real TLS sockets, twice, and killed in the middle.

Usage: up_test.py ICHOR PROFILE
"""

import json
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402
import side_by_side  # noqa: E402

ICHOR, PROFILE = sys.argv[1:3]
LIMIT_S = 240


def command(state):
    return [ICHOR, "up", "-p", PROFILE, "--lab", "--lab-state", state, "--time-scale",
            str(one_lab.SCALE), "-o", "json"]


def up(state):
    """Runs to the end; the summary is the last line of standard output."""
    done = subprocess.run(command(state), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=LIMIT_S, check=False)
    lines = done.stdout.splitlines()
    if done.returncode != 0:
        print("\n".join(lines[-12:]), done.stderr[-2000:], sep="\n", file=sys.stderr)
    return done, json.loads(lines[-1])


def kill_after(state, seconds):
    run = subprocess.Popen(command(state), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(seconds)
    run.send_signal(signal.SIGKILL)
    run.wait()


class Up(unittest.TestCase):
    def test_brings_six_nodes_up_and_then_changes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            done, summary = up(folder + "/lab")
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            self.assertTrue(summary["ok"])
            self.assertEqual(summary["mutations"], 7, "six configs and one bootstrap")
            self.assertEqual(len(summary["nodes"]), 6)
            done, summary = up(folder + "/lab")
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            self.assertEqual(summary["mutations"], 0)

    def test_killed_in_the_middle_the_next_run_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            # The pauses only choose where the kill strikes; any of them must do.
            for seconds in (0.5, 1.0, 1.4):
                kill_after(folder + "/lab", seconds)
            done, summary = up(folder + "/lab")
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            self.assertTrue(summary["ok"])


if __name__ == "__main__":
    side_by_side.main()
