#!/usr/bin/env python3
"""`ichor node remove` on a lab: a worker, a control plane, one that is dead, and what is refused.

Usage: node_test.py ICHOR PROFILE
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402

ICHOR, PROFILE = sys.argv[1:3]
LIMIT_S = 400
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
TALOSCTL = CACHE / "ichor/tools/talosctl-1.12.6/bin/talosctl"


class Node(one_lab.OneLab):
    ichor, profile = ICHOR, PROFILE

    def run_json(self, *words):
        done = subprocess.run([ICHOR, *words, "-p", PROFILE, "--lab-state", self.lab, "-q", "-o",
                               "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=LIMIT_S, check=False)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def lab_nodes(self):
        done = subprocess.run([ICHOR, "lab", "status", "--state", self.lab, "-o", "json"],
                              stdout=subprocess.PIPE, text=True, check=True)
        return {line["node"]: line for line in map(json.loads, done.stdout.splitlines())
                if line["type"] == "lab-node"}

    def inject(self, fault, node):
        subprocess.run([ICHOR, "lab", "inject", fault, "--node", node, "--state", self.lab],
                       check=True, stdout=subprocess.DEVNULL)

    def kubernetes_nodes(self):
        code, lines = self.run_json("status")
        self.assertEqual(code, 0, lines[-1])
        return {line["node"] for line in lines if line["type"] == "kubernetes-node"}

    def members(self):
        code, lines = self.run_json("etcd", "status")
        rows = [line for line in lines if line["type"] == "etcd_member" and line.get("members")]
        return {member["name"] for member in rows[0]["members"]}

    def members_by_talosctl(self):
        if not TALOSCTL.exists():
            return None
        (address, *_), config = one_lab.loopback_addresses(self.lab)
        done = subprocess.run([str(TALOSCTL), "--talosconfig", config, "-e", address, "-n",
                               address, "etcd", "members"], stdout=subprocess.PIPE, text=True,
                              check=True)
        return {line.split()[2] for line in done.stdout.splitlines()[1:]}

    def test_1_without_consent_nothing_goes(self):
        code, lines = self.run_json("up")
        self.assertEqual(code, 0, lines[-1])
        code, lines = self.run_json("node", "remove", "w3")
        self.assertEqual((code, lines[-1]["mutations"]), (5, 0), lines[-1])
        self.assertIn("--consent-wipe w3=DISK-w3", json.dumps(lines))

    def test_2_a_worker_goes_with_its_object_and_comes_back(self):
        words = ("node", "remove", "w3", "--consent-wipe", "w3=DISK-w3")
        code, lines = self.run_json(*words, "--dry-run", "--detailed-exitcode")
        self.assertEqual(code, 2, lines[-1])
        self.assertIn("w3", self.kubernetes_nodes())
        code, lines = self.run_json(*words)
        # A lab takes the object of a machine in maintenance mode away by itself.
        self.assertEqual((code, lines[-1]["mutations"]), (0, 1), lines[-1])
        self.assertNotIn("w3", self.kubernetes_nodes())
        self.assertEqual(self.lab_nodes()["w3"]["stage"], "maintenance")
        code, lines = self.run_json("up")
        self.assertEqual(code, 0, lines[-1])
        self.assertIn("w3", self.kubernetes_nodes())

    def test_3_a_control_plane_leaves_etcd(self):
        code, lines = self.run_json("node", "remove", "cp2", "--consent-wipe", "cp2=DISK-cp2")
        self.assertEqual(code, 0, lines[-1])
        self.assertEqual(self.members(), {"cp1", "cp3"})
        self.assertIn(self.members_by_talosctl(), (None, {"cp1", "cp3"}))
        self.assertNotIn("cp2", self.kubernetes_nodes())
        code, lines = self.run_json("up")
        self.assertEqual(code, 0, lines[-1])
        self.assertEqual(self.members(), {"cp1", "cp2", "cp3"})

    def test_4_a_machine_that_answers_is_not_dead(self):
        code, lines = self.run_json("node", "remove", "cp3", "--dead")
        self.assertEqual((code, lines[-1]["mutations"]), (5, 0), lines[-1])
        self.assertEqual(self.members(), {"cp1", "cp2", "cp3"})

    def test_5_a_dead_member_is_removed_by_its_id(self):
        self.inject("power-off", "cp3")
        code, lines = self.run_json("node", "remove", "cp3", "--dead")
        self.assertEqual((code, lines[-1]["mutations"]), (0, 2), lines[-1])
        self.assertEqual(self.members(), {"cp1", "cp2"})
        self.assertIn(self.members_by_talosctl(), (None, {"cp1", "cp2"}))
        self.assertNotIn("cp3", self.kubernetes_nodes())
        code, lines = self.run_json("node", "remove", "cp3", "--dead")
        self.assertEqual((code, lines[-1]["mutations"]), (0, 0), lines[-1])

    def test_6_a_replacement_removes_and_installs_again(self):
        self.inject("power-on", "cp3")
        code, lines = self.run_json("reset", "cp3", "--graceful", "false", "--consent-wipe",
                                    "cp3=DISK-cp3")
        self.assertEqual(code, 0, lines[-1])
        code, lines = self.run_json("node", "add", "cp3")
        self.assertEqual(code, 0, lines[-1])
        self.assertEqual(self.members(), {"cp1", "cp2", "cp3"})
        code, lines = self.run_json("node", "replace", "w2", "--consent-wipe", "w2=DISK-w2")
        self.assertEqual(code, 0, lines[-1])
        self.assertIn("w2", self.kubernetes_nodes())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
