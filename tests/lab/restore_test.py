#!/usr/bin/env python3
"""`ichor etcd restore` on a lab: refused while there is an etcd, killed midway, and continued.

Usage: restore_test.py ICHOR PROFILE
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402

ICHOR, PROFILE = sys.argv[1:3]
LIMIT_S = 400
CLUSTER = "reference"
NODES = ("cp1", "cp2", "cp3", "w1", "w2", "w3")


class Restore(one_lab.OneLab):
    ichor, profile = ICHOR, PROFILE

    def command(self, *words):
        return [ICHOR, *words, "-p", PROFILE, "--lab-state", self.lab, "-q", "-o", "json"]

    def run_json(self, *words):
        done = subprocess.run(self.command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=LIMIT_S, check=False)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    @classmethod
    def place(cls, name):
        return f"{cls.folder.name}/{name}"

    def revision(self):
        path = self.place("now.db")
        for name in (path, path + ".json"):
            pathlib.Path(name).unlink(missing_ok=True)
        code, lines = self.run_json("etcd", "snapshot", path)
        self.assertEqual(code, 0, lines[-1])
        return next(line["revision"] for line in lines if line["type"] == "etcd_snapshot")

    def etcd_clusters(self):
        found = set()
        for file in pathlib.Path(self.lab).rglob("*.machine.json"):
            found |= set(re.findall(r'"etcd_cluster":\s*"([0-9a-f]+)"', file.read_text()))
        return found

    def wipe(self):
        consents = [word for node in NODES for word in ("--consent-wipe", f"{node}=DISK-{node}")]
        code, lines = self.run_json("reset", "--all", "--cluster-name", CLUSTER, *consents)
        self.assertEqual(code, 0, lines[-1])

    def restore(self, path, *words):
        return self.run_json("etcd", "restore", path, "--cluster-name", CLUSTER, *words)

    def test_1_over_an_etcd_that_exists_nothing_is_restored(self):
        code, lines = self.run_json("up")
        self.assertEqual(code, 0, lines[-1])
        code, lines = self.run_json("etcd", "snapshot", self.place("good.db"))
        self.assertEqual(code, 0, lines[-1])
        code, lines = self.restore(self.place("good.db"))
        self.assertEqual((code, lines[-1]["mutations"]), (5, 0), lines[-1])

    def test_2_a_damaged_snapshot_or_one_of_another_cluster_is_refused(self):
        good = pathlib.Path(self.place("good.db")).read_bytes()
        damaged = self.place("damaged.db")
        pathlib.Path(damaged).write_bytes(good[:9000] + b"x" + good[9001:])
        code, lines = self.restore(damaged)
        self.assertEqual((code, lines[-1]["mutations"]), (5, 0), lines[-1])
        cut = self.place("cut.db")
        pathlib.Path(cut).write_bytes(good[:len(good) - 4096])
        self.assertEqual(self.restore(cut)[0], 5)
        other = self.place("other.db")
        shutil.copy(self.place("good.db"), other)
        text = pathlib.Path(self.place("good.db.json")).read_text()
        pathlib.Path(other + ".json").write_text(text.replace(f'"{CLUSTER}"', '"prod"'))
        code, lines = self.restore(other)
        self.assertEqual(code, 5, lines[-1])
        code, lines = self.run_json("etcd", "restore", self.place("good.db"), "--cluster-name",
                                    "prod")
        self.assertEqual(code, 64, lines[-1])

    def test_3_a_restore_that_is_killed_is_not_lost(self):
        type(self).before = self.revision()
        type(self).old = self.etcd_clusters()
        self.wipe()
        self.assertEqual(self.etcd_clusters(), set())
        path = self.place("good.db")
        code, lines = self.restore(path, "--dry-run")
        self.assertEqual(code, 0, lines[-1])
        self.assertIn("EtcdRecover", json.dumps(lines))
        words = [word for word in self.command("etcd", "restore", path, "--cluster-name", CLUSTER)
                 if word != "-q"]
        killed = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True)
        uploaded = False
        for line in killed.stdout:
            uploaded = "to be restored" in line
            if uploaded:
                break
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        killed.stdout.close()
        self.assertTrue(uploaded, "it ended before the upload")
        self.assertEqual(self.etcd_clusters(), set())
        # No empty etcd is made in the place of the restore.
        code, lines = self.run_json("up")
        self.assertEqual(code, 5, lines[-1])
        self.assertIn("a restore of the snapshot", json.dumps(lines))
        self.assertEqual(self.etcd_clusters(), set())

    def test_4_the_same_command_continues_and_proves_the_revision(self):
        code, lines = self.restore(self.place("good.db"))
        self.assertEqual(code, 0, lines[-1])
        clusters = self.etcd_clusters()
        self.assertEqual(len(clusters), 1)
        self.assertTrue(clusters.isdisjoint(self.old), "it is a new etcd with the old content")
        beside = json.loads(pathlib.Path(self.place("good.db.json")).read_text())
        self.assertGreater(self.revision(), beside["revision"])
        code, rows = self.run_json("etcd", "status")
        self.assertEqual(code, 0, rows[-1])

    def test_5_afterwards_up_has_nothing_to_do(self):
        code, lines = self.run_json("up")
        self.assertEqual((code, lines[-1]["mutations"]), (0, 0), lines[-1])
        code, lines = self.run_json("etcd", "restore", "--abandon", "--cluster-name", CLUSTER)
        self.assertEqual(code, 0, lines[-1])
        self.assertIn("no restore was under way", lines[-1]["verdict"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
