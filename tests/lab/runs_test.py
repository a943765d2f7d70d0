#!/usr/bin/env python3
"""Runs as an operator meets them, on labs: what health, doctor and plan say, edits between two
runs, and hints that can be pasted.

Usage: runs_test.py ICHOR PROFILE
"""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402
import side_by_side  # noqa: E402

ICHOR, PROFILE = (os.path.abspath(path) for path in sys.argv[1:3])
LIMIT_S = 240
NODES = ["cp1", "cp2", "cp3", "w1", "w2", "w3"]


def run(*words, **variables):
    return subprocess.run([ICHOR, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=LIMIT_S, check=False,
                          env={**os.environ, **variables})


def run_json(*words):
    """Exit code, the objects that a command prints, and the last of them."""
    done = run(*words, "-o", "json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, events, events[-1]


def of(events, kind, **fields):
    return [event for event in events if event["type"] == kind
            and all(event.get(name) == value for name, value in fields.items())]


class ReferenceLab(one_lab.OneLab):
    ichor, profile = ICHOR, PROFILE

    def on_lab(self, *words):
        return run_json(*words, "-p", PROFILE, "--lab-state", self.lab)

    def inject(self, fault, node):
        subprocess.run([ICHOR, "lab", "inject", fault, "--state", self.lab, "--node", node],
                       check=True, stdout=subprocess.DEVNULL)


class Order(ReferenceLab):
    """One cluster, from the plan to the run."""

    def test_1_the_plan_is_in_the_order_of_the_run_and_its_hint_stays_on_the_lab(self):
        code, events, summary = self.on_lab("plan")
        self.assertEqual(code, 0, summary)
        # A machine that has not booted yet is waited for first.
        planned = [(row["action"], row["node"]) for row in of(events, "action")
                   if row["action"] != "wait"]
        apply = "ApplyConfiguration"
        self.assertEqual(planned, [*((apply, node) for node in NODES), ("Bootstrap", "cp1"),
                                   ("Kubeconfig", "cp1")])
        command, = summary["next"]
        self.assertEqual(shlex.split(command),
                         ["ichor", "up", "-p", PROFILE, "--lab-state", self.lab])

    def test_2_a_plan_needs_no_machines(self):
        nowhere = self.folder.name + "/nowhere"
        code, events, summary = run_json("plan", "--offline", "-p", PROFILE, "--state-dir", nowhere)
        self.assertEqual((code, summary["planned"]), (0, 8), summary)
        self.assertTrue(all(row["verified"] is False for row in of(events, "action")), events)
        self.assertFalse(os.path.exists(nowhere))

    def test_3_sequential_follows_the_profile(self):
        code, events, summary = self.on_lab("up", "--order", "sequential")
        self.assertEqual(code, 0, summary)
        sent = [event["node"] for event in of(events, "acted", phase="apply")]
        self.assertEqual(sent, NODES)


class Operator(ReferenceLab):
    """A cluster that is up, and then has trouble."""

    scale = 20  # what must pass in half a minute has a second and a half

    def test_1_brings_it_up(self):
        code, _, summary = self.on_lab("up")
        self.assertEqual(code, 0, summary)

    def test_4_a_rerun_says_why_it_skips_the_bootstrap(self):
        code, events, summary = self.on_lab("up")
        self.assertEqual((code, summary["mutations"]), (0, 0), summary)
        done, = of(events, "phase-done", phase="bootstrap")
        self.assertTrue(done["text"].startswith("skipped: etcd exists"), done)
        for node in NODES[:3]:
            self.assertIn(f"{node}: etcd data", done["text"])
        self.assertIn("verdict bootstrap", run("report", "-p", PROFILE, "--lab-state",
                                               self.lab).stdout)
        self.assertFalse([event for event in events if event.get("severity") == "error"])
        last = run("doctor", "--last", "-p", PROFILE, "--lab-state", self.lab)
        self.assertNotIn("error ", last.stdout)

    def test_5_a_command_about_one_node_keeps_the_talosconfig(self):
        path = pathlib.Path(self.lab) / "ichor/reference/talosconfig"
        before = path.read_text()
        for words in (("verify", "-n", "w1"), ("apply", "-n", "w1")):
            code, _, summary = self.on_lab(*words)
            self.assertEqual(code, 0, summary)
            self.assertEqual(path.read_text(), before, words)

    def test_6_status_tells_certificates_alarms_and_the_cni(self):
        code, events, summary = self.on_lab("status")
        self.assertEqual(code, 0, summary)
        days = {row["credential"]: row["days"] for row in of(events, "credential")}
        self.assertEqual(set(days), {"talosconfig", "kubeconfig"})
        self.assertTrue(all(300 < left < 400 for left in days.values()), days)
        self.assertEqual([row["alarms"] for row in of(events, "cluster")], ["none"])
        self.assertEqual([row["state"] for row in of(events, "layer", layer="cni")], ["ok"])
        code, _, summary = self.on_lab("wait", "nodes", "--timeout", "30s")
        self.assertEqual(code, 0, summary)

    def test_7_a_node_that_is_away_has_not_passed(self):
        self.inject("power-off", "w2")
        try:
            code, _, summary = self.on_lab("health", "--wait-timeout", "600s")
            self.assertEqual(code, 4, summary)
            results = {name: node["result"] for name, node in summary["nodes"].items()}
            self.assertEqual(results, {**{name: "passed" for name in NODES}, "w2": "out of time"})
        finally:
            self.inject("power-on", "w2")
        code, _, summary = self.on_lab("health")
        self.assertEqual(code, 0, summary)

    def test_8_a_live_run_keeps_its_lock(self):
        self.inject("freeze", "cp1")
        try:
            stuck = subprocess.Popen([ICHOR, "up", "-p", PROFILE, "--lab-state", self.lab, "-o",
                                      "json"], stdout=subprocess.PIPE, text=True)
            self.addCleanup(stuck.stdout.close)
            stuck.stdout.readline()  # it runs, so it holds the lock
            code, events, summary = self.on_lab("up")
            self.assertEqual(code, 5, summary)
            nonce = summary["verdict"].split("`ichor unlock ")[1].split("`")[0].split()[-1]
            code, _, summary = self.on_lab("unlock", nonce)
            self.assertEqual(code, 5, summary)
            self.assertIn("runs on this machine", summary["verdict"])
            code, _, summary = self.on_lab("unlock", "--force", nonce)
            self.assertEqual(code, 0, summary)
        finally:
            stuck.terminate()
            stuck.wait()
            self.inject("clear", "cp1")

    def test_9_an_alarm_is_blamed_on_its_member(self):
        self.inject("alarm-corrupt", "cp3")
        code, events, summary = self.on_lab("health")
        self.assertEqual(code, 1, summary)
        finding, = of(events, "finding", id="E9")
        self.assertEqual(finding["node"], "cp3")
        self.assertIn("CORRUPT of cp3", finding["what"])
        reset = shlex.split(finding["fix"].split("`")[5])
        self.assertEqual((reset[:2], reset[-1]), (["ichor", "reset"], "cp3"), finding)
        code, events, _ = self.on_lab("doctor", "cp1")
        self.assertNotIn("reset cp1", json.dumps(events))
        finding, = of(events, "finding", id="E9")
        self.assertEqual(finding["node"], "cp3")
        _, events, _ = self.on_lab("status")
        self.assertIn("CORRUPT of cp3", of(events, "cluster")[0]["alarms"])


class OwnProfile(unittest.TestCase):
    """A lab with a profile that the test edits."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.profile = self.folder / "ichor.yaml"
        shutil.copy(PROFILE, self.profile)

    def edit(self, old, new):
        text = self.profile.read_text()
        self.assertIn(old, text)
        self.profile.write_text(text.replace(old, new))

    def start_lab(self):
        self.flags = ["-p", str(self.profile), "--lab-state", str(self.folder / "lab")]
        subprocess.run([ICHOR, "lab", "start", "-p", str(self.profile), "--state",
                        str(self.folder / "lab"), "--time-scale", str(one_lab.SCALE), "--detach"],
                       check=True, stdout=subprocess.DEVNULL)
        self.addCleanup(subprocess.run, [ICHOR, "lab", "stop", "--state",
                                         str(self.folder / "lab")], stdout=subprocess.DEVNULL)

    def on_lab(self, *words):
        return run_json(*words, *self.flags)


class CniNone(OwnProfile):
    def test_the_cni_is_pending_until_one_is_installed(self):
        self.edit("  # cni: none ", "  cni: none ")
        self.start_lab()
        for words in (["up"], ["health"]):
            code, events, summary = self.on_lab(*words)
            self.assertEqual(code, 6, summary)
            self.assertIn("control plane up, CNI pending", summary["verdict"])
            finding, = of(events, "finding", id="K1")
            self.assertIn("0 of 6 nodes are Ready", finding["what"])


class FixAndRerun(OwnProfile):
    NTP = "ntp: [time.cloudflare.com]"

    def test_an_edited_profile_is_applied_again(self):
        self.start_lab()
        code, _, summary = self.on_lab("apply")
        self.assertEqual((code, summary["mutations"]), (0, 6), summary)
        self.assertNotIn("etcd bootstrapped", json.dumps(summary))
        # Before bootstrap: every config again, and the plan says so first.
        self.edit(self.NTP, "ntp: [ntp.example.org]")
        code, events, summary = self.on_lab("plan")
        self.assertEqual(code, 0, summary)
        whys = {row["node"]: row["why"] for row in
                of(events, "action", action="ApplyConfiguration")}
        self.assertEqual(set(whys), set(NODES))
        self.assertTrue(all("edited" in why for why in whys.values()), whys)
        code, _, summary = self.on_lab("up")
        self.assertEqual((code, summary["mutations"]), (0, 7), summary)
        # Afterwards: without a reboot, and never a word about a reset.
        self.edit("ntp: [ntp.example.org]", self.NTP)
        code, events, summary = self.on_lab("up")
        self.assertNotIn("ichor reset", json.dumps(events))
        self.assertEqual((code, summary["mutations"]), (0, 6), summary)

    def test_verify_passes_before_bootstrap(self):
        self.start_lab()
        code, _, summary = self.on_lab("verify", "--verify-timeout", "30s")
        self.assertEqual(code, 4, "no node has left maintenance mode")
        code, events, summary = self.on_lab("apply")
        self.assertEqual(code, 0, summary)
        reached = [event["text"] for event in of(events, "barrier-opened")]
        self.assertEqual(reached, ["all control planes configured"])
        code, _, summary = self.on_lab("verify")
        self.assertEqual(code, 0, summary)
        self.assertIn("etcd is not bootstrapped yet", summary["verdict"])


class TemporaryLab(OwnProfile):
    def test_is_gone_afterwards_and_no_hint_names_it(self):
        done = run("up", "--lab", "--time-scale", str(one_lab.SCALE), "-p", str(self.profile),
                   TMPDIR=str(self.folder))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr[-2000:])
        self.assertNotIn("kubectl", done.stdout)
        self.assertEqual(list(self.folder.glob("ichor-lab*")), [])


class TwoClusters(unittest.TestCase):
    """AC2: contexts `infra` and `apps` in one kubeconfig."""

    def test_share_a_kubeconfig(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            kubeconfig = folder / "kubeconfig"
            for cluster in ("infra", "apps"):
                profile = folder / f"{cluster}.yaml"
                text = pathlib.Path(PROFILE).read_text()
                profile.write_text(text.replace("name: reference", f"name: {cluster}"))
                code, _, summary = run_json("up", "-p", str(profile), "--lab", "--lab-state",
                                            str(folder / cluster), "--time-scale",
                                            str(one_lab.SCALE), "--kubeconfig", str(kubeconfig))
                self.assertEqual(code, 0, summary)
            text = kubeconfig.read_text()
            for part in ("name: infra\n", "name: apps\n", "name: admin@infra\n",
                         "name: admin@apps\n", "current-context: infra\n"):
                self.assertIn(part, text)
            # Another cluster of the same name is found before anything is done.
            code, _, summary = run_json("up", "-p", str(folder / "infra.yaml"), "--lab",
                                        "--lab-state", str(folder / "other"), "--time-scale",
                                        str(one_lab.SCALE), "--kubeconfig", str(kubeconfig))
            self.assertEqual((code, summary["mutations"]), (5, 0), summary)


if __name__ == "__main__":
    side_by_side.main()
