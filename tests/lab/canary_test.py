#!/usr/bin/env python3
"""A canary in the secrets of a cluster: commands are run with it, right and wrong, under umask 000,
and it may show in the files that are for secrets and nowhere else: no output, error, diff, journal,
report or process argument. Files that hold it are readable by their owner only.

Usage: canary_test.py ICHOR PROFILE
"""

import base64
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402

ICHOR, PROFILE = (os.path.abspath(path) for path in sys.argv[1:3])
LIMIT_S = 240

TOKEN = "canary.c0ffee00c0ffee00"
SECRET = base64.b64encode(b"canary in the cluster's secret..").decode()
BOX = base64.b64encode(b"canary of the encryption at rest").decode()


class Arguments(threading.Thread):
    """Keeps the arguments of every process that can be seen while it runs."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen, self.over = set(), threading.Event()

    def run(self):
        while not self.over.wait(0.05):
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    self.seen.add((process / "cmdline").read_bytes())
                except OSError:
                    pass


@functools.lru_cache
def fresh_secrets():
    """For all tests: the keys take seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "secrets.yaml"
        subprocess.run([ICHOR, "gen", "secrets", "-o", str(path)], check=True, timeout=LIMIT_S,
                       capture_output=True)
        return path.read_text()


class Canary(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.addCleanup(os.umask, os.umask(0))
        self.folder = pathlib.Path(temporary.name)
        self.said = []
        path = self.folder / "secrets.yaml"
        text = fresh_secrets()
        for key, value in (("bootstraptoken", TOKEN), ("token", TOKEN), ("secret", SECRET),
                           ("secretboxencryptionsecret", BOX)):
            text = re.sub(rf"^( +{key}): \S+", rf"\1: {value}", text, count=1, flags=re.M)
        path.write_text(text)
        os.chmod(path, 0o600)
        key = re.search(r"k8sserviceaccount:\s+key: (\S+)", text)[1]
        self.canaries = [TOKEN, SECRET, BOX, key[200:260]]
        for canary in self.canaries:
            self.assertIn(canary, text)

    def ichor(self, *arguments, expect=0):
        done = subprocess.run([ICHOR, *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)
        self.said.append((arguments, done.stdout + done.stderr))
        if expect is not None:
            self.assertEqual(done.returncode, expect, f"{arguments}\n{done.stdout}{done.stderr}")
        return done

    def prove_quiet(self):
        for arguments, text in self.said:
            for canary in self.canaries:
                self.assertNotIn(canary, text, f"ichor {' '.join(arguments)} shows a secret")

    def prove_files(self, *may_hold):
        """Only files of these names hold a secret, and all files are the owner's alone."""
        for path in self.folder.rglob("*"):
            if path.is_symlink() or not path.is_file():
                continue
            content = path.read_bytes()
            holds = any(canary.encode() in content for canary in self.canaries)
            if holds:
                self.assertIn(path.name, may_hold, f"{path} holds a secret")
                self.assertEqual(path.stat().st_mode & 0o777, 0o600, path)

    def test_configs_patches_and_their_errors(self):
        self.ichor("gen", "config", "demo", "https://10.0.0.1:6443", "--with-secrets",
                   "secrets.yaml", "--output-dir", "made")
        self.prove_files("secrets.yaml", "controlplane.yaml", "worker.yaml")
        broken = (self.folder / "made/controlplane.yaml").read_text()
        for name, text in (("type.yaml", broken.replace("type: controlplane", "type: [x]", 1)),
                           ("key.yaml", broken.replace("    token: ", "    tokn: ", 1)),
                           ("syntax.yaml", broken.replace("    token: ", "    token: [", 1)),
                           ("indent.yaml", broken.replace("    token: ", "   token: ", 1))):
            (self.folder / "made" / name).write_text(text)
            os.chmod(self.folder / "made" / name, 0o600)
            for form in ("table", "json", "yaml"):
                self.ichor("validate", "--config", f"made/{name}", "--mode", "metal", "-o", form,
                           expect=None)
            self.ichor("machineconfig", "diff", "made/controlplane.yaml", f"made/{name}",
                       expect=None)
            self.ichor("machineconfig", "patch", f"made/{name}", "--patch", '{"machine": {}}',
                       "--output", "patched.yaml", expect=None)
            self.ichor("gen", "secrets", "--from-controlplane-config", f"made/{name}", "-o",
                       "again.yaml", expect=None)
            (self.folder / "again.yaml").unlink(missing_ok=True)
        other = broken.replace(TOKEN, "abcdef.0123456789abcdef").replace(SECRET, BOX)
        (self.folder / "made/other.yaml").write_text(other)
        os.chmod(self.folder / "made/other.yaml", 0o600)
        for form in ("table", "json"):
            self.ichor("machineconfig", "diff", "made/controlplane.yaml", "made/other.yaml", "-o",
                       form, expect=None)
        bad = (self.folder / "secrets.yaml").read_text().replace("certs:", "certz:", 1)
        (self.folder / "bad.yaml").write_text(bad)
        os.chmod(self.folder / "bad.yaml", 0o600)
        self.ichor("gen", "config", "demo", "https://10.0.0.1:6443", "--with-secrets", "bad.yaml",
                   "--output-dir", "never", expect=None)
        self.prove_quiet()

    def test_a_password_in_the_url_of_a_logging_destination(self):
        self.canaries = ["canary-of-the-log"]
        good, bad = "udp://127.0.0.1:6051", "udp://me:canary-of-the-log@127.0.0.1:6051"
        profile = pathlib.Path(PROFILE).read_text().replace("# patches_dir:", "patches_dir:")
        (self.folder / "ichor.yaml").write_text(profile)
        (self.folder / "patches").mkdir()
        written = self.folder / "patches/logging.yaml"
        patch = "machine: {logging: {destinations: [{endpoint: '%s', format: json_lines}]}}\n"
        written.write_text(patch % bad)
        for form in ("table", "wide", "json", "yaml", "sarif"):
            done = self.ichor("lint", "-o", form, expect=3)
            self.assertIn("***@127.0.0.1:6051", done.stdout + done.stderr)
        # It reaches nodes in configs that were made elsewhere.
        written.write_text(patch % good)
        self.ichor("gen", "config", "--from", "ichor.yaml", "--with-secrets", "secrets.yaml",
                   "--output-dir", "good")
        (self.folder / "made").mkdir()
        for path in (self.folder / "good").glob("reference-*.yaml"):
            made = self.folder / "made" / path.name
            made.write_text(path.read_text().replace(good, bad))
            self.assertIn(bad, made.read_text())
            os.chmod(made, 0o600)
        for form in ("table", "json", "yaml"):
            self.ichor("validate", "--config", "made/reference-w1.yaml", "--mode", "metal", "-o",
                       form, expect=None)
            done = self.ichor("machineconfig", "diff", "good/reference-w1.yaml",
                              "made/reference-w1.yaml", "-o", form)
            self.assertIn("***@127.0.0.1:6051", done.stdout)
            # Once with changes, then again without.
            self.ichor("up", "--config-dir", "made", "--lab", "--lab-state", "lab", "--time-scale",
                       str(one_lab.SCALE), "-o", form)
            for command in (["report", "--text"], ["doctor", "--last"]):
                self.ichor(*command, "--lab-state", "lab", "-o", form, expect=None)
            self.ichor("plan", "--offline", "--config-dir", "made", "--lab-state", "lab", "-o",
                       form, expect=None)
        self.prove_quiet()
        for path in (self.folder / "lab/ichor").rglob("*"):
            if path.is_file():
                self.assertNotIn(self.canaries[0].encode(), path.read_bytes(), path)

    def test_a_whole_bring_up(self):
        shutil.copy(PROFILE, self.folder / "ichor.yaml")
        # A lab takes no secrets_file of the profile, so they are put where it keeps its own.
        state = self.folder / "lab/ichor/reference"
        state.mkdir(parents=True, mode=0o700)
        for folder in (self.folder / "lab", self.folder / "lab/ichor"):
            folder.chmod(0o700)
        shutil.copy(self.folder / "secrets.yaml", state / "secrets.yaml")
        os.chmod(state / "secrets.yaml", 0o600)
        arguments = Arguments()
        arguments.start()
        self.ichor("up", "--lab", "--lab-state", "lab", "--time-scale",
                   str(one_lab.SCALE), "-o", "json")
        arguments.over.set()
        arguments.join()
        for form in ("table", "json"):
            self.ichor("report", "--text", "-o", form, "--state-dir", "lab/ichor/reference",
                       expect=None)
        self.ichor("plan", expect=None)
        self.prove_quiet()
        for canary in self.canaries:
            for line in arguments.seen:
                self.assertNotIn(canary.encode(), line)
        # The lab's own folder plays the disks of the machines.
        for path in (self.folder / "lab/ichor").rglob("*"):
            if path.is_file() and path.name != "secrets.yaml":
                content = path.read_bytes()
                for canary in self.canaries:
                    self.assertNotIn(canary.encode(), content, path)
                self.assertEqual(path.stat().st_mode & 0o077, 0, path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
