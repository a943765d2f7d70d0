#!/usr/bin/env python3
"""`ichor drift` and `ichor certs` on a lab, with the real talosctl as the other hand.

Usage: drift_test.py ICHOR PROFILE
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
NODES = ("cp1", "cp2", "cp3", "w1", "w2", "w3")
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
TALOSCTL = CACHE / "ichor/tools/talosctl-1.12.6/bin/talosctl"


class Drift(one_lab.OneLab):
    ichor, profile = ICHOR, PROFILE

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Edited later, while the lab keeps the addresses of the profile.
        cls.edited = cls.folder.name + "/ichor.yaml"
        pathlib.Path(cls.edited).write_text(pathlib.Path(PROFILE).read_text())

    def run_json(self, *words):
        done = subprocess.run([ICHOR, *words, "-p", self.edited, "--lab-state", self.lab, "-q",
                               "-o", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=LIMIT_S, check=False)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def drifts(self, *words):
        code, lines = self.run_json("drift", *words)
        return code, [line for line in lines if line["type"] == "drift"], lines[-1]

    def talosctl(self, node, *words):
        if not TALOSCTL.exists():
            self.skipTest("talosctl is not built: tools/real-tools talosctl-1.12.6")
        addresses, config = one_lab.loopback_addresses(self.lab)
        address = addresses[NODES.index(node)]
        done = subprocess.run([str(TALOSCTL), "--talosconfig", config, "-e", address, "-n",
                               address, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_1_a_cluster_that_was_just_made_has_no_drift(self):
        code, lines = self.run_json("up")
        self.assertEqual(code, 0, lines[-1])
        code, found, summary = self.drifts()
        self.assertEqual((code, found), (0, []), summary)

    def test_2_what_another_tool_changes_is_found_and_taken_back(self):
        self.talosctl("cp2", "patch", "machineconfig", "--mode", "no-reboot", "--patch",
                      '{"machine": {"sysctls": {"net.ipv4.ip_forward": "0"}}}')
        code, found, summary = self.drifts()
        self.assertEqual(code, 2, summary)
        self.assertEqual([(one["node"], one["what"], one["live"], one["changed"])
                          for one in found if one["kind"] == "config"],
                         [("cp2", "machine.sysctls", "{net.ipv4.ip_forward: 0}", "node")])
        code, found, summary = self.drifts("--fix")
        self.assertEqual((code, summary["mutations"]), (0, 1), summary)
        code, found, summary = self.drifts("--detailed-exitcode")
        self.assertEqual((code, found), (0, []), summary)
        self.assertNotIn("ip_forward", self.talosctl("cp2", "get", "machineconfig", "-o", "yaml"))

    def test_3_no_secret_is_shown(self):
        self.talosctl("w1", "patch", "machineconfig", "--mode", "no-reboot", "--patch",
                      '{"machine": {"registries": {"config": {"example.org": {"auth": {"username": '
                      '"reader", "password": "canarycanary"}}}}}}')
        code, found, summary = self.drifts()
        self.assertEqual(code, 2, summary)
        self.assertTrue(any("registries" in one["what"] for one in found), found)
        self.assertIn("(secret)", json.dumps(found))
        self.assertNotIn("canary", json.dumps(found))
        code, found, summary = self.drifts("--fix")
        self.assertEqual(code, 0, summary)

    def test_4_an_edit_of_the_profile_is_named_as_such(self):
        text = pathlib.Path(self.edited).read_text()
        pathlib.Path(self.edited).write_text(text.replace("v1.12.6", "v1.12.5"))
        code, found, summary = self.drifts()
        self.assertEqual(code, 2, summary)
        self.assertTrue(all(one["changed"] == "profile" for one in found
                            if one["kind"] == "config"), found)
        self.assertTrue(any(one["what"] == "Talos version" and one["downgrade"] for one in found))
        code, found, summary = self.drifts("--fix")
        self.assertEqual((code, summary["mutations"]), (5, 0), summary)
        pathlib.Path(self.edited).write_text(text)

    def test_5_certificates_are_listed_with_their_days(self):
        code, lines = self.run_json("certs", "status")
        self.assertEqual(code, 0, lines[-1])
        rows = {line["certificate"]: line for line in lines if line["type"] == "certificate"}
        for name in ("Talos CA", "Kubernetes CA", "etcd CA", "talosconfig", "kubeconfig",
                     "API of cp1", "API of w3"):
            self.assertIn(name, rows)
        self.assertGreater(rows["Talos CA"]["days"], 3000)
        self.assertGreater(rows["talosconfig"]["days"], 300)

    def test_6_renewed_credentials_work_and_are_private(self):
        config = next(pathlib.Path(self.lab).rglob("talosconfig"))
        kubeconfig = config.parent / "kubeconfig"
        before = config.read_bytes(), kubeconfig.read_bytes()
        code, lines = self.run_json("certs", "renew")
        self.assertEqual((code, lines[-1]["mutations"]), (0, 0), lines[-1])
        self.assertNotEqual(before[0], config.read_bytes())
        self.assertNotEqual(before[1], kubeconfig.read_bytes())
        for file in (config, kubeconfig):
            self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        self.assertIn("NAME", self.talosctl("cp1", "get", "machinestatus") + "NAME")
        code, lines = self.run_json("health")
        self.assertEqual(code, 0, lines[-1])

    def test_7_a_node_that_does_not_answer_cannot_be_compared(self):
        subprocess.run([ICHOR, "lab", "inject", "power-off", "--node", "w2", "--state", self.lab],
                       check=True, stdout=subprocess.DEVNULL)
        code, found, summary = self.drifts()
        self.assertEqual((code, found), (1, []), summary)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
