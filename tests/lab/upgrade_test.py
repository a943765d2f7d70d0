#!/usr/bin/env python3
"""`ichor upgrade` on a lab: planned, killed midway, resumed; a node that falls back stops the rest.

Usage: upgrade_test.py ICHOR PROFILE
"""

import hashlib
import json
import pathlib
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402

ICHOR, PROFILE = sys.argv[1:3]
LIMIT_S = 400
NAMES = ["cp1", "cp2", "cp3", "w1", "w2", "w3"]


class Upgrade(one_lab.OneLab):
    ichor, profile = ICHOR, PROFILE

    def command(self, *words):
        return [ICHOR, *words, "-p", PROFILE, "--lab-state", self.lab, "-q", "-o", "json"]

    def run_json(self, *words):
        """Exit code and all lines of a command on the lab."""
        done = subprocess.run(self.command(*words), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=LIMIT_S, check=False)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def versions(self):
        """What Talos says on each node."""
        _, lines = self.run_json("status")
        return {line["node"]: line.get("version") for line in lines if line["type"] == "node"}

    def inject(self, fault, node):
        subprocess.run([ICHOR, "lab", "inject", fault, "--node", node, "--state", self.lab],
                       check=True, stdout=subprocess.DEVNULL)

    def snapshots(self):
        """The files that upgrades took, each with what is written beside it."""
        found = sorted(pathlib.Path(self.lab).glob("ichor/*/etcd-before-*.db"))
        return [(file, json.loads(pathlib.Path(f"{file}.json").read_text())) for file in found]

    def findings(self, lines):
        return {(line["id"], line.get("node", "")) for line in lines if line["type"] == "finding"}

    def test_1_a_step_that_is_too_large_is_refused_and_the_next_command_named(self):
        code, lines = self.run_json("up")
        self.assertEqual(code, 0, lines[-1])
        code, lines = self.run_json("upgrade", "--to", "v1.14.1")
        self.assertEqual((code, lines[-1]["mutations"]), (5, 0), lines[-1])
        fixes = [line["fix"] for line in lines if line["type"] == "finding"]
        self.assertTrue(any("--to v1.13.9` first" in fix for fix in fixes), fixes)

    def test_2_the_plan_names_every_step_and_changes_nothing(self):
        code, lines = self.run_json("upgrade", "--to", "v1.13.9", "--dry-run")
        self.assertEqual(code, 0, lines[-1])
        steps = [(line["node"], line["action"]) for line in lines if line["type"] == "action"]
        self.assertEqual([step for step in steps if step[1] == "ImagePull"],
                         [(name, "ImagePull") for name in NAMES])
        upgrades = [node for node, action in steps if action == "Upgrade"]
        self.assertEqual(sorted(upgrades), NAMES)
        self.assertTrue(all(node.startswith("cp") for node in upgrades[:3]), upgrades)
        first_cordon = next(i for i, step in enumerate(steps) if step[1] == "cordon")
        last_pull = max(i for i, step in enumerate(steps) if step[1] == "ImagePull")
        self.assertLess(last_pull, first_cordon, "no node is drained before all have the image")
        snapshots = [i for i, step in enumerate(steps) if step[1] == "EtcdSnapshot"]
        self.assertEqual(len(snapshots), 1, steps)
        self.assertTrue(last_pull < snapshots[0] < first_cordon, steps)
        self.assertEqual(self.snapshots(), [])
        leader = next(node for node, action in steps if action == "EtcdForfeitLeadership")
        self.assertEqual(upgrades[2], leader, "the leader goes last")
        self.assertEqual(set(self.versions().values()), {"v1.12.6"})

    def test_3_a_run_that_is_killed_midway_is_resumed(self):
        killed = subprocess.Popen(self.command("upgrade", "--to", "v1.13.9"),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + LIMIT_S
        while list(self.versions().values()).count("v1.13.9") < 1:
            self.assertLess(time.monotonic(), deadline, self.versions())
            self.assertIsNone(killed.poll(), "the run ended before it was killed")
        killed.kill()
        killed.wait()
        versions = self.versions()
        self.assertIn("v1.12.6", versions.values(), "it was killed midway")
        [(file, metadata)] = self.snapshots()
        self.assertIn("etcd-before-v1.13.9-", file.name)
        # etcd appends the hash of its database to the snapshot.
        content = file.read_bytes()
        self.assertEqual(hashlib.sha256(content[:-32]).digest(), content[-32:])
        self.assertEqual(metadata["sha256"], content[-32:].hex())
        self.assertEqual(metadata["talos"], "v1.12.6", "it was taken before the first change")
        code, lines = self.run_json("upgrade", "--to", "v1.13.9")
        self.assertEqual(code, 0, [line for line in lines if line["type"] != "event"][-5:])
        self.assertEqual(self.versions(), dict.fromkeys(NAMES, "v1.13.9"))
        self.assertEqual(len(self.snapshots()), 1, "the resumed run has one that is good")
        code, lines = self.run_json("upgrade", "--to", "v1.13.9")
        self.assertEqual((code, lines[-1]["mutations"]), (0, 0), lines[-1])
        self.assertEqual(len(self.snapshots()), 1, "nothing was to be done")
        code, lines = self.run_json("health")
        self.assertEqual(code, 0, lines[-1])

    def test_4_an_image_that_one_node_cannot_pull_drains_no_node(self):
        self.inject("image-missing", "w3")
        code, lines = self.run_json("upgrade", "--to", "v1.13.10")
        self.assertEqual(code, 1, lines[-1])
        self.assertIn(("U1", "w3"), self.findings(lines))
        self.assertEqual(set(self.versions().values()), {"v1.13.9"})
        self.inject("clear", "w3")

    def test_5_a_node_that_falls_back_is_named_and_stops_the_rollout(self):
        self.inject("image-broken", "w1")
        code, lines = self.run_json("upgrade", "--to", "v1.13.10", "-n", "w1,w2")
        self.assertEqual(code, 1, lines[-1])
        self.assertIn(("U3", "w1"), self.findings(lines))
        self.assertEqual(self.versions()["w1"], "v1.13.9")
        self.assertEqual(len(self.snapshots()), 2, "another upgrade has another one")
        self.inject("clear", "w1")
        self.snapshots()[1][0].write_bytes(b"not whole any more")
        code, lines = self.run_json("upgrade", "--to", "v1.13.10", "-n", "w1,w2", "--keep", "2")
        self.assertEqual(code, 0, lines[-1])
        names = [file.name for file, _ in self.snapshots()]
        self.assertEqual(len(names), 2, "one that is damaged does not count, and --keep removes")
        versions = self.versions()
        self.assertEqual([versions[name] for name in NAMES],
                         ["v1.13.9"] * 3 + ["v1.13.10"] * 2 + ["v1.13.9"])

    def test_6_a_cluster_whose_etcd_cannot_be_snapshotted_is_not_changed(self):
        before = len(self.snapshots())
        taken = pathlib.Path(self.folder.name) / "taken.db"
        taken.write_text("another file")
        code, lines = self.run_json("upgrade", "--to", "v1.13.10", "-n", "w3", "--snapshot-file",
                                    str(taken))
        self.assertEqual((code, lines[-1]["mutations"]), (1, 1), "only the image was pulled")
        self.assertEqual(self.versions()["w3"], "v1.13.9")
        code, lines = self.run_json("upgrade", "--to", "v1.13.10", "-n", "w3", "--no-snapshot")
        self.assertEqual(code, 0, lines[-1])
        self.assertEqual(self.versions()["w3"], "v1.13.10")
        self.assertEqual(len(self.snapshots()), before)

    def test_7_the_snapshot_is_encrypted_where_that_is_asked_for(self):
        recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
        sealed = pathlib.Path(self.folder.name) / "sealed.age"
        code, lines = self.run_json("upgrade", "--to", "v1.13.10", "-n", "cp1", "--snapshot-file",
                                    str(sealed), "--age", recipient)
        self.assertEqual(code, 0, lines[-1])
        self.assertEqual(self.versions()["cp1"], "v1.13.10")
        self.assertNotIn(b"/registry/", sealed.read_bytes())
        self.assertTrue(json.loads(pathlib.Path(f"{sealed}.json").read_text())["encrypted"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
