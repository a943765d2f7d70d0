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
            self.assertEqual(code, 0, "a worker is not a member")
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
    """helm is a script of the test's own; the run is ended before the Kubernetes phases."""

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

    def test_a_registry_that_is_away_is_reported_without_a_wait(self):
        events, _ = self.up("away.example.org")
        found = [event for event in events if event["type"] == "finding"
                 and "helm pull ended with 1" in json.dumps(event)]
        self.assertTrue(found, events[-1])
        self.assertTrue([event for event in events if event["type"] == "acted"
                         and event.get("phase") == "bootstrap"], "the nodes come up all the same")


HANDOVER = """
phases:
  namespaces: {names: [apps, flux-system]}
  secrets:
    items:
      - {name: deploy-key, namespace: flux-system, files: {identity: deploy.key}}
  crds: {dirs: [crds]}
  core:
    releases:
      - {name: cert-manager, namespace: cert-manager, version: 1.19.1,
         chart: "oci://registry.example.org/charts/cert-manager"}
      - {name: flux-operator, namespace: flux-system, version: 0.30.0, needs: [cert-manager],
         chart: "oci://registry.example.org/charts/flux-operator"}
      - {name: flux-instance, namespace: flux-system, version: 0.30.0, needs: [flux-operator],
         chart: "oci://registry.example.org/charts/flux-instance"}
  tools: {helm: /nonexistent/helm}
"""
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Foo, plural: foos, singular: foo}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


class Handover(unittest.TestCase):
    """All phases on the lab's Kubernetes. helm is missing, so the lab plays it."""

    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        self.profile = self.folder / "ichor.yaml"
        self.profile.write_text(pathlib.Path(PROFILE).read_text() + HANDOVER)
        (self.folder / "crds").mkdir()
        (self.folder / "crds" / "foo.yaml").write_text(CRD)
        key = self.folder / "deploy.key"
        key.touch(mode=0o600)
        key.write_text("a key of the lab\n")
        self.lab = str(self.folder / "lab")
        self.flags = ["-p", str(self.profile), "--lab-state", self.lab]
        started = one_lab.start(ICHOR, str(self.profile), self.lab)
        self.addCleanup(one_lab.stop, ICHOR, self.lab)
        self.assertEqual(started.returncode, 0, started.stderr)

    def test_a_bring_up_goes_to_the_handover_and_a_second_one_changes_nothing(self):
        code, events = run_json("preflight", *self.flags)
        self.assertEqual(code, 0, "preflight misses a helm that up does without")
        code, events = run_json("up", *self.flags)
        self.assertEqual(code, 0, events[-1])
        self.assertIn("the lab simulates it", json.dumps(events), "helm is said to be played")
        phases = {event["phase"]: event for event in events if event["type"] == "phase"}
        self.assertEqual({"secrets", "crds", "core", "validation"}, set(phases))
        for phase in phases.values():
            self.assertEqual(phase["result"], "done", phase)
        changed = {event["object"] for event in events if event["type"] == "object"
                   and event["change"] == "create"}
        for wanted in ("Namespace/apps", "Secret/flux-system/deploy-key",
                       "CustomResourceDefinition/foos.example.org",
                       "Release/cert-manager/cert-manager", "Release/flux-system/flux-instance"):
            self.assertIn(wanted, changed)

        code, events = run_json("up", *self.flags)
        self.assertEqual(code, 0, events[-1])
        self.assertEqual(events[-1]["mutations"], 0, events[-1])
        self.assertEqual([], [event for event in events if event["type"] == "object"
                              and event["change"] != "none"])

    def plan(self):
        """Exit code and summary of a plan, and the objects that would change. It writes nothing."""
        journal = pathlib.Path(self.lab, "ichor").glob("*/journal.db*")
        before = {path: path.stat().st_size for path in journal}
        code, events = run_json("plan", "--detailed-exitcode", *self.flags)
        after = {path: path.stat().st_size for path in before if path.exists()}
        self.assertEqual({path: before[path] for path in after}, after)
        return code, events[-1], [event["object"] for event in events if event["type"] == "object"
                                  and event["change"] != "none"]

    def test_a_plan_covers_the_phases_as_soon_as_the_api_answers(self):
        code, summary, objects = self.plan()
        self.assertEqual((code, objects), (2, []), summary)
        self.assertIn("Kubernetes phases are planned when the API answers", summary["verdict"])
        code, events = run_json("up", *self.flags)
        self.assertEqual(code, 0, events[-1])
        code, summary, objects = self.plan()
        self.assertEqual((code, objects), (0, []), summary)
        profile = self.profile.read_text()
        self.profile.write_text(profile.replace("[apps, flux-system]", "[apps, more, flux-system]"))
        code, summary, objects = self.plan()
        self.assertEqual((code, objects), (2, ["Namespace/more"]), summary)

    def test_up_and_kubeconfig_go_on_after_a_phase(self):
        ran = [run_json("up", *self.flags), run_json("phase", "0", *self.flags),
               run_json("up", *self.flags)]
        for code, events in ran:
            self.assertEqual(code, 0, events[-1])
            self.assertNotIn('"O1"', json.dumps(events), events[-1])
        code, events = run_json("kubeconfig", *self.flags, str(self.folder / "kubeconfig"))
        self.assertEqual(code, 0, events[-1])


if __name__ == "__main__":
    side_by_side.main()
