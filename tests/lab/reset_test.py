#!/usr/bin/env python3
"""`ichor reset` on a lab: one worker, then the whole cluster; `up` brings them back.

Usage: reset_test.py ICHOR PROFILE
"""

import json
import pathlib
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402

ICHOR, PROFILE = sys.argv[1:3]
LIMIT_S = 400


class Reset(one_lab.OneLab):
    ichor, profile = ICHOR, PROFILE

    def run_json(self, *words):
        """Exit code and all lines of a command on the lab."""
        done = subprocess.run([ICHOR, *words, "-p", PROFILE, "--lab-state", self.lab, "-q", "-o",
                               "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=LIMIT_S, check=False)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def summary(self, *words):
        code, lines = self.run_json(*words)
        return code, lines[-1]

    def lab_nodes(self):
        done = subprocess.run([ICHOR, "lab", "status", "--state", self.lab, "-o", "json"],
                              stdout=subprocess.PIPE, text=True, check=True)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return {line["node"]: line for line in lines if line["type"] == "lab-node"}

    def etcd_clusters(self):
        """The ids of the clusters whose data is on the nodes' disks, as the lab keeps them."""
        found = set()
        for file in pathlib.Path(self.lab).rglob("*.machine.json"):
            found |= set(re.findall(r'"etcd_cluster":\s*"([0-9a-f]+)"', file.read_text()))
        return found

    def test_1_preflight_passes_on_blank_machines(self):
        code, lines = self.run_json("preflight")
        self.assertEqual(code, 0, lines[-1])
        checks = {(line["node"], line["check"]): line["result"] for line in lines
                  if line["type"] == "check"}
        self.assertEqual(checks["cp1", "install disk"], "passed")
        self.assertEqual(checks["w1", "data on disk"], "passed")
        self.assertEqual(checks["w1", "memory"], "passed")
        self.assertEqual(checks["", "VIP"], "not applicable")

    def test_2_without_consent_nothing_is_wiped(self):
        code, summary = self.summary("up")
        self.assertEqual(code, 0, summary)
        code, lines = self.run_json("reset", "w1")
        self.assertEqual((code, lines[-1]["mutations"]), (5, 0), lines[-1])
        fixes = [line["fix"] for line in lines if line["type"] == "finding"]
        self.assertTrue(any("--consent-wipe w1=DISK-w1" in fix for fix in fixes), fixes)
        self.assertTrue(self.lab_nodes()["w1"]["installed"])

    def test_3_a_majority_of_the_control_planes_does_not_go(self):
        code, summary = self.summary("reset", "cp1", "cp2", "--consent-wipe", "cp1=DISK-cp1",
                                     "--consent-wipe", "cp2=DISK-cp2")
        self.assertEqual((code, summary["mutations"]), (5, 0), summary)

    def test_4_a_worker_goes_and_comes_back(self):
        code, summary = self.summary("reset", "w1", "--consent-wipe", "w1=DISK-w1", "--dry-run")
        self.assertEqual(code, 0, summary)
        self.assertTrue(self.lab_nodes()["w1"]["installed"], "a dry run changes nothing")
        code, summary = self.summary("reset", "w1", "--consent-wipe", "w1=DISK-w1")
        self.assertEqual((code, summary["mutations"]), (0, 1), summary)
        self.assertEqual(self.lab_nodes()["w1"]["stage"], "maintenance")
        code, summary = self.summary("up")
        self.assertEqual((code, summary["mutations"]), (0, 1), summary)

    def test_5_the_whole_cluster_goes_and_a_new_one_comes(self):
        before = self.etcd_clusters()
        self.assertEqual(len(before), 1, before)
        names = list(self.lab_nodes())
        consents = [word for name in names
                    for word in ("--consent-wipe", f"{name}=DISK-{name}")]
        code, summary = self.summary("reset", "--all", "--cluster-name", "wrong", *consents)
        self.assertEqual(code, 64, summary)
        code, summary = self.summary("reset", "--all", "--cluster-name", "reference", *consents)
        self.assertEqual((code, summary["mutations"]), (0, len(names)), summary)
        self.assertEqual({node["stage"] for node in self.lab_nodes().values()}, {"maintenance"})
        code, summary = self.summary("up")
        self.assertEqual((code, summary["mutations"]), (0, len(names) + 1), summary)
        after = self.etcd_clusters()
        self.assertEqual(len(after), 1, after)
        self.assertTrue(before.isdisjoint(after), "it is a new etcd")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
