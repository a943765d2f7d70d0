#!/usr/bin/env python3
"""Attacks on a bring-up, on a lab: other keys, a compromised control plane, a lab that is left.

Usage: attacks_test.py ICHOR PROFILE
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402

ICHOR, PROFILE = sys.argv[1:3]
LIMIT_S = 240
WRONG_PIN = "A" * 43 + "="


class Attacks(one_lab.OneLab):
    ichor, profile = ICHOR, PROFILE

    def run_json(self, *words, profile=PROFILE):
        """Exit code, summary, and all that was printed."""
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("TALOSCONFIG", "KUBECONFIG")}
        done = subprocess.run([ICHOR, *words, "-p", profile, "--lab-state", self.lab, "-q",
                               "-o", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=LIMIT_S, check=False, env=environment)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        summary = lines[-1] if lines else {}
        summary["findings"] = [line for line in lines if line["type"] == "finding"]
        return done.returncode, summary, done.stdout + done.stderr

    def changed_profile(self, old, new):
        """The profile of the lab with one text replaced, in a folder of its own."""
        folder = pathlib.Path(self.folder.name) / "changed"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(pathlib.Path(PROFILE).parent, folder)
        path = folder / pathlib.Path(PROFILE).name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return str(path)

    def lab_node(self, name):
        done = subprocess.run([ICHOR, "lab", "status", "--state", self.lab, "-o", "json"],
                              stdout=subprocess.PIPE, text=True, check=True)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return next(line for line in lines if line["type"] == "lab-node" and line["node"] == name)

    def inject(self, fault, *names):
        for name in names:
            subprocess.run([ICHOR, "lab", "inject", fault, "--state", self.lab, "--node", name],
                           check=True, stdout=subprocess.DEVNULL)

    def intents(self, name):
        _, _, text = self.run_json("report")
        records = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        return [record for record in records
                if record.get("kind") == "intent" and record.get("node") == name]

    def assert_untouched(self, name):
        node = self.lab_node(name)
        self.assertEqual((node["stage"], node["installed"]), ("maintenance", False), name)
        self.assertEqual(self.intents(name), [])

    def test_01_an_empty_fingerprint_is_refused(self):
        code, _, text = self.run_json("apply", "--cert-fingerprint", "")
        self.assertEqual(code, 64, text)

    def test_02_a_pin_of_a_node_counts_without_trust_pin(self):
        profile = self.changed_profile("{name: cp1, ", f"{{name: cp1, pin: {WRONG_PIN}, ")
        code, summary, text = self.run_json("apply", "-n", "cp1", profile=profile)
        self.assertEqual((code, summary["mutations"]), (5, 0), text)
        self.assert_untouched("cp1")

    def test_03_another_key_without_a_reboot_gets_no_config(self):
        code, _, text = self.run_json("discover")
        self.assertEqual(code, 0, text)
        before = self.lab_node("cp1")["fingerprint"]
        self.inject("new-key", "cp1")
        after = self.lab_node("cp1")["fingerprint"]
        self.assertNotEqual(before, after)
        code, summary, text = self.run_json("apply", "-n", "cp1")
        self.assertEqual((code, summary["mutations"]), (5, 0), text)
        self.assertIn(before, text)
        self.assertIn(after, text)
        self.assertIn('"T2"', text)
        self.assert_untouched("cp1")

    def test_04_a_key_that_the_operator_accepts_gets_it(self):
        code, summary, text = self.run_json("apply", "-n", "cp1", "--accept-key",
                                            f"cp1={WRONG_PIN}")
        self.assertEqual((code, summary["mutations"]), (5, 0), text)
        key = self.lab_node("cp1")["fingerprint"]
        code, summary, text = self.run_json("apply", "-n", "cp1", "--accept-key", f"cp1={key}")
        self.assertEqual((code, summary["mutations"]), (0, 1), text)
        self.assertEqual(self.intents("cp1")[0]["key"], key)

    def test_05_a_reboot_is_accepted_with_a_warning(self):
        before = self.lab_node("cp2")["fingerprint"]
        self.inject("crash", "cp2")
        code, summary, text = self.run_json("apply", "-n", "cp2")
        self.assertEqual((code, summary["mutations"]), (0, 1), text)
        after = self.intents("cp2")[0]["key"]
        self.assertNotEqual(before, after)
        warning = next(line for line in summary["findings"] if line["id"] == "T2")
        self.assertEqual(warning["severity"], "warning")
        self.assertIn(before, warning["what"])
        self.assertIn(after, warning["what"])

    def test_06_strict_stops_also_after_a_reboot(self):
        profile = self.changed_profile("trust: tofu", "trust: strict")
        self.inject("crash", "cp3")
        code, summary, text = self.run_json("apply", "-n", "cp3", profile=profile)
        self.assertEqual((code, summary["mutations"]), (5, 0), text)
        self.assert_untouched("cp3")
        key = self.lab_node("cp3")["fingerprint"]
        code, summary, text = self.run_json("apply", "-n", "cp3", "--accept-key", f"cp3={key}",
                                            profile=profile)
        self.assertEqual((code, summary["mutations"]), (0, 1), text)

    def test_07_a_machine_that_the_lab_does_not_have_is_not_dialled(self):
        with socket.socket() as machine:
            machine.bind(("127.77.77.77", 50000))
            machine.listen()
            machine.setblocking(False)
            added = self.changed_profile(
                "- {name: w1, ", "- {name: w9, ip: 192.168.22.119, dhcp_ip: 127.77.77.77, "
                'mac: "52:54:00:16:01:19", interface: eth0, disk: /dev/sda}\n      - {name: w1, ')
            for profile, words in ((added, ["up"]), (added, ["status"]),
                                   (PROFILE, ["discover", "--address", "w1=127.77.77.77"])):
                code, _, text = self.run_json(*words, profile=profile)
                self.assertNotEqual(code, 0, text)
                self.assertIn("is not part of the lab", text)
            with self.assertRaises(BlockingIOError):
                machine.accept()

    def test_08_a_kubeconfig_of_a_compromised_control_plane_is_not_written(self):
        self.inject("evil-kubeconfig", "cp1", "cp2", "cp3")
        code, summary, text = self.run_json("up")
        self.assertEqual(code, 1, text)
        self.assertIn("T11", [line["id"] for line in summary["findings"]])
        self.assertNotIn("kubeconfig", summary.get("written", {}))
        for place in ("kubeconfig", "ichor/reference/kubeconfig"):
            self.assertFalse(os.path.exists(f"{self.lab}/{place}"), place)
        self.inject("clear", "cp1", "cp2", "cp3")

    def test_09_a_proved_kubeconfig_is_exported_although_a_worker_fails(self):
        self.inject("freeze", "w2")
        code, summary, text = self.run_json("up", "--apply-timeout", "60s")
        self.assertEqual(code, 4, text)
        self.assertEqual(summary["written"]["kubeconfig"], f"{self.lab}/kubeconfig")
        written = pathlib.Path(f"{self.lab}/kubeconfig").read_text(encoding="utf-8")
        self.assertEqual(written.count("server: "), 1)
        self.assertNotIn("exec", written)
        self.inject("clear", "w2")

    def test_10_the_cluster_comes_up_after_all_that(self):
        code, _, text = self.run_json("up")
        self.assertEqual(code, 0, text)

    def test_11_secrets_that_others_may_read_are_not_used(self):
        secrets = pathlib.Path(f"{self.lab}/ichor/reference/secrets.yaml")
        secrets.chmod(0o644)
        self.addCleanup(secrets.chmod, 0o600)
        code, _, text = self.run_json("up")
        self.assertEqual(code, 5, text)
        self.assertIn("others may read it (mode 0644); chmod 600 it", text)

    def test_12_a_kubeconfig_that_an_older_ichor_kept_is_checked(self):
        kept = pathlib.Path(f"{self.lab}/ichor/reference/kubeconfig")
        proved = kept.read_text(encoding="utf-8")
        self.addCleanup(kept.write_text, proved, encoding="utf-8")
        kept.write_text(proved.replace("server: https://192.168.22.100:6443",
                                       "server: https://127.0.0.1:1"), encoding="utf-8")
        self.assertNotEqual(kept.read_text(encoding="utf-8"), proved)
        code, _, text = self.run_json("wait", "nodes", "--timeout", "60s")
        self.assertEqual(code, 5, text)
        self.assertIn("is not one of this cluster", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
