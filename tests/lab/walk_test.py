#!/usr/bin/env python3
"""The runbook and the story of the users, step by step on labs, with the files of examples/.

Every step prints what it checks. The real talosctl and kubectl are asked too, if tools/real-tools
has them here.

Usage: walk_test.py ICHOR
"""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402
import side_by_side  # noqa: E402

ICHOR = os.path.abspath(sys.argv[1])
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
TOOLS = pathlib.Path(os.environ.get("ICHOR_TOOLS") or
                     pathlib.Path.home() / ".cache/ichor/tools")
LIMIT_S = 240
DONE, FAILED, UNSAFE, CNI_PENDING = 0, 1, 5, 6
CONTROL_PLANES, WORKERS = ["cp1", "cp2", "cp3"], ["w1", "w2", "w3"]
NODES = CONTROL_PLANES + WORKERS
SCHEMATIC = "a7f294c4436e874167652f711750f9bc607c89f12f7c27f183584a25763a2bca"
ENDPOINT = "https://192.168.22.100:6443"


def tool(name, version):
    """The path of a real program; None if tools/real-tools has not fetched it."""
    path = TOOLS / f"{name}-{version}/bin/{name}"
    return path if path.exists() else None


TALOSCTL, KUBECTL = tool("talosctl", "1.12.6"), tool("kubectl", "1.35.4")


def of(events, of_type, **fields):
    return [event for event in events if event["type"] == of_type
            and all(event.get(name) == value for name, value in fields.items())]


class Walk(unittest.TestCase):
    """A copy of an example, in which the steps build on each other."""

    in_order = True
    example: str

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.tree = pathlib.Path(temporary.name) / "tree"
        shutil.copytree(EXAMPLES / cls.example, cls.tree)

    @classmethod
    def start_lab(cls, profile, state):
        started = one_lab.start(ICHOR, str(cls.tree / profile), str(cls.tree / state))
        if started.returncode != 0:
            raise RuntimeError(f"the lab did not start: {started.stderr}")
        cls.addClassCleanup(one_lab.stop, ICHOR, str(cls.tree / state))

    def say(self, step, text):
        print(f"{step}: {text}", file=sys.stderr, flush=True)

    def ichor(self, *words, expect=DONE):
        done = subprocess.run([ICHOR, *words], cwd=self.tree, capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)
        self.assertEqual(done.returncode, expect,
                         f"{words}\n{done.stdout[-3000:]}\n{done.stderr[-2000:]}")
        return done

    def events(self, *words, expect=DONE):
        """The objects that a command prints, and the last of them."""
        done = self.ichor(*words, "-o", "json", expect=expect)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        return events, events[-1]

    def real(self, program, *words):
        done = subprocess.run([program, *words], cwd=self.tree, capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def loopbacks(self, state):
        """Where the lab has put each node."""
        rows, _ = self.events("lab", "status", "--state", state)
        return {row["node"]: row["loopback"] for row in of(rows, "lab-node")}


class Runbook(Walk):
    """examples/runbook: everything of a cluster is in its config_dir."""

    example = "runbook"
    lab = ["--lab-state", "lab"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.start_lab("ichor.yaml", "lab")
        cls.home = cls.tree / "talos/infra"

    def test_01_every_node_answers_on_50000(self):
        self.events("discover", *self.lab)
        rows, _ = self.events("preflight", *self.lab)
        reached = of(rows, "check", check="reachable", result="passed")
        self.assertEqual([row["node"] for row in reached], NODES)
        self.assertTrue(all(row["detail"].endswith(":50000") for row in reached), reached)
        for address in self.loopbacks("lab").values():
            socket.create_connection((address, 50000), timeout=LIMIT_S).close()
        self.say("runbook 1", "all six nodes answer on port 50000, and preflight says so")

    def test_02_secrets_are_made_once(self):
        place = "talos/infra/secrets.yaml"
        self.ichor("gen", "secrets", "-o", place)
        made = (self.tree / place).read_text()
        again = self.ichor("gen", "secrets", "-o", place, expect=FAILED)
        self.assertIn("already exists", again.stderr)
        self.assertEqual((self.tree / place).read_text(), made)
        self.say("runbook 2", f"gen secrets -o {place}; a second call leaves the file alone")

    def test_03_gen_config_in_the_form_of_talosctl(self):
        words = ["gen", "config", "infra", ENDPOINT, "--output-dir", "talos/infra",
                 "--with-secrets", "talos/infra/secrets.yaml", "--install-image",
                 f"factory.talos.dev/installer/{SCHEMATIC}:v1.12.6", "--kubernetes-version",
                 "v1.35.2", "--with-cluster-discovery=false", "--force", "--config-patch"]
        patch = '[{"op": "add", "path": "/machine/network/nameservers", "value": ["1.1.1.1"]}]'
        refused = self.ichor(*words, patch, expect=FAILED)
        strategic = refused.stderr.split("strategic merge patch:\n")[1]
        self.assertEqual(strategic.split(), ["machine:", "network:", "nameservers:", "-",
                                             "1.1.1.1"])
        self.assertFalse((self.home / "controlplane.yaml").exists())
        if TALOSCTL:
            theirs = subprocess.run([TALOSCTL, *words, patch], cwd=self.tree, capture_output=True,
                                    text=True, check=False, timeout=LIMIT_S)
            self.assertNotEqual(theirs.returncode, 0, theirs.stdout)
            self.assertIn("JSON6902 patches are not supported", theirs.stderr)
        self.say("runbook 3", "the JSON6902 patch is refused" +
                 (", as by talosctl; " if TALOSCTL else " (talosctl is not here); ") +
                 "the strategic form is printed:\n" + strategic.rstrip())
        self.ichor(*words, strategic)
        for role in ("controlplane", "worker"):
            config = (self.home / f"{role}.yaml").read_text()
            for part in ("1.1.1.1", SCHEMATIC, "kubelet:v1.35.2", ENDPOINT):
                self.assertIn(part, config, role)
            if TALOSCTL:
                self.real(TALOSCTL, "validate", "--mode", "metal", "--config",
                          self.home / f"{role}.yaml")
        self.say("runbook 3", "with it, controlplane.yaml, worker.yaml and talosconfig are written")

    def test_04_each_node_has_its_own_patch(self):
        self.ichor("lint")
        self.ichor("gen", "config", "--from", "ichor.yaml", "--force")
        for name in NODES:
            config = (self.home / f"infra-{name}.yaml").read_text()
            self.assertEqual(re.findall(r"example\.org/machine: (\S+)", config), [name])
        self.say("runbook 4", "talos/infra/patches/NODE.yaml is in the config of NODE and no other")

    def test_05_machines_are_recognized_by_their_mac(self):
        self.say("runbook 5", "the scan comes with issue 20; today: the match by MAC")
        text = (self.tree / "ichor.yaml").read_text()
        one, other = "52:54:00:16:01:01", "52:54:00:16:01:02"
        text = text.replace(one, "x").replace(other, one).replace("x", other)
        (self.tree / "swapped.yaml").write_text(text)
        words = ["discover", "-p", "swapped.yaml", *self.lab, "--state-dir", "swapped-state"]
        events, _ = self.events(*words, expect=UNSAFE)
        found = {row["node"]: row for row in of(events, "finding", id="D8")}
        self.assertEqual(sorted(found), ["cp1", "cp2"])
        self.assertIn("it is cp2, whose address in the profile is 192.168.22.102",
                      found["cp1"]["what"])
        flags = re.search(r"`(--address [^`]+)`", found["cp1"]["fix"])[1].split()
        self.assertEqual(flags, ["--address", "cp2=192.168.22.101",
                                 "--address", "cp1=192.168.22.102"])
        events, _ = self.events(*words, *flags)
        macs = {row["node"]: row["macs"] for row in of(events, "node")}
        self.assertEqual((macs["cp1"], macs["cp2"]), ([other], [one]))
        self.say("runbook 5", "exchanged MACs are found as D8, and the addresses that it prints "
                              "lead to the right machines")

    def apply(self, nodes):
        events, summary = self.events("apply", "-n", ",".join(nodes), *self.lab)
        sent = [event["node"] for event in of(events, "acted", phase="apply")]
        self.assertEqual((sorted(sent), summary["mutations"]), (nodes, len(nodes)))

    def test_06_control_planes_get_their_configs(self):
        self.apply(CONTROL_PLANES)
        self.say("runbook 6", "apply -n cp1,cp2,cp3 sends three configs")

    def test_07_workers_get_theirs(self):
        self.apply(WORKERS)
        self.say("runbook 7", "apply -n w1,w2,w3 sends three configs")

    def test_08_the_talos_api_answers_with_the_talosconfig(self):
        # Before bootstrap a control plane answers, and its stage is booting.
        events, _ = self.events("status", *self.lab, "--talosconfig", "lab/configs/talosconfig",
                                "-n", "cp1,cp2,cp3")
        self.assertEqual({row["stage"] for row in of(events, "node")}, {"booting"})
        if TALOSCTL:
            for name in CONTROL_PLANES:
                told = self.real(TALOSCTL, "--talosconfig", "lab/configs/talosconfig", "-n",
                                 self.loopbacks("lab")[name], "version")
                self.assertIn("v1.12.6", told.split("Server:")[1])
        self.say("runbook 8", "three control planes answer " +
                 ("talosctl" if TALOSCTL else "ichor (talosctl is not here)"))

    def test_09_the_first_control_plane_is_bootstrapped(self):
        events, summary = self.events("bootstrap", *self.lab)
        records, _ = self.events("report", *self.lab)
        sent = [row["node"] for row in of(records, "record", kind="intent", call="Bootstrap")]
        self.assertEqual((sent, summary["mutations"]), (["cp1"], 1))
        self.assertFalse([event for event in events if "profile was edited" in str(event)])
        self.say("runbook 9", "one Bootstrap, to cp1")

    def test_10_health_before_there_is_a_kubeconfig(self):
        events, summary = self.events("health", *self.lab)
        self.assertEqual(summary["mutations"], 0)
        self.assertEqual({node["result"] for node in summary["nodes"].values()}, {"passed"})
        self.assertFalse((self.tree / "lab/kubeconfig").exists())
        self.say("runbook 10", f"health: {summary['verdict']}")

    def test_11_the_context_of_the_kubeconfig_is_the_cluster(self):
        self.ichor("kubeconfig", *self.lab, "kubernetes/kubeconfig")
        text = (self.tree / "kubernetes/kubeconfig").read_text()
        self.assertIn("current-context: infra\n", text)
        if KUBECTL:
            self.assertEqual(self.real(KUBECTL, "--kubeconfig", "kubernetes/kubeconfig", "config",
                                       "get-contexts", "-o", "name").split(), ["infra"])
        self.say("runbook 11", "kubernetes/kubeconfig has the context infra")

    def test_12_the_talosconfig_names_all_nodes(self):
        text = (self.tree / "lab/configs/talosconfig").read_text()
        listed = {key: re.findall(r"- (\S+)", part) for key, part in
                  re.findall(r"(endpoints|nodes):\n((?:\s+- \S+\n)+)", text)}
        places = self.loopbacks("lab")
        self.assertEqual(listed, {"endpoints": [places[name] for name in CONTROL_PLANES],
                                  "nodes": [places[name] for name in NODES]})
        self.say("runbook 12", "endpoints are the control planes, nodes are all six")

    def test_13_all_of_it_holds(self):
        _, summary = self.events("health", *self.lab)
        self.assertEqual(summary["verdict"], "infra is ready; nothing had to be changed")
        events, _ = self.events("status", *self.lab)
        self.assertEqual([row["etcd"] for row in of(events, "node")][:3], ["voter"] * 3)
        ready = {row["node"]: row["ready"] for row in of(events, "kubernetes-node")}
        self.assertEqual(ready, {name: True for name in NODES})
        if KUBECTL:
            rows = self.real(KUBECTL, "--kubeconfig", "kubernetes/kubeconfig", "--context=infra",
                             "get", "nodes", "--no-headers").splitlines()
            self.assertEqual([row.split()[:2] for row in rows], [[name, "Ready"] for name in NODES])
        if TALOSCTL:
            rows = self.real(TALOSCTL, "--talosconfig", "lab/configs/talosconfig", "-n",
                             self.loopbacks("lab")["cp1"], "etcd", "members").splitlines()[1:]
            self.assertEqual(sorted(row.split()[2] for row in rows), CONTROL_PLANES)
        self.say("runbook 13", "healthy, six nodes Ready, three etcd members")


class Story(Walk):
    """examples/multi-cluster: two clusters, infra and apps."""

    example = "multi-cluster"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for cluster in ("infra", "apps"):
            cls.start_lab(f"talos/{cluster}", f"lab-{cluster}")

    def up(self, cluster, *words, expect=CNI_PENDING):
        return self.events("up", "-p", f"talos/{cluster}", "--lab-state", f"lab-{cluster}",
                           "--kubeconfig", "kubernetes/kubeconfig", *words, expect=expect)

    def test_1_ac6_a_dry_run_prints_order_and_actions(self):
        for cluster in ("infra", "apps"):
            events, summary = self.up(cluster, "--dry-run", expect=DONE)
            planned = [(row["action"], row["node"]) for row in of(events, "action")
                       if row["action"] != "wait"]
            apply = "ApplyConfiguration"
            self.assertEqual(planned,
                             [*((apply, node) for node in CONTROL_PLANES), ("Bootstrap", "cp1"),
                              ("Kubeconfig", "cp1"), *((apply, node) for node in WORKERS)])
            self.assertEqual(summary["mutations"], 0)
            self.say("story AC6", f"{cluster}: a dry run prints {len(planned)} actions in order "
                                  "and changes nothing")

    def test_2_ac1_ac5_one_call_for_each_cluster(self):
        for cluster in ("infra", "apps"):
            events, summary = self.up(cluster)
            self.assertIn("control plane up, CNI pending", summary["verdict"])
            marks = [event["node"] if event["type"] == "acted" else "the API answers"
                     for event in events
                     if (event["type"] == "acted" and event["phase"] == "apply")
                     or (event["type"] == "barrier-opened" and event["text"] == "API answers")]
            self.assertEqual((sorted(marks[:3]), marks[3], sorted(marks[4:])),
                             (CONTROL_PLANES, "the API answers", WORKERS))
            self.say("story AC1", f"`ichor up -p talos/{cluster}` stands behind "
                                  f"cluster:create-{cluster} (the tasks come with issue 21)")
            self.say("story AC5", f"{cluster}: controlplane/ first, worker/ after the API answers")

    def test_3_ac5_without_folders_the_flat_files(self):
        shutil.copytree(self.tree / "talos/infra/controlplane", self.tree / "talos/flat")
        shutil.copy(self.tree / "talos/infra/variables.yaml", self.tree / "talos/flat")
        events, _ = self.events("plan", "--offline", "-p", "talos/flat", "--state-dir", "none")
        applied = [row["node"] for row in of(events, "action", action="ApplyConfiguration")]
        self.assertEqual(applied, CONTROL_PLANES)
        self.say("story AC5", "without role folders the flat files are the nodes")

    def test_4_ac2_both_contexts_answer(self):
        text = (self.tree / "kubernetes/kubeconfig").read_text()
        for part in ("name: infra\n", "name: apps\n", "current-context: infra\n"):
            self.assertIn(part, text)
        for cluster in ("infra", "apps"):
            if KUBECTL:
                told = self.real(KUBECTL, "--kubeconfig", "kubernetes/kubeconfig",
                                 f"--context={cluster}", "cluster-info")
                self.assertIn("control plane is running at", told)
                nodes = self.real(KUBECTL, "--kubeconfig", "kubernetes/kubeconfig",
                                  f"--context={cluster}", "get", "nodes", "--no-headers")
                self.assertEqual({row.split()[1] for row in nodes.splitlines()}, {"NotReady"})
            self.say("story AC2", f"kubectl --context={cluster} cluster-info " +
                     ("answers; nodes are NotReady before the CNI" if KUBECTL
                      else "was not asked: kubectl is not here"))

    def test_5_ac3_the_health_gate_has_every_layer(self):
        events, summary = self.events("health", "-p", "talos/infra", "--lab-state", "lab-infra",
                                      expect=CNI_PENDING)
        layers = [row["layer"] for row in of(events, "layer")]
        self.assertEqual(layers, ["kubernetes", "crds", "cni", "storage", "flux"])
        self.assertEqual({node["stage"] for node in summary["nodes"].values()}, {"running"})
        self.say("story AC3", f"health covers Talos and {', '.join(layers)}; phases 0 to 3, which "
                              "write to Kubernetes, are proved by ctest kube.Handover and "
                              "kube.UpAgain (tests/kube)")

    def test_6_ac4_ac6_a_second_run_changes_nothing(self):
        for cluster in ("infra", "apps"):
            before = (self.tree / "kubernetes/kubeconfig").read_text()
            events, summary = self.up(cluster)
            self.assertEqual(summary["mutations"], 0)
            self.assertFalse(of(events, "finding", severity="error"))
            done, = of(events, "phase-done", phase="bootstrap")
            self.assertTrue(done["text"].startswith("skipped: etcd exists"), done)
            self.assertEqual((self.tree / "kubernetes/kubeconfig").read_text(), before)
            self.say("story AC4", f"{cluster}: the second run changes nothing")
            self.say("story AC6", f"{cluster}: bootstrap {done['text']}")

    def test_7_ac7_evidence_has_timestamps(self):
        for cluster in ("infra", "apps"):
            text = self.ichor("report", "--text", "-p", f"talos/{cluster}", "--lab-state",
                              f"lab-{cluster}").stdout
            self.assertIn("verdict bootstrap", text)
            self.assertRegex(text, r"## Run 1, \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ")
            changes = re.findall(r"^ +\+[\d.]+m?s +(\w+) +(\w+): done after", text, re.M)
            self.assertEqual(sorted(changes), sorted([("cp1", "Bootstrap"), *(
                (node, "ApplyConfiguration") for node in NODES)]))
            records, _ = self.events("report", "-p", f"talos/{cluster}", "--lab-state",
                                     f"lab-{cluster}")
            self.assertTrue(all(row["wall_ms"] > 0 for row in of(records, "record")))
            self.say("story AC7", f"{cluster}: the report has the {len(changes)} changes with "
                                  "their times and the verdict of the detector")


class FiveTemplates(Walk):
    """examples/templates: the users' own patches and their schematic."""

    example = "templates"

    def test_1_the_schematic_has_the_known_id(self):
        told = self.ichor("schematic", "id", "schematic.yaml").stdout
        self.assertEqual(told.split(), [SCHEMATIC])
        self.say("templates", "schematic.yaml has the ID of the analysis")

    def test_2_every_template_reaches_its_nodes(self):
        self.ichor("lint")
        self.ichor("gen", "secrets", "-o", "secrets.yaml")
        self.ichor("gen", "config", "--from", "ichor.yaml", "--with-secrets", "secrets.yaml",
                   "--output-dir", "made")
        parts = {"machine-dns": "forwardKubeDNSToHost: true",
                 "machine-kubelet": "serializeImagePulls: false",
                 "machine-logging": "udp://127.0.0.1:6051",
                 "machine-network": "169.254.116.108/32"}
        for name in NODES:
            config = (self.tree / f"made/infra-{name}.yaml").read_text()
            for template, part in parts.items():
                self.assertIn(part, config, f"{template} of {name}")
            self.assertEqual("enable-aggregator-routing" in config, name in CONTROL_PLANES)
        self.say("templates", "all five are in the configs of their nodes")


if __name__ == "__main__":
    side_by_side.main()
