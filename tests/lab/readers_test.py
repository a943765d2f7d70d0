#!/usr/bin/env python3
"""What people read before, during and after a run: rehearse, watch, history, report and the list of
labs; and the names that a shell completes.

Usage: readers_test.py ICHOR PROFILE
"""

import json
import os
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


def ichor(*words, **options):
    return subprocess.run([ICHOR, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=LIMIT_S, check=False, **options)


def objects(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


class Readers(one_lab.OneLab):
    ichor = ICHOR
    profile = PROFILE

    def read(self, *words):
        return ichor(*words, "-p", PROFILE, "--lab-state", self.lab)

    def up(self, *words):
        return ichor("up", "-p", PROFILE, "--lab-state", self.lab, "-q", *words)

    def test_1_watch_follows_a_run_and_says_its_exit_code(self):
        run = subprocess.Popen([ICHOR, "up", "-p", PROFILE, "--lab-state", self.lab, "-q"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + LIMIT_S
        # The journal is made a moment after the process.
        watched = self.read("watch", "-o", "json")
        while "run" not in objects(watched)[-1]:
            self.assertLess(time.monotonic(), deadline, watched.stdout)
            watched = self.read("watch", "-o", "json")
        self.assertEqual(run.wait(timeout=LIMIT_S), 0)
        self.assertEqual(watched.returncode, 0, watched.stdout[-2000:])
        told = objects(watched)
        self.assertEqual(told[-1]["run"]["exit"], 0)
        records = [one for one in told if one["type"] == "record"]
        self.assertEqual(records[0]["kind"], "run-started")
        self.assertEqual(records[-1]["kind"], "run-ended")
        self.assertEqual(7, sum(one["kind"] == "intent" for one in records))

    def test_2_history_lists_the_runs_and_diff_compares_them(self):
        self.assertEqual(self.up().returncode, 0)
        listed = objects(self.read("history", "-o", "json"))
        runs = [one for one in listed if one["type"] == "run"]
        self.assertEqual([one["command"] for one in runs], ["up", "up"])
        self.assertEqual([one["mutations"] for one in runs], [7, 0])
        self.assertEqual([one["exit"] for one in runs], [0, 0])
        done = self.read("history", "diff", "1", runs[1]["id"][:10], "-o", "json")
        differences = {one["what"]: one for one in objects(done) if one["type"] == "difference"}
        self.assertEqual(differences["mutations"]["before"], "7")
        self.assertEqual(differences["mutations"]["after"], "0")
        self.assertNotIn("secrets", differences)
        self.assertNotIn("config of cp1", differences)
        self.assertTrue(any(what.startswith("step verify") for what in differences), differences)

    def test_3_the_report_of_a_run_has_the_evidence(self):
        text = self.read("report", "1", "--text").stdout
        self.assertIn("## Run 1, ", text)
        self.assertNotIn("## Run 2, ", text)
        self.assertIn(f"| Kubeconfig | {self.lab}/kubeconfig |", text)
        self.assertIn("| etcd members | voters: cp1, cp2, cp3; learners: none |", text)
        self.assertIn("| Command | ichor up |", text)
        self.assertRegex(text, r"\| Versions \| Talos v?1\.12\.6, Kubernetes v1\.35\.2 \|")
        self.assertRegex(text, r"Verdict: due: .*etcd data")
        for name in ("cp1", "cp2", "cp3"):
            self.assertRegex(text, f"- {name}: no etcd data")
        self.assertRegex(text, r"\| verify \| w1 \| done \|")
        self.assertNotIn("PRIVATE KEY", text)

    def test_4_a_lab_that_runs_is_listed_and_never_removed(self):
        done = ichor("lab", "list", "-o", "json", cwd=self.folder.name)
        labs = [one for one in objects(done) if one["type"] == "lab"]
        here = [one for one in labs if one["folder"] == self.lab]
        self.assertEqual([one["state"] for one in here], ["runs"])
        self.assertEqual(here[0]["machines"], 6)
        removed = ichor("lab", "rm", self.lab)
        self.assertEqual(removed.returncode, 5, removed.stdout)
        self.assertIn("ichor lab stop --state", removed.stdout)
        self.assertTrue(os.path.exists(self.lab + "/lab.json"))

    def test_5_a_lab_that_is_off_is_removed_with_all_that_is_its_own(self):
        one_lab.stop(ICHOR, self.lab)
        precious = self.lab + "/notes.txt"
        with open(precious, "w", encoding="utf-8") as file:
            file.write("mine")
        removed = ichor("lab", "rm", self.lab)
        self.assertEqual(removed.returncode, 5, removed.stdout)
        self.assertIn("notes.txt", removed.stdout)
        self.assertTrue(os.path.exists(self.lab + "/machines.json"))
        os.remove(precious)
        self.assertEqual(ichor("lab", "rm", self.lab).returncode, 0)
        self.assertFalse(os.path.exists(self.lab))
        self.assertEqual(ichor("lab", "rm", self.folder.name).returncode, 1)
        self.assertTrue(os.path.exists(self.folder.name))


class Rehearsal(unittest.TestCase):
    def test_says_how_often_how_long_and_where(self):
        with tempfile.TemporaryDirectory() as folder:
            page = folder + "/rehearsal.html"
            done = ichor("rehearse", "-p", PROFILE, "--seeds", "60", "--html", page, "-o", "json")
            self.assertEqual(done.returncode, 0, done.stdout[-2000:])
            told = objects(done)
            summary = told[-1]
            self.assertEqual(summary["type"], "summary")
            self.assertGreater(summary["success_rate"], 0.8)
            times = summary["ready_seconds"]
            self.assertLess(60, times["p50"])
            self.assertLessEqual(times["p50"], times["p95"])
            self.assertLessEqual(times["p95"], times["max"])
            self.assertIn(summary["weakest_step"], [one["step"] for one in told
                                                    if one["type"] == "step"])
            self.assertEqual(60, sum(one["type"] == "seed" for one in told))
            with open(page, encoding="utf-8") as file:
                self.assertIn("Rehearsal of reference", file.read())
            self.assertEqual(os.listdir(folder), ["rehearsal.html"])
            again = ichor("rehearse", "-p", PROFILE, "--seeds", "60", "--jobs", "1", "-o", "json")
            self.assertEqual(objects(again)[-1]["ready_seconds"], times)


class Explaining(unittest.TestCase):
    def test_explains_both_kinds_and_names_the_nearest_id(self):
        self.assertIn("lint rule", ichor("explain", "C2").stdout)
        self.assertIn("N1: ", ichor("explain", "N1").stdout)
        wrong = ichor("explain", "N99")
        self.assertEqual(wrong.returncode, 64)
        self.assertRegex(wrong.stdout, r"did you mean N\d+\?")


class Completion(unittest.TestCase):
    """bash itself completes the line."""

    def complete(self, *words):
        script = 'source <("$1" completion bash); shift; COMP_WORDS=("$@"); ' \
                 'COMP_CWORD=$(($# - 1)); _ichor; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, "-", ICHOR, ICHOR, *words], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              check=False)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_nodes_come_from_the_profile_on_the_line(self):
        self.assertEqual(self.complete("status", "-p", PROFILE, "-n", "cp"),
                         ["cp1", "cp2", "cp3"])
        self.assertEqual(self.complete("status", "-p", PROFILE, "--nodes", "cp1,w"),
                         ["cp1,w1", "cp1,w2", "cp1,w3"])
        self.assertEqual(self.complete("status", "-p", "/missing", "-n", ""), [])

    def test_clusters_faults_and_ids(self):
        self.assertEqual(self.complete("up", "-p", PROFILE, "--cluster", ""), ["reference"])
        self.assertIn("blackhole", self.complete("lab", "inject", "bl"))
        self.assertIn("C2", self.complete("explain", "C"))

    def test_a_group_that_is_a_command_offers_both(self):
        self.assertIn("diff", self.complete("history", ""))
        self.assertIn("--output", self.complete("history", "--out"))
        self.assertEqual(self.complete("history", "-p", PROFILE, "di"), ["diff"])


if __name__ == "__main__":
    side_by_side.main()
