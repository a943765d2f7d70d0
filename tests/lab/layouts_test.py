#!/usr/bin/env python3
"""The users' own layouts on the lab, word for word: the runbook with its config_dir, both clusters
of the role folders, and the five templates.

Usage: layouts_test.py ICHOR
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402
import side_by_side  # noqa: E402

ICHOR = os.path.abspath(sys.argv[1])
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
LIMIT_S = 400
DONE, CNI_PENDING = 0, 6


class Layouts(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "tree"

    def take(self, example):
        shutil.copytree(EXAMPLES / example, self.folder)

    def ichor(self, *arguments, expect=DONE):
        done = subprocess.run([ICHOR, *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)
        self.assertEqual(done.returncode, expect,
                         f"{arguments}\n{done.stdout[-3000:]}\n{done.stderr[-2000:]}")
        return done

    def up(self, profile, *arguments, expect=DONE):
        done = self.ichor("up", "-p", profile, "--lab", "--lab-state", "lab", "--time-scale",
                          str(one_lab.SCALE), "-o", "json", *arguments, expect=expect)
        return json.loads(done.stdout.splitlines()[-1])

    def test_the_runbook(self):
        self.take("runbook")
        home = self.folder / "talos/infra"
        self.ichor("lint")
        # Step 2: the secrets are made once.
        self.ichor("gen", "secrets", "-o", "talos/infra/secrets.yaml")
        self.ichor("gen", "secrets", "-o", "talos/infra/secrets.yaml", expect=1)
        # Steps 3 and 4: a config for each node, with its own patch and no other.
        self.ichor("gen", "config", "--from", "ichor.yaml")
        for name, other in (("cp1", "cp2"), ("w3", "cp1")):
            config = (home / f"infra-{name}.yaml").read_text()
            self.assertIn(f"example.org/machine: {name}", config)
            self.assertNotIn(f"example.org/machine: {other}", config)
        self.ichor("lint")
        # Steps 6 to 13.
        self.assertTrue(self.up("ichor.yaml")["ok"])
        self.assertEqual(self.up("ichor.yaml")["mutations"], 0)
        talosconfig = (self.folder / "lab/configs/talosconfig").read_text()
        self.assertEqual(talosconfig.count("context: infra"), 1)
        # A lab gets keys of its own, and git sees nothing of it.
        secret = next(line.split(":", 1)[1].strip()
                      for line in (home / "secrets.yaml").read_text().splitlines()
                      if line.strip().startswith("id:"))
        for path in (self.folder / "lab").rglob("*"):
            if path.is_file():
                self.assertNotIn(secret.encode(), path.read_bytes(), path)
        self.assertEqual((self.folder / "lab/.gitignore").read_text(), "*\n")

    def test_both_clusters_of_the_role_folders(self):
        self.take("multi-cluster")
        for cluster in ("infra", "apps"):
            self.ichor("lint", "-p", f"talos/{cluster}")
            self.ichor("gen", "secrets", "-o", f"talos/{cluster}/secrets.yaml")
            self.ichor("lint", "-p", f"talos/{cluster}")
            # Its own CNI comes later: the control plane is up, and no node is Ready.
            summary = self.up(f"talos/{cluster}", expect=CNI_PENDING)
            self.assertEqual(sorted(summary["nodes"]), ["cp1", "cp2", "cp3", "w1", "w2", "w3"])
            shutil.rmtree(self.folder / "lab")

    def test_the_five_templates(self):
        self.take("templates")
        self.ichor("lint")
        summary = self.up("ichor.yaml", expect=CNI_PENDING)
        self.assertTrue(all(node["ok"] for node in summary["nodes"].values()), summary)

    def test_the_five_templates_on_talos_1_14(self):
        self.take("templates")
        profile = self.folder / "ichor.yaml"
        profile.write_text(profile.read_text().replace("v1.12.6", "v1.14.1")
                           .replace("v1.35.2", "v1.36.3"))
        # The templates have the old form, and the configs are made of documents.
        found = self.ichor("lint", "-o", "json").stdout
        self.assertIn("patch.old-form", found)
        self.ichor("gen", "secrets", "-o", "secrets.yaml")
        self.ichor("gen", "config", "--from", "ichor.yaml", "--with-secrets", "secrets.yaml",
                   "--output-dir", "out")
        for name in ("cp1", "w1"):
            path = self.folder / f"out/infra-{name}.yaml"
            self.ichor("validate", "-c", str(path), "-m", "metal")
            self.assertIn("feature-gates: ImageVolume=true", path.read_text())
        summary = self.up("ichor.yaml", expect=CNI_PENDING)
        self.assertTrue(all(node["ok"] for node in summary["nodes"].values()), summary)
        # A conversion gives the same config every time.
        self.assertEqual(self.up("ichor.yaml", expect=CNI_PENDING)["mutations"], 0)


if __name__ == "__main__":
    side_by_side.main()
