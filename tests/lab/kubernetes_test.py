#!/usr/bin/env python3
"""Waiting for Talos' own gates, and what is done for Kubernetes while nodes boot, on a lab.

Usage: kubernetes_test.py ICHOR PROFILE
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402
import side_by_side  # noqa: E402

ICHOR, PROFILE = sys.argv[1:3]
LIMIT_S = 240

PHASES = """
phases:
  core:
    releases:
      - {{name: cilium, namespace: kube-system, chart: "oci://{registry}/charts/cilium",
         version: 1.18.4}}
  tools: {{helm: {helm}}}
"""
# Plays helm: says its version, fetches nothing from a registry called away.example.org, and notes
# how it was called. When it has rendered a chart, the clocks of the control planes come into sync.
HELM = """\
#!/bin/sh
echo "$@" >>"{notes}"
case "$*" in
  version*) echo v3.22.0 ;;
  pull*away.example.org*) echo "Error: connection refused" >&2; exit 1 ;;
  template*)
    for node in cp1 cp2 cp3; do
      "{ichor}" lab inject clear --state "{lab}" --node $node >/dev/null || exit 1
    done ;;
esac
"""


def run_json(*words):
    """Exit code and the objects that a command prints."""
    done = subprocess.run([ICHOR, *words, "-o", "json"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=LIMIT_S, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


class Waiting(one_lab.OneLab):
    ichor, profile = ICHOR, PROFILE

    def wait(self, gate, seconds):
        return run_json("wait", gate, "-p", PROFILE, "--lab-state", self.lab, "--timeout",
                        f"{seconds}s")

    def inject(self, fault, node):
        subprocess.run([ICHOR, "lab", "inject", fault, "--state", self.lab, "--node", node],
                       check=True, stdout=subprocess.DEVNULL)

    def test_1_ends_out_of_time_where_there_is_no_cluster(self):
        for gate in ("talos-services", "etcd"):
            code, events = self.wait(gate, 30)
            self.assertNotEqual(code, 0, events[-1])
            self.assertFalse(events[-1]["ok"], events[-1])

    def test_2_holds_after_the_bring_up(self):
        code, events = run_json("up", "-p", PROFILE, "--lab-state", self.lab)
        self.assertEqual(code, 0, events[-1])
        for gate in ("talos-services", "etcd"):
            code, events = self.wait(gate, 300)
            self.assertEqual(code, 0, events[-1])
            self.assertEqual(events[-1]["mutations"], 0)

    def test_3_names_the_node_that_does_not_answer(self):
        self.inject("freeze", "w1")
        try:
            code, events = self.wait("talos-services", 60)
            self.assertEqual(code, 4, events[-1])
            unmet = [event["object"] for event in events if event["type"] == "unmet"]
            self.assertEqual(unmet, ["Node/w1"])
            code, events = self.wait("etcd", 300)
            self.assertEqual(code, 0, "a worker is no member")
        finally:
            self.inject("clear", "w1")
        code, events = self.wait("talos-services", 300)
        self.assertEqual(code, 0, events[-1])

    def test_4_names_a_control_plane_whose_etcd_is_away(self):
        self.inject("freeze", "cp3")
        try:
            code, events = self.wait("etcd", 60)
            self.assertNotEqual(code, 0, events[-1])
            self.assertIn("cp3", json.dumps(events[-1]) + json.dumps(
                [event for event in events if event["type"] in ("finding", "waiting")]))
        finally:
            self.inject("clear", "cp3")
        code, events = self.wait("etcd", 300)
        self.assertEqual(code, 0, events[-1])


class Ahead(unittest.TestCase):
    """helm is played by a script. The lab has no Kubernetes objects, so the phases are not run."""

    def until_bootstrap(self, *words):
        """What a command prints; it is asked to end after the bootstrap, and tells its findings."""
        with subprocess.Popen([ICHOR, *words, "-o", "json"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as ran:
            self.addCleanup(ran.kill)
            events = []
            for line in ran.stdout:
                events.append(json.loads(line))
                if events[-1]["type"] == "acted" and events[-1].get("phase") == "bootstrap":
                    ran.terminate()
        return events

    def up(self, registry, *faults):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            helm, notes, lab = folder / "helm", folder / "notes", str(folder / "lab")
            helm.write_text(HELM.format(notes=notes, ichor=ICHOR, lab=lab))
            helm.chmod(0o700)
            profile = folder / "ichor.yaml"
            profile.write_text(pathlib.Path(PROFILE).read_text()
                               + PHASES.format(registry=registry, helm=helm))
            started = one_lab.start(ICHOR, str(profile), lab)
            self.addCleanup(one_lab.stop, ICHOR, lab)
            self.assertEqual(started.returncode, 0, started.stderr)
            for node, fault in faults:
                subprocess.run([ICHOR, "lab", "inject", fault, "--state", lab, "--node", node],
                               check=True, stdout=subprocess.DEVNULL)
            events = self.until_bootstrap("up", "-p", str(profile), "--lab-state", lab)
            one_lab.stop(ICHOR, lab)
            return events, notes.read_text().splitlines()

    def test_charts_are_fetched_and_rendered_while_nodes_boot(self):
        # etcd cannot be bootstrapped before helm has rendered the chart, so a run that fetched
        # charts after the bootstrap would never come that far.
        events, notes = self.up("near.example.org", *((node, "time-unsynced")
                                                      for node in ("cp1", "cp2", "cp3")))
        self.assertTrue(notes[0].startswith("pull oci://near.example.org/charts/cilium"), notes)
        self.assertTrue(notes[1].startswith("template cilium "), notes)
        self.assertIn("/cilium-1.18.4.tgz", notes[1])
        said = [event for event in events if event.get("phase") == "charts"]
        self.assertEqual(["charts: 1 fetched, 1 rendered"], [event["text"] for event in said])
        self.assertTrue([event for event in events if event["type"] == "acted"
                         and event.get("phase") == "bootstrap"], events[-1])

    def test_a_registry_that_is_away_is_told_and_keeps_nobody_waiting(self):
        events, _ = self.up("away.example.org")
        found = [event for event in events if event["type"] == "finding"
                 and "helm pull ended with 1" in json.dumps(event)]
        self.assertTrue(found, events[-1])
        self.assertTrue([event for event in events if event["type"] == "acted"
                         and event.get("phase") == "bootstrap"], "the nodes come up all the same")


class Again(unittest.TestCase):
    """`up` after a Kubernetes phase. The lab's Kubernetes API takes no changes, so the phase fails;
    the journal must stay the cluster's own all the same.
    """

    def test_up_and_kubeconfig_go_on_after_a_phase(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            profile = folder / "ichor.yaml"
            profile.write_text(pathlib.Path(PROFILE).read_text()
                               + "phases: {namespaces: {names: [apps]}}\n")
            flags = ["-p", str(profile), "--lab-state", str(folder / "lab")]
            started = one_lab.start(ICHOR, str(profile), str(folder / "lab"))
            self.assertEqual(started.returncode, 0, started.stderr)
            try:
                ran = [run_json("up", *flags), run_json("up", *flags),
                       run_json("phase", "0", *flags), run_json("up", *flags)]
                for _, events in ran:
                    self.assertNotIn('"O1"', json.dumps(events), events[-1])
                    self.assertTrue([event for event in events if event["type"] == "phase"],
                                    f"the phases were reached: {events[-1]}")
                code, events = run_json("kubeconfig", *flags, str(folder / "kubeconfig"))
                self.assertEqual(code, 0, events[-1])
            finally:
                subprocess.run([ICHOR, "lab", "stop", "--state", str(folder / "lab")], check=False,
                               stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    side_by_side.main()
