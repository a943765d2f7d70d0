#!/usr/bin/env python3
"""Several clusters of one repository, each on a lab of its own.

Usage: clusters_test.py ICHOR
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402
import side_by_side  # noqa: E402

ICHOR = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_S = 240
CNI_PENDING = 6  # the example leaves the CNI to Kubernetes phases that it does not have


class Clusters(unittest.TestCase):
    """A copy of examples/multi-cluster, with a lab for infra and one for apps below lab/."""

    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        shutil.copytree(ROOT / "examples" / "multi-cluster", self.folder, dirs_exist_ok=True)
        for name in ("infra", "apps"):
            started = one_lab.start(ICHOR, str(self.folder / "talos" / name), self.lab(name))
            self.addCleanup(one_lab.stop, ICHOR, self.lab(name))
            self.assertEqual(started.returncode, 0, started.stderr)

    def lab(self, name):
        return str(self.folder / "lab" / name)

    def ichor(self, *words):
        """Exit code and objects of a command in the root of the repository."""
        done = subprocess.run([ICHOR, *words, "-o", "json"], cwd=self.folder, timeout=LIMIT_S,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def contexts(self):
        """The names of the contexts in the kubeconfig that the clusters share."""
        text = (self.folder / "lab" / "kubeconfig").read_text()
        part = text[text.index("contexts:"):]
        return {line.split()[1] for line in part.splitlines() if line.startswith("      name:")}

    def test_one_command_brings_all_of_them_up_and_looks_at_all(self):
        code, events = self.ichor("up", "--all", "--lab-state", "lab")
        self.assertEqual(code, CNI_PENDING, events[-1])
        self.assertEqual({"infra", "apps"}, set(events[-1]["clusters"]))
        self.assertEqual(12, len(events[-1]["nodes"]))
        self.assertEqual({"infra", "apps"}, self.contexts())
        self.assertTrue(all("cluster" in event for event in events[:-1]))

        code, events = self.ichor("status", "--all", "--lab-state", "lab")
        self.assertEqual(code, 0, events[-1])
        seen = {(event["cluster"], event["node"]) for event in events if event["type"] == "node"}
        self.assertEqual(12, len(seen))

        code, events = self.ichor("up", "--cluster", "apps,infra", "--lab-state", "lab")
        self.assertEqual(code, CNI_PENDING, events[-1])
        self.assertEqual(0, events[-1]["mutations"], "a second run changes nothing")

    def test_one_that_fails_does_not_stop_the_other(self):
        subprocess.run([ICHOR, "lab", "inject", "refuse", "--state", self.lab("apps"), "--node",
                        "cp1"], check=True, stdout=subprocess.DEVNULL)
        code, events = self.ichor("up", "--all", "--lab-state", "lab")
        self.assertEqual(code, 1, events[-1])
        clusters = events[-1]["clusters"]
        self.assertEqual(CNI_PENDING, clusters["infra"]["exit"], clusters)
        self.assertNotIn(clusters["apps"]["exit"], (0, CNI_PENDING), clusters)
        self.assertEqual({"infra"}, self.contexts())

    def test_a_command_acts_on_the_named_cluster_only(self):
        code, events = self.ichor("up", "--cluster", "infra", "--lab-state", self.lab("infra"))
        self.assertEqual(code, CNI_PENDING, events[-1])
        code, events = self.ichor("status", "--cluster", "apps", "--lab-state", self.lab("apps"))
        stages = {event["stage"] for event in events if event["type"] == "node"}
        self.assertEqual({"maintenance"}, stages)
        code, events = self.ichor("status", "--cluster", "app", "--lab-state", "lab")
        self.assertEqual(code, 64, events[-1])
        self.assertIn('did you mean "apps"?', events[-1]["verdict"])

    def test_a_signal_ends_every_run_in_order_and_the_next_one_goes_on(self):
        with subprocess.Popen([ICHOR, "up", "--all", "--lab-state", "lab", "-o", "json"],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as ran:
            self.addCleanup(ran.kill)
            ended = set()
            asked = False  # once: a second signal ends it at once
            for line in ran.stdout:
                event = json.loads(line)
                if event["type"] == "acted" and not asked:
                    ran.send_signal(signal.SIGTERM)
                    asked = True
                if event["type"] == "cluster":
                    ended.add((event["cluster"], event["exit"]))
            self.assertEqual(ran.wait(timeout=LIMIT_S), 143)
        self.assertEqual({("infra", 143), ("apps", 143)}, ended)
        code, events = self.ichor("up", "--all", "--lab-state", "lab")
        self.assertEqual(code, CNI_PENDING, events[-1])


if __name__ == "__main__":
    side_by_side.main()
