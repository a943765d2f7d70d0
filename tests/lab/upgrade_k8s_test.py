#!/usr/bin/env python3
"""`ichor upgrade-k8s` on labs of Talos 1.13 and 1.14: planned, killed midway, resumed, asked again.

What runs is read through the lab's Kubernetes API, and with the real kubectl if tools/real-tools
has built it.

Usage: upgrade_k8s_test.py ICHOR
"""

import base64
import contextlib
import http.client
import json
import os
import pathlib
import re
import ssl
import subprocess
import sys
import time
import unittest
import urllib.parse

sys.dont_write_bytecode = True

import one_lab  # noqa: E402

ICHOR = sys.argv[1]
LIMIT_S = 400
CONTROL_PLANES = ["cp1", "cp2", "cp3"]
NAMES = CONTROL_PLANES + ["w1", "w2"]
STATIC = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
KUBECTL = CACHE / "ichor/tools/kubectl-1.35.4/bin/kubectl"

PROFILE = """\
name: versions
network:
  api_endpoint: https://192.168.22.100:6443
  node_cidr: 192.168.20.0/22
  gateway: 192.168.23.254
  pod_cidr: 10.42.0.0/16
  service_cidr: 10.43.0.0/16
  nameservers: [1.1.1.1]
talos:
  version: {talos}
  kubernetes_version: {kubernetes}
  factory:
    schematic_id: 376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba
  vip: {{ip: 192.168.22.100, interface: eth0}}
nodes:
  controlplane:
    assignments:
      - {{name: cp1, ip: 192.168.22.101, mac: "52:54:00:16:01:01", interface: eth0, disk: /dev/sda}}
      - {{name: cp2, ip: 192.168.22.102, mac: "52:54:00:16:01:02", interface: eth0, disk: /dev/sda}}
      - {{name: cp3, ip: 192.168.22.103, mac: "52:54:00:16:01:03", interface: eth0, disk: /dev/sda}}
  worker:
    assignments:
      - {{name: w1, ip: 192.168.22.111, mac: "52:54:00:16:01:11", interface: eth0, disk: /dev/sda}}
      - {{name: w2, ip: 192.168.22.112, mac: "52:54:00:16:01:12", interface: eth0, disk: /dev/sda}}
"""


class Upgrades(one_lab.OneLab):
    """The tests of both releases. Each class of its own lab says which."""

    talos: str
    before: str
    target: str
    too_far: str
    # Slower than other labs, so that a run can be killed between two nodes.
    scale = 20

    @classmethod
    def setUpClass(cls):
        cls.ichor = ICHOR
        folder = pathlib.Path(cls.enterClassContext(one_lab.tempfile.TemporaryDirectory()))
        cls.profile = str(folder / "ichor.yaml")
        cls.text = PROFILE.format(talos=cls.talos, kubernetes=cls.before)
        pathlib.Path(cls.profile).write_text(cls.text)
        super().setUpClass()

    def command(self, *words):
        return [ICHOR, *words, "-p", self.profile, "--lab-state", self.lab, "-q", "-o", "json"]

    def run_json(self, *words):
        done = subprocess.run(self.command(*words), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=LIMIT_S, check=False)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def ids(self, lines):
        """I7 is that of tasks that end because another one has stopped."""
        return {line["id"] for line in lines if line["type"] == "finding"} - {"I7"}

    def kubeconfig(self):
        file = pathlib.Path(self.folder.name) / "kubeconfig"
        if not file.exists():
            code, lines = self.run_json("kubeconfig", str(file))
            self.assertEqual(code, 0, lines[-1])
        return file

    def kube(self, path):
        """One request to the Kubernetes API, as the kubeconfig says."""
        text = self.kubeconfig().read_text()

        def file(key):
            data = re.search(rf"{key}-data: (\S+)", text).group(1)
            place = pathlib.Path(self.folder.name) / key
            place.write_bytes(base64.b64decode(data))
            return str(place)

        server = urllib.parse.urlparse(re.search(r"server: (\S+)", text).group(1))
        context = ssl.create_default_context(cafile=file("certificate-authority"))
        context.load_cert_chain(file("client-certificate"), file("client-key"))
        connection = http.client.HTTPSConnection(server.hostname, server.port, context=context,
                                                 timeout=20)
        with contextlib.closing(connection):
            connection.request("GET", path)
            reply = connection.getresponse()
            self.assertEqual(reply.status, 200, path)
            return json.loads(reply.read())

    def pods(self):
        return self.kube("/api/v1/namespaces/kube-system/pods")["items"]

    def versions(self):
        """{"kube-apiserver": {version: how many}} of all components."""
        found = {}
        for pod in self.pods():
            container = pod["spec"]["containers"][0]
            if container["name"] not in STATIC + ["kube-proxy"]:
                continue
            version = container["image"].rsplit(":", 1)[1]
            of = found.setdefault(container["name"], {})
            of[version] = of.get(version, 0) + 1
        kubelets = {}
        for node in self.kube("/api/v1/nodes")["items"]:
            version = node["status"]["nodeInfo"]["kubeletVersion"]
            kubelets[version] = kubelets.get(version, 0) + 1
        return found | {"kubelet": kubelets}

    def all_at(self, version):
        return {name: {version: 3} for name in STATIC} | {name: {version: 5} for name in
                                                          ("kube-proxy", "kubelet")}

    def not_ready(self, name):
        def ready(pod):
            return any(one["type"] == "Ready" and one["status"] == "True"
                       for one in pod["status"]["conditions"])

        return [pod["metadata"]["name"] for pod in self.pods()
                if pod["spec"]["containers"][0]["name"] == name and not ready(pod)]

    def test_1_what_cannot_go_well_is_refused_and_nothing_is_changed(self):
        code, lines = self.run_json("up")
        self.assertEqual(code, 0, lines[-1])
        code, lines = self.run_json("upgrade-k8s", "--to", self.too_far)
        self.assertEqual((code, lines[-1]["mutations"]), (5, 0), lines[-1])
        self.assertEqual(self.ids(lines), {"U9"})
        self.assertEqual(self.versions(), self.all_at(self.before))

    def test_2_a_flag_that_the_target_does_not_have_is_named(self):
        kind = "KubeletConfig" if self.talos.startswith("v1.14") else ""
        patch = (f"apiVersion: v1alpha1\nkind: {kind}\nextraArgs: {{cloud-config: x}}\n" if kind
                 else "machine: {kubelet: {extraArgs: {cloud-config: x}}}\n")
        folder = pathlib.Path(self.profile).parent / "patches/worker"
        folder.mkdir(parents=True)
        (folder / "flag.yaml").write_text(patch)
        pathlib.Path(self.profile).write_text(
            self.text.replace("talos:\n", "talos:\n  patches_dir: patches\n"))
        code, lines = self.run_json("upgrade-k8s", "--to", self.target)
        pathlib.Path(self.profile).write_text(self.text)
        self.assertEqual((code, lines[-1]["mutations"]), (5, 0), lines[-1])
        named = [line for line in lines if line["type"] == "finding" and line["id"] == "U10"]
        self.assertEqual({line["node"] for line in named}, {"w1", "w2"}, lines)
        self.assertIn("cloud-config", named[0]["what"])

    def test_3_the_plan_names_every_step_in_order_and_changes_nothing(self):
        code, lines = self.run_json("upgrade-k8s", "--to", self.target, "--dry-run")
        self.assertEqual(code, 0, lines[-1])
        steps = [(line["phase"], line["node"], line["action"]) for line in lines
                 if line["type"] == "action"]
        order = [("pull images", name, "ImagePull") for name in NAMES]
        for phase in STATIC + ["kube-proxy"]:
            order += [(phase, name, "ApplyConfiguration") for name in CONTROL_PLANES]
        order += [("kubelet", name, "ApplyConfiguration") for name in NAMES]
        order += [("manifests", "cp1", "kube-proxy update")]
        self.assertEqual(steps, order)
        self.assertEqual(self.versions(), self.all_at(self.before))

    def test_4_a_run_that_is_killed_midway_is_resumed_one_api_server_at_a_time(self):
        killed = subprocess.Popen(self.command("upgrade-k8s", "--to", self.target),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + LIMIT_S
        while not self.versions()["kube-apiserver"].get(self.target):
            self.assertLess(time.monotonic(), deadline, self.versions())
            self.assertIsNone(killed.poll(), "the run ended before it was killed")
        killed.kill()
        killed.wait()
        self.assertEqual(self.versions()["kubelet"], {self.before: 5}, "it was killed midway")
        code, lines = self.run_json("up")
        self.assertEqual((code, lines[-1]["mutations"], self.ids(lines)), (5, 0, {"U13"}))

        output = pathlib.Path(self.folder.name) / "resumed"
        with output.open("w") as target:
            resumed = subprocess.Popen(self.command("upgrade-k8s", "--to", self.target),
                                       stdout=target, stderr=subprocess.DEVNULL)
        most = 0
        while resumed.poll() is None:
            seen = self.versions()
            most = max(most, len(self.not_ready("kube-apiserver")))
            if seen["kubelet"].get(self.target):
                for name in STATIC:
                    self.assertEqual(seen[name], {self.target: 3}, "kubelets come last")
        lines = [json.loads(line) for line in output.read_text().splitlines()]
        self.assertEqual(resumed.returncode, 0, [line for line in lines
                                                 if line["type"] != "event"][-5:])
        self.assertLessEqual(most, 1, "API servers that were away at the same time")
        self.assertEqual(self.versions(), self.all_at(self.target))
        self.assertEqual(self.ids(lines), {"U13"}, "the profile is behind, and ichor says so")

    def test_5_a_second_run_changes_nothing(self):
        code, lines = self.run_json("upgrade-k8s", "--to", self.target)
        self.assertEqual((code, lines[-1]["mutations"]), (0, 0), lines[-1])
        code, lines = self.run_json("upgrade-k8s", "--to", self.before)
        self.assertEqual((code, lines[-1]["mutations"], self.ids(lines)), (5, 0, {"U9"}))

    def test_6_up_does_not_take_the_cluster_back(self):
        code, lines = self.run_json("up")
        self.assertEqual((code, lines[-1]["mutations"], self.ids(lines)), (5, 0, {"U13"}))
        code, lines = self.run_json("drift", "--fix")
        self.assertEqual((code, lines[-1]["mutations"]), (5, 0), lines[-1])
        pathlib.Path(self.profile).write_text(self.text.replace(self.before, self.target))
        for words in (["drift"], ["up"], ["health"], ["upgrade-k8s"]):
            code, lines = self.run_json(*words)
            self.assertEqual((code, lines[-1]["mutations"]), (0, 0), (words, lines[-1]))
        self.assertEqual(self.versions(), self.all_at(self.target))

    def test_7_the_real_kubectl_says_the_same(self):
        if not KUBECTL.exists():
            self.skipTest("kubectl is not built: tools/real-tools kubectl-1.35.4")
        rows = subprocess.run([str(KUBECTL), "--kubeconfig", str(self.kubeconfig()), "get", "nodes",
                               "--no-headers"], stdout=subprocess.PIPE, text=True, timeout=60,
                              check=True).stdout.splitlines()
        self.assertEqual([row.split()[4] for row in rows], [self.target] * 5)


class OnTalos13(Upgrades):
    talos, before, target, too_far = "v1.13.9", "v1.35.2", "v1.36.3", "v1.37.0"


class OnTalos14(Upgrades):
    talos, before, target, too_far = "v1.14.1", "v1.36.3", "v1.37.0", "v1.38.0"


del Upgrades  # what is tested are its classes


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
