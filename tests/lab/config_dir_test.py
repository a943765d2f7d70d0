#!/usr/bin/env python3
"""`ichor apply --config-dir` and `up --config-dir`: configs made elsewhere are sent as they
are, and what contradicts the profile stops the run before the first send. Also the shims that stand
for the scripts that people have in their Taskfiles.

Usage: config_dir_test.py ICHOR
"""

import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402
import side_by_side  # noqa: E402

ICHOR = os.path.abspath(sys.argv[1])
SHIMS = pathlib.Path(__file__).resolve().parents[2] / "examples/shims"
LIMIT_S = 240

PROFILE = """\
name: demo
network:
  api_endpoint: https://192.168.22.101:6443
  node_cidr: 192.168.20.0/22
  gateway: 192.168.23.254
  pod_cidr: 10.42.0.0/16
  service_cidr: 10.43.0.0/16
talos: {version: v1.12.6, kubernetes_version: v1.35.2}
nodes:
  controlplane:
    assignments:
      - {name: cp1, ip: 192.168.22.101, mac: "52:54:00:16:01:01", interface: eth0, disk: /dev/sda}
  worker:
    assignments:
      - {name: w1, ip: 192.168.22.111, mac: "52:54:00:16:01:11", interface: eth0, disk: /dev/sda}
"""

PATCH = """\
apiVersion: v1alpha1
kind: HostnameConfig
auto: off
hostname: {name}
---
apiVersion: v1alpha1
kind: LinkConfig
name: eth0
addresses: [{{address: {address}/22}}]
routes: [{{gateway: 192.168.23.254}}]
"""


def ichor(folder, *arguments, **options):
    return subprocess.run([ICHOR, *arguments], cwd=folder, capture_output=True, text=True,
                          timeout=LIMIT_S, check=False, **options)


def last(done):
    return json.loads(done.stdout.splitlines()[-1])


ONE_BY_ONE = threading.Lock()


@functools.lru_cache
def bundle():
    """Secrets for all tests: their keys take seconds."""
    with tempfile.TemporaryDirectory() as folder:
        ichor(folder, "gen", "secrets", "-o", "bundle.yaml")
        return (pathlib.Path(folder) / "bundle.yaml").read_text()


class ConfigDir(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        (self.folder / "ichor.yaml").write_text(PROFILE)
        with ONE_BY_ONE:
            (self.folder / "bundle.yaml").write_text(bundle())
        self.run_well("gen", "config", "demo", "https://192.168.22.101:6443", "--with-secrets",
                      "bundle.yaml", "--install-disk", "/dev/sda", "--output-dir", "made")
        for name, role, address in (("cp1", "controlplane", "192.168.22.101"),
                                    ("w1", "worker", "192.168.22.111")):
            (self.folder / "patch.yaml").write_text(PATCH.format(name=name, address=address))
            self.run_well("machineconfig", "patch", f"made/{role}.yaml", "--patch", "@patch.yaml",
                          "--output", f"clusterconfig/demo-{name}.yaml")

    def run_well(self, *arguments):
        done = ichor(self.folder, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        return done

    def up(self, *arguments):
        return ichor(self.folder, "up", "--lab", "--lab-state", "lab", "--time-scale",
                     str(one_lab.SCALE), "-o", "json", *arguments)

    def test_configs_made_elsewhere_are_sent_as_they_are(self):
        done = self.up("--config-dir", "clusterconfig")
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        self.assertTrue(last(done)["ok"])
        done = self.up("--config-dir", "clusterconfig")
        self.assertEqual((done.returncode, last(done)["mutations"]), (0, 0))

    def test_the_profile_may_name_the_folder(self):
        text = PROFILE.replace("v1.35.2}", "v1.35.2, ready_configs: clusterconfig}")
        (self.folder / "ichor.yaml").write_text(text)
        done = self.up()
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        self.assertTrue(last(done)["ok"])

    def test_config_dir_is_where_ichor_writes(self):
        """Whoever names a folder of ready-made configs as config_dir learns the other key."""
        text = PROFILE.replace("v1.35.2}", "v1.35.2, config_dir: clusterconfig}")
        (self.folder / "ichor.yaml").write_text(text)
        done = self.up()
        self.assertEqual(done.returncode, 3, done.stdout[-3000:])
        self.assertIn("ready_configs: clusterconfig", done.stdout)

    def test_a_swapped_config_is_not_sent(self):
        folder = self.folder / "clusterconfig"
        (folder / "demo-cp1.yaml").rename(folder / "swap")
        (folder / "demo-w1.yaml").rename(folder / "demo-cp1.yaml")
        (folder / "swap").rename(folder / "demo-w1.yaml")
        done = self.up("--config-dir", "clusterconfig")
        self.assertEqual(done.returncode, 3, done.stdout[-3000:])
        self.assertIn("for a worker", done.stdout)
        self.assertEqual(last(done)["mutations"], 0)

    def test_the_shims_take_what_the_scripts_took(self):
        lab = subprocess.Popen([ICHOR, "lab", "start", "--profile", "ichor.yaml", "--state", "lab",
                                "--time-scale", str(one_lab.SCALE)], cwd=self.folder,
                               stdout=subprocess.PIPE, text=True)
        self.addCleanup(lab.wait)
        self.addCleanup(lab.terminate)
        self.addCleanup(lab.stdout.close)
        lab.stdout.readline()
        variables = dict(os.environ, PATH=f"{os.path.dirname(ICHOR)}:{os.environ['PATH']}",
                         ICHOR_FLAGS="--lab-state lab")
        for words in (["preflight.sh"], ["apply.sh", "clusterconfig", "sequential"],
                      ["apply.sh", "clusterconfig", "parallel", "2"], ["verify.sh"]):
            shim = subprocess.run([SHIMS / ("bootstrap-talos-" + words[0]), *words[1:]],
                                  cwd=self.folder, env=variables, capture_output=True, text=True,
                                  timeout=LIMIT_S, check=False)
            self.assertEqual(shim.returncode, 0, f"{words}\n{shim.stdout[-3000:]}{shim.stderr}")
        usage = subprocess.run([SHIMS / "bootstrap-talos-apply.sh"], cwd=self.folder,
                               env=variables, capture_output=True, text=True, check=False)
        self.assertEqual(usage.returncode, 64)


if __name__ == "__main__":
    side_by_side.main()
