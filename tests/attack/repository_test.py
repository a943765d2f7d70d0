#!/usr/bin/env python3
"""ichor in a repository that is hostile: it may name what it likes, and ichor runs nothing of it on
its word, reads nothing outside of it, hangs on nothing and prints nothing that a terminal obeys.

Usage: repository_test.py ICHOR
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import support

ICHOR = os.path.abspath(sys.argv[1])
ESCAPES = "\x1b]0;owned\x07\x1b[31m\u202e\u200b\U000e0041"
BAD = "\x1b\x07\u202e\u200b\U000e0041"

PROFILE = """name: attack
network: {{api_endpoint: 10.0.0.1, node_cidr: 10.0.0.0/24, gateway: 10.0.0.254}}
talos: {{version: v1.12.6{talos}}}
nodes:
  controlplane:
    assignments:
    - {{name: cp1, ip: 10.0.0.1, interface: eth0, disk: /dev/sda{node}}}
{more}
"""


SEALED = """a: ENC[AES256_GCM,data:eA==,iv:eA==,tag:eA==,type:str]
sops:
  {keys}
  mac: ENC[AES256_GCM,data:eA==,iv:eA==,tag:eA==,type:str]
  lastmodified: '2026-01-01T00:00:00Z'
  version: 3.9.0
"""


class HostileRepositories(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.outside = pathlib.Path(temporary.name)
        self.folder = self.outside / "repository"
        self.folder.mkdir()
        self.marks = self.outside / "marks"

    def write(self, name, text, mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def profile(self, talos="", node="", more=""):
        return self.write("ichor.yaml", PROFILE.format(talos=talos, node=node, more=more))

    def trap(self, name, folder=None, code=0):
        """A program that leaves a mark and its environment, and says something hostile."""
        path = (folder or self.folder) / name
        path.write_text(f"#!/bin/sh\nenv >> {self.marks}\nprintf '{ESCAPES} trapped\\n' >&2\n"
                        f"printf 'v3.0.0 {ESCAPES}\\n'\nexit {code}\n")
        path.chmod(0o755)
        return path

    def ichor(self, *arguments, path="/usr/bin:/bin", **variables):
        env = {"HOME": str(self.outside), "PATH": path, **variables}
        return support.Run(ICHOR, *arguments, cwd=self.folder, env=env).end()

    def seen(self):
        return self.marks.read_text() if self.marks.exists() else ""

    def expect_clean(self, end):
        for bad in BAD:
            self.assertNotIn(bad, end.text)

    def test_a_program_of_the_repository_is_not_run(self):
        self.trap("sops")
        self.trap("helm")
        self.profile(talos=", patches_dir: patches", more="phases: {core: {releases: "
                     "[{name: a, chart: ./charts/a}]}}")
        self.write("patches/a.sops.yaml", SEALED.format(keys="kms: [{arn: x, enc: y}]"))
        for path in (".:/usr/bin:/bin", ":/usr/bin:/bin", "/usr/bin:/bin:", "./:/usr/bin"):
            end = self.ichor("lint", path=path)
            self.assertGreaterEqual(end.code, 0, end.text)
            self.assertEqual(self.seen(), "", "a program of the repository ran")

    def test_a_tool_sees_nothing_of_our_environment(self):
        tools = self.outside / "bin"
        tools.mkdir()
        self.trap("sops", tools, code=1)
        sealed = self.write("a.sops.yaml", SEALED.format(keys="kms: [{arn: x, enc: y}]"))
        secrets = {name: "canary" for name in ("GITHUB_TOKEN", "TF_VAR_password", "NPM_TOKEN")}
        end = self.ichor("secrets", "decrypt", str(sealed), path=f"{tools}:/usr/bin:/bin:.",
                         **secrets)
        self.assertIn("HOME=", self.seen(), end.text)
        self.assertNotIn("canary", self.seen())
        self.assertNotIn(":.", self.seen())
        self.expect_clean(end)

    def test_a_flag_in_place_of_a_chart_is_refused(self):
        for value in ("--post-renderer=./x", "oci://h/--post-renderer=./x", "-x"):
            self.profile(more="phases: {core: {releases: [{name: a, chart: '%s'}]}}" % value)
            end = self.ichor("lint")
            self.assertEqual(end.code, 3, end.text)
            self.assertIn("without a leading -", end.text)

    def test_escape_sequences_of_its_files_are_not_printed(self):
        quoted = ESCAPES.encode("unicode_escape").decode().replace("\\x", "\\x")
        self.profile(talos=', factory: {schematic: s.yaml}, patches_dir: patches')
        self.write("s.yaml", f'customization: {{extraKernelArgs: ["{quoted}"], "{quoted}": 1}}\n')
        self.write("t.yaml", f'customization: {{extraKernelArgs: ["{quoted}b"]}}\n')
        self.write("patches/a.yaml", f'machine: {{"{quoted}": 1}}\n')
        self.write(".sops.yaml", f'creation_rules: [{{age: "{quoted}"}}]\n')
        self.write("plain.yaml", "a: b\n")
        for command in (["lint"], ["schematic", "diff", "s.yaml", "t.yaml"],
                        ["secrets", "encrypt", "plain.yaml"], ["schematic", "id", "s.yaml"],
                        ["lint", "--format", "sarif"]):
            for form in ([], ["-o", "json"], ["-o", "yaml"], ["-o", "wide"]):
                with self.subTest(command + form):
                    self.expect_clean(self.ichor(*command, *form))

    def test_nothing_outside_of_it_is_read(self):
        secret = self.outside / "secret.txt"
        secret.write_text("canary: [of another file\n")
        secret.chmod(0o644)
        os.symlink(secret, self.folder / "link.yaml")
        for name in (str(secret), "../secret.txt", "a/../../secret.txt", "link.yaml"):
            for key in ("", "@"):
                self.profile(node=f", patches: ['{key}{name}']")
                end = self.ichor("lint")
                self.assertNotIn("canary", end.text)
                self.assertNotEqual(end.code, 0, end.text)

    def test_a_pipe_in_the_folder_of_patches_holds_nothing_up(self):
        self.profile(talos=", patches_dir: patches")
        (self.folder / "patches").mkdir()
        pipe = self.folder / "patches" / "a.yaml"
        os.mkfifo(pipe)
        writer = os.open(pipe, os.O_RDWR)  # another process that has it open and says nothing
        try:
            end = self.ichor("lint")
        finally:
            os.close(writer)
        self.assertEqual(end.code, 3, end.text)
        self.assertIn("not a regular file", end.text)

    def test_what_is_nested_deep_is_refused(self):
        deep = {"cluster.toml": "a" + ".a" * 10_000 + " = 1\n",
                "brackets/cluster.toml": "a = " + "[" * 100_000 + "\n",
                "tables/cluster.toml": "a = " + ("{" + "b." * 90 + "c = ") * 250 + "1" + "}" * 250,
                "yaml/ichor.yaml": "a: " + "[" * 100_000 + "\n",
                "block/ichor.yaml": "".join(" " * i + "a:\n" for i in range(2_000)),
                "template/x.j2": "{{ " + "(" * 100_000 + " }}\n"}
        for name, text in deep.items():
            with self.subTest(name):
                path = self.write(name, text)
                command = ["render"] if name.endswith(".j2") else ["lint", "-p"]
                end = self.ichor(*command, str(path))
                self.assertGreater(end.code, 0, f"{name}: {end.text[-500:]}")
                self.assertLess(end.peak_mib, support.MEMORY_MAX_MIB)

    def test_secrets_of_configs_are_not_shown(self):
        self.write("a.yaml", "machine: {type: worker, env: {TS_AUTHKEY: canary1}, install: {disk: "
                   "/dev/sda, extraKernelArgs: ['siderolink.api=grpc://o?jointoken=canary2']}}\n"
                   "cluster: {extraManifestHeaders: {Authorization: canary3}}\n---\n"
                   "apiVersion: v1alpha1\nkind: ExtensionServiceConfig\nname: t\n"
                   "environment: [TS_AUTHKEY=canary4]\n")
        self.write("b.yaml", "machine: {type: worker}\n")
        for form in ("table", "json", "yaml"):
            for pair in (("a.yaml", "b.yaml"), ("b.yaml", "a.yaml")):
                end = self.ichor("machineconfig", "diff", *pair, "-o", form)
                self.assertEqual(end.code, 0, end.text)
                self.assertIn("(secret)", end.text)
                self.assertNotIn("canary", end.text)

    def test_the_findings_of_lint_show_no_secret(self):
        self.profile(talos=", patches_dir: patches")
        self.write("patches/a.yaml", "machine:\n  env:\n    TS_AUTHKEY: [canary1]\n    PLAIN: "
                   "{x: canary2}\n---\napiVersion: v1alpha1\nkind: ExtensionServiceConfig\n"
                   "name: t\nenvironment:\n  - [TS_AUTHKEY=canary3]\n  - {OTHER: canary4}\n")
        for form in ("table", "json", "yaml"):
            end = self.ichor("lint", "-o", form)
            self.assertEqual(end.code, 3, end.text)
            self.assertNotIn("canary", end.text)

    def test_a_secret_is_not_written_where_git_sees_it(self):
        subprocess.run(["git", "init", "-q", str(self.folder)], check=True)
        self.write("a.yaml", "machine: {type: worker}\n")
        for command in (["gen", "secrets", "-o", "s.yaml"],
                        ["gen", "config", "demo", "https://10.0.0.1:6443", "--output-dir", "made"],
                        ["machineconfig", "patch", "a.yaml", "--patch", "machine: {certSANs: [x]}",
                         "-o", "b.yaml"]):
            with self.subTest(command):
                end = self.ichor(*command)
                self.assertEqual(end.code, 5, end.text)
                self.assertIn("git work tree", end.text)
        for name in ("s.yaml", "made", "b.yaml"):
            self.assertFalse((self.folder / name).exists(), name)

    def test_open_key_files_are_refused(self):
        key = self.write("keys.txt", "AGE-SECRET-KEY-1" + "Q" * 58 + "\n", 0o644)
        sealed = self.write("a.sops.yaml", SEALED.format(keys="age: [{recipient: age1x, enc: y}]"))
        end = self.ichor("secrets", "decrypt", str(sealed), SOPS_AGE_KEY_FILE=str(key))
        self.assertNotEqual(end.code, 0)
        self.assertIn("chmod 600", end.text)

    def test_a_token_is_not_sent_in_the_clear(self):
        for host, good in (("http://192.168.1.5:8080", False), ("http://127.0.0.1:8080", True),
                           ("http://localhost:8080", True), ("http://[::1]:8080", True),
                           ("http://127.0.0.1.evil.example", False),
                           ("http://127.0.0.1@evil.example", False),
                           ("https://connect.example.org", True)):
            self.profile(more="phases: {secrets: {onepassword: {via: connect, connect_host: '%s'}}}"
                         % host)
            end = self.ichor("lint")
            self.assertEqual("which is not an address" not in end.text, good, f"{host}\n{end.text}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
