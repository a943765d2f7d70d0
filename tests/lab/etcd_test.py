#!/usr/bin/env python3
"""`ichor etcd` on a lab, beside the real talosctl, etcdutl and etcd.

Usage: etcd_test.py ICHOR PROFILE

What they say about members, sizes and snapshots must be what ichor says. Programs that
tools/real-tools has not built are named as skipped.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402
import side_by_side  # noqa: E402

ICHOR, PROFILE = sys.argv[1:3]
LIMIT_S = 400
NODES = ("cp1", "cp2", "cp3", "w1", "w2", "w3")
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
TOOLS = {name: CACHE / "ichor/tools" / folder / "bin" / name
         for name, folder in (("talosctl", "talosctl-1.12.6"), ("etcdutl", "etcdutl-3.6.14"))}


def tool(test, name):
    if not TOOLS[name].exists():
        test.skipTest(f"{name} is not built: tools/real-tools {name}")
    return str(TOOLS[name])


class Etcd(one_lab.OneLab):
    ichor, profile = ICHOR, PROFILE

    def run_json(self, *words, lab=None):
        done = subprocess.run([ICHOR, *words, "-p", PROFILE, "--lab-state", lab or self.lab, "-q",
                               "-o", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=LIMIT_S, check=False)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def rows(self, kind, *words):
        code, lines = self.run_json(*words)
        return code, [line for line in lines if line["type"] == kind]

    def talosctl(self, *words, node="cp1"):
        addresses, config = one_lab.loopback_addresses(self.lab)
        address = addresses[NODES.index(node)]
        done = subprocess.run([tool(self, "talosctl"), "--talosconfig", config, "-e", address,
                               "-n", address, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def etcdutl(self, *words):
        done = subprocess.run([tool(self, "etcdutl"), *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @classmethod
    def place(cls, name):
        return f"{cls.folder.name}/{name}"

    def test_1_before_there_is_an_etcd_nothing_is_called_healthy(self):
        code, lines = self.run_json("etcd", "status")
        self.assertEqual(code, 3, lines[-1])
        code, lines = self.run_json("etcd", "snapshot", self.place("none.db"))
        self.assertEqual(code, 1, lines[-1])
        self.assertFalse(list(pathlib.Path(self.folder.name).glob("none.db*")))
        code, lines = self.run_json("up")
        self.assertEqual(code, 0, lines[-1])

    def test_2_status_is_what_talosctl_says(self):
        code, rows = self.rows("etcd_member", "etcd", "status")
        self.assertEqual(code, 0)
        self.assertEqual([row["node"] for row in rows], ["cp1", "cp2", "cp3"])
        self.assertEqual(sorted(row["role"] for row in rows), ["leader", "voter", "voter"])
        self.assertEqual(len({row["leader"] for row in rows}), 1)
        listed = self.talosctl("etcd", "members")
        for row in rows:
            self.assertRegex(listed, rf"{row['member'].lstrip('0')}\s+{row['node']}\s")
        status = self.talosctl("etcd", "status", node="cp2")
        self.assertIn(rows[1]["member"].lstrip("0"), status)
        self.assertIn("2.5 MB", status)
        self.assertEqual(rows[1]["db_bytes"], 2_500_000)

    def test_3_a_snapshot_is_one_for_etcdutl_as_well(self):
        path = self.place("snap.db")
        code, rows = self.rows("etcd_snapshot", "etcd", "snapshot", path)
        self.assertEqual(code, 0)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.assertFalse(os.path.exists(path + ".part"))
        beside = json.loads(pathlib.Path(path + ".json").read_text())
        self.assertEqual(beside["revision"], rows[0]["revision"])
        self.assertEqual({member["name"] for member in beside["members"]}, {"cp1", "cp2", "cp3"})
        status = json.loads(self.etcdutl("snapshot", "status", path, "-w", "json"))
        self.assertEqual(status["revision"], rows[0]["revision"])
        self.assertEqual(status["totalKey"], rows[0]["keys"])
        self.assertEqual(status["version"], rows[0]["storage_version"])

    def test_4_etcdutl_restores_it(self):
        target = self.place("restored")
        self.etcdutl("snapshot", "restore", self.place("snap.db"), "--data-dir", target, "--name",
                     "cp1", "--initial-cluster", "cp1=https://10.0.0.1:2380",
                     "--initial-advertise-peer-urls", "https://10.0.0.1:2380")
        self.assertTrue(os.path.exists(target + "/member/snap/db"))

    def test_5_talosctl_takes_the_same_snapshot(self):
        path = self.place("talosctl.db")
        text = self.talosctl("etcd", "snapshot", path, node="cp2")
        revision = json.loads(pathlib.Path(self.place("snap.db.json")).read_text())["revision"]
        self.assertRegex(text, rf"revision {revision}\b")

    def test_6_older_snapshots_go_and_others_stay(self):
        folder = self.place("kept")
        os.mkdir(folder)
        pathlib.Path(folder, "mine.db").write_text("of another tool")
        for name in ("a", "b", "c"):
            code, lines = self.run_json("etcd", "snapshot", f"{folder}/{name}.db", "--keep", "2")
            self.assertEqual(code, 0, lines[-1])
        self.assertEqual(sorted(os.listdir(folder)),
                         ["b.db", "b.db.json", "c.db", "c.db.json", "mine.db"])
        code, lines = self.run_json("etcd", "snapshot", f"{folder}/c.db")
        self.assertEqual(code, 1, "what exists is left alone")

    def test_7_an_encrypted_snapshot_is_decrypted_to_the_same(self):
        key = self.place("key.txt")
        pathlib.Path(key).write_text(
            "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX\n")
        os.chmod(key, 0o600)
        recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
        path = self.place("snap.db.age")
        code, lines = self.run_json("etcd", "snapshot", path, "--age", recipient)
        self.assertEqual(code, 0, lines)
        self.assertNotIn(b"/registry", pathlib.Path(path).read_bytes())
        plain = self.place("plain.db")
        done = subprocess.run([ICHOR, "secrets", "decrypt", path, "-o", plain], check=False,
                              env=os.environ | {"SOPS_AGE_KEY_FILE": key}, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.etcdutl("snapshot", "status", plain)

    def test_8_defrag_goes_member_by_member_and_the_leader_is_last(self):
        code, lines = self.run_json("etcd", "defrag", "--dry-run", "--detailed-exitcode")
        self.assertEqual(code, 2, lines[-1])
        done = subprocess.run([ICHOR, "etcd", "defrag", "-p", PROFILE, "--lab-state", self.lab,
                               "-o", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=LIMIT_S, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual((done.returncode, lines[-1]["mutations"]), (0, 3), lines[-1])
        decided = [line["text"] for line in lines if line["type"] == "decided"]
        self.assertEqual(len(decided), 3)
        self.assertEqual([("leader last" in text) for text in decided], [False, False, True])
        self.assertIn("1.3 MB", self.talosctl("etcd", "status", node="cp3"))
        code, lines = self.run_json("etcd", "defrag")
        self.assertEqual((code, lines[-1]["mutations"]), (0, 0), lines[-1])

    def test_9_a_member_that_is_gone_is_reported_and_a_snapshot_is_still_good(self):
        subprocess.run([ICHOR, "lab", "inject", "power-off", "--node", "cp3", "--state", self.lab],
                       check=True, stdout=subprocess.DEVNULL)
        code, lines = self.run_json("etcd", "status")
        self.assertEqual(code, 3, lines[-1])
        self.assertTrue(any(line["type"] == "finding" and line.get("node") == "cp3"
                            for line in lines), lines)
        code, lines = self.run_json("etcd", "snapshot", self.place("two.db"))
        self.assertEqual(code, 0, lines[-1])
        # Nothing is defragmented while a member is missing.
        code, lines = self.run_json("etcd", "defrag", "--dry-run")
        text = json.dumps(lines)
        self.assertNotRegex(text, re.compile(r'"planned": ?[1-9]'))


if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    side_by_side.main()
