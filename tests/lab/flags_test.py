#!/usr/bin/env python3
"""What the flags of talosctl do here: formats, identities, endpoints and pins, on a lab.

Usage: flags_test.py ICHOR PROFILE
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
LIMIT_S = 240
WRONG_PIN = "A" * 43 + "="


class Flags(one_lab.OneLab):
    ichor, profile = ICHOR, PROFILE

    def run_text(self, *words, **variables):
        """Exit code and standard output of a command on the lab."""
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("TALOSCONFIG", "KUBECONFIG")}
        environment.update(variables)
        done = subprocess.run([ICHOR, *words, "-p", PROFILE, "--lab-state", self.lab, "-q"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=LIMIT_S, check=False, env=environment)
        return done.returncode, done.stdout

    def run_json(self, *words, **variables):
        """Exit code, summary, and the rows of type node by name."""
        code, text = self.run_text(*words, "-o", "json", **variables)
        lines = [json.loads(line) for line in text.splitlines()]
        nodes = {line["node"]: line for line in lines if line["type"] == "node"}
        return code, lines[-1], nodes

    def lab_nodes(self):
        done = subprocess.run([ICHOR, "lab", "status", "--state", self.lab, "-o", "json"],
                              stdout=subprocess.PIPE, text=True, check=True)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return {line["node"]: line for line in lines if line["type"] == "lab-node"}

    def inject(self, fault, node):
        subprocess.run([ICHOR, "lab", "inject", fault, "--state", self.lab, "--node", node],
                       check=True, stdout=subprocess.DEVNULL)

    def state(self, name):
        return f"{self.lab}/ichor/reference/{name}"

    def test_1_a_key_that_is_not_pinned_gets_no_config(self):
        code, summary, _ = self.run_json("apply", "--insecure", "--cert-fingerprint", WRONG_PIN)
        self.assertEqual((code, summary["mutations"]), (5, 0), summary)
        for name, node in self.lab_nodes().items():
            self.assertEqual((node["stage"], node["installed"]), ("maintenance", False), name)
        _, journal = self.run_text("report", "-o", "json")
        self.assertNotIn('"kind":"intent"', journal)

    def test_2_the_keys_that_are_pinned_get_theirs(self):
        pins = [node["fingerprint"] for node in self.lab_nodes().values()]
        code, summary, _ = self.run_json("apply", "--cert-fingerprint", ",".join(pins[:3]),
                                         "--cert-fingerprint", ",".join(pins[3:]))
        self.assertEqual((code, summary["mutations"]), (0, 6), summary)
        code, summary, _ = self.run_json("up")
        self.assertEqual((code, summary["mutations"]), (0, 1), summary)

    def test_3_yaml_is_what_json_is_and_wide_is_more_than_table(self):
        code, text = self.run_text("status", "-o", "yaml")
        self.assertEqual(code, 0)
        documents = text.split("---\n")
        self.assertEqual(documents[0], "")
        types = [document.splitlines()[0] for document in documents[1:]]
        self.assertEqual(types[:7], ["type: cluster"] + ["type: node"] * 6)
        self.assertEqual(types[-1], "type: summary")
        self.assertIn("\nstage: running\n", documents[2])
        _, table = self.run_text("status")
        _, wide = self.run_text("status", "-o", "wide")
        self.assertNotIn("UUID", table)
        self.assertIn("UUID", wide)
        self.assertIn("52:54:00:16:01:11", wide)

    def test_4_endpoints_pass_calls_on(self):
        code, _, nodes = self.run_json("status", "-e", "cp2,cp3", "-n", "w1")
        self.assertEqual((code, nodes["w1"]["stage"], nodes["w1"]["config"]),
                         (0, "running", "ours"))
        self.assertEqual(nodes["w1"]["macs"], ["52:54:00:16:01:11"])
        code, _, _ = self.run_json("health", "-e", "cp1")
        self.assertEqual(code, 0)
        # That they really go through it: what the endpoint does not pass on does not arrive.
        _, _, nodes = self.run_json("status", "-e", "192.168.22.112", "-n", "w1")
        self.assertIn("no request forwarding", nodes["w1"]["trouble"])
        self.inject("refuse", "cp2")
        try:
            _, _, nodes = self.run_json("status", "-e", "cp2", "-n", "w1")
            self.assertIn("endpoint 192.168.22.102", nodes["w1"]["trouble"])
            _, _, nodes = self.run_json("status", "-e", "cp2,cp3", "-n", "w1")
            self.assertEqual(nodes["w1"]["stage"], "running")
        finally:
            self.inject("clear", "cp2")

    def test_5_a_talosconfig_says_who_we_are(self):
        mine = self.state("talosconfig")
        code, _, nodes = self.run_json("status", "--talosconfig", mine)
        self.assertEqual((code, nodes["cp1"]["config"]), (0, "ours"))
        nowhere = self.folder.name + "/nowhere"
        # Without secrets: a stranger, then a guest by flag, then one by the environment.
        _, _, nodes = self.run_json("status", "--state-dir", nowhere)
        self.assertEqual(nodes["cp1"]["seen"], "foreign")
        for words, variables in ((["--talosconfig", mine], {}), ([], {"TALOSCONFIG": mine})):
            _, _, nodes = self.run_json("status", "--state-dir", nowhere, *words, **variables)
            self.assertEqual((nodes["cp1"]["stage"], nodes["cp1"]["config"]),
                             ("running", "unknown"))
        self.assertFalse(os.path.exists(nowhere))

    def test_6_another_clusters_talosconfig_is_refused_or_ignored(self):
        secrets, other = self.folder.name + "/secrets.yaml", self.folder.name + "/other"
        for words in (["secrets", "--output", secrets],
                      ["talosconfig", "reference", "--with-secrets", secrets, "--output", other]):
            subprocess.run([ICHOR, "gen", *words], check=True, stderr=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL)
        code, summary, _ = self.run_json("health", "--talosconfig", other)
        self.assertEqual(code, 5)
        self.assertIn("belongs to another cluster", summary["verdict"])
        code, _, _ = self.run_json("health", TALOSCONFIG=other)
        self.assertEqual(code, 0)

    def test_7_the_kubeconfig_is_merged_where_kubectl_looks(self):
        path = pathlib.Path(self.folder.name) / "kubeconfig"
        path.write_text("apiVersion: v1\nkind: Config\nclusters:\n- name: mine\n  cluster: {}\n",
                        encoding="utf-8")
        code, summary, _ = self.run_json("kubeconfig", "--merge", KUBECONFIG=str(path))
        self.assertEqual(code, 0, summary)
        self.assertEqual(summary["written"]["kubeconfig"], str(path))
        text = path.read_text(encoding="utf-8")
        for part in ("name: mine", "name: reference", "current-context: reference"):
            self.assertIn(part, text)
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
