#!/usr/bin/env python3
"""What an acceptance test found at the command line, without machines: see docs/testing.md.

Usage: findings_test.py ICHOR
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ICHOR = str(pathlib.Path(sys.argv[1]).resolve())
LIMIT_S = 60

PROFILE_WITH_MISTAKES = """\
name: mistakes
network:
  api_endpoint: 10.0.0.100
  node_cidr: 10.0.0.0/24
  gatway: 10.0.0.254
talos: {version: v1.12.6, kubernetes_version: v1.20.0, vip: {ip: 10.9.9.9}}
nodes:
  controlplane:
    assignments: [{name: cp1, ip: 10.0.0.11, disk: /dev/sda}]
"""


class Findings(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_ichor(self, *words):
        """Exit code, and all that was printed."""
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith("SOPS_")}
        done = subprocess.run([ICHOR, *map(str, words)], cwd=self.folder, timeout=LIMIT_S,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, env=environment, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def git_tree(self):
        subprocess.run(["git", "init", "-q"], cwd=self.folder, check=True)

    def explains(self, text, fault):
        code, out = self.run_ichor("doctor", text, "-o", "json")
        rows = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        self.assertEqual(code, 0, out)
        self.assertIn(fault, [row.get("id") for row in rows], text)

    def test_17_no_plain_text_under_a_name_of_sops(self):
        code, out = self.run_ichor("gen", "secrets", "-o", "talsecret.sops.yaml")
        self.assertNotEqual(code, 0)
        self.assertFalse((self.folder / "talsecret.sops.yaml").exists(), out)

    def test_17_no_secrets_where_git_would_commit_them(self):
        self.git_tree()
        code, out = self.run_ichor("gen", "secrets", "-o", "secrets.yaml")
        self.assertEqual(code, 5, out)
        self.assertFalse((self.folder / "secrets.yaml").exists())

    def test_17_no_configs_where_git_would_commit_them(self):
        self.git_tree()
        code, out = self.run_ichor("gen", "config", "x", "https://10.0.0.1:6443", "--output-dir",
                                   "out")
        self.assertEqual(code, 5, out)
        self.assertFalse((self.folder / "out/controlplane.yaml").exists())

    def test_19_the_doctor_knows_the_errors_of_the_users_scripts(self):
        together = "install.extraKernelArgs and install.grubUseUKICmdline can't be used together"
        for text, fault in {
                together: "C7",
                "file not found: machine-logging.yaml": "C8",
                "Node stuck in MAINTENANCE": "D12",
                "Config apply failed 5 retries": "A9",
                "command not found: yq": "L14"}.items():
            with self.subTest(text=text):
                self.explains(text, fault)

    def test_19_a_refused_connection_is_explained_with_both_ports(self):
        _, out = self.run_ichor("doctor", "N1")
        self.assertIn("50001", out)

    def test_21_an_unknown_key_hides_no_other_finding(self):
        self.write("ichor.yaml", PROFILE_WITH_MISTAKES)
        code, out = self.run_ichor("lint")
        self.assertEqual(code, 3, out)
        for needle in ('unknown key "gatway"', "10.9.9.9", "1.20"):
            self.assertIn(needle, out)

    def test_21_a_finding_shows_its_line_with_a_caret(self):
        self.write("ichor.yaml", PROFILE_WITH_MISTAKES)
        _, out = self.run_ichor("lint")
        lines = out.splitlines()
        at = next(i for i, line in enumerate(lines) if line.lstrip().startswith("5 |"))
        self.assertIn("gatway", lines[at])
        self.assertEqual(lines[at].index("gatway"), lines[at + 1].index("^"))

    def test_21_untouched_placeholders_are_found(self):
        self.run_ichor("init")
        _, out = self.run_ichor("lint")
        self.assertIn("network.placeholder", out)

    def test_30_a_missing_include_is_named(self):
        self.write("vars.yaml", "a: 1\n")
        template = self.write("t.j2", "{% include 'lost.j2' %}\n")
        code, out = self.run_ichor("render", template, "--vars", "vars.yaml", "--delimiters",
                                   "jinja")
        self.assertNotEqual(code, 0)
        self.assertIn("lost.j2", out)

    def test_30_templates_inherit_and_strip_tags(self):
        self.write("vars.yaml", "a: 1\n")
        self.write("base.j2", "<{% block x %}{% endblock %}>")
        template = self.write("t.j2", "{% extends 'base.j2' %}"
                              "{% block x %}{{ '<b>hi</b>'|striptags }}{% endblock %}")
        code, out = self.run_ichor("render", template, "--vars", "vars.yaml", "--delimiters",
                                   "jinja")
        self.assertEqual(code, 0, out)
        self.assertEqual(out.strip(), "<hi>")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
