#!/usr/bin/env python3
"""`ichor up` on real Talos nodes: one control plane, then three and a worker, then with kills.

Usage: bring_up.py [TEST...]; ICHOR names the binary, default build/ichor. What a step took is
printed and kept in build/real/times-NAME.json. Exit 77 and the reason where real nodes cannot run.
"""

import json
import pathlib
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "conformance/talosctl"))

import cluster as clusters  # noqa: E402
import ground  # noqa: E402
import lab as labs  # noqa: E402
import pieces  # noqa: E402
import recording  # noqa: E402
import server_logs  # noqa: E402
import table  # noqa: E402


class RealNodes(unittest.TestCase):
    def boot(self, name, control_planes, workers=0, removed_by_test=False):
        cluster = clusters.Cluster(name, control_planes, workers)
        self.addCleanup(lambda: cluster.remove(failed=self.has_failed()))
        cluster.boot()
        # Runs before the cluster is removed, whatever became of the test.
        if not removed_by_test:
            self.addCleanup(self.assert_no_complaints, cluster)
        return cluster

    def assert_no_complaints(self, cluster):
        """No server of a node panicked on a call of ichor's, or could not make sense of one."""
        self.assertEqual(cluster.complaints(), [])

    def assert_was_watched(self, cluster, run):
        """The nodes' own logs tell that ichor's watches stood, and how often it called."""
        for spec in cluster.specs:
            calls = server_logs.calls(cluster.server_log(spec))
            self.assertGreater(calls.get("/cosi.resource.State/Watch", 0), 0, calls)
            per_minute = sum(calls.values()) / (run.seconds / 60)
            cluster.keep(f"{spec.name}: calls per minute of the run", round(per_minute, 1))

    def has_failed(self):
        outcome = self._outcome.result
        return any(test is self for test, _ in [*outcome.failures, *outcome.errors])

    def assert_brought_up(self, cluster, run, mutations):
        self.assertEqual(run.code, 0, run.explain())
        self.assertTrue(run.summary.get("ok"), run.explain())
        self.assertEqual(run.summary["mutations"], mutations, run.explain())
        self.assertEqual(sorted(run.summary["nodes"]), sorted(s.name for s in cluster.specs))

    def assert_healthy(self, cluster):
        """ichor, talosctl and kubectl agree."""
        health = cluster.ichor("health")
        self.assertEqual(health.code, 0, health.explain())
        cluster.note("ichor health", health.seconds)
        status = cluster.ichor("status")
        self.assertEqual(status.code, 0, status.explain())
        with cluster.timed("talosctl health"):
            done = cluster.talosctl_health()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(cluster.kubernetes_nodes(), {spec.name: True for spec in cluster.specs})

    def assert_discovered(self, cluster):
        """ichor reads and shows who is there; a container has MACs and nothing else."""
        run = cluster.ichor("discover")
        self.assertEqual(run.code, 0, run.explain())
        self.assertEqual(
            {event["node"]: (event["seen"], event["macs"], event["uuid"]) for event in run.events
             if event["type"] == "node"},
            {spec.name: ("maintenance", [spec.mac], "") for spec in cluster.specs})

    def up_and_record(self, cluster):
        """Brings it up and keeps what the nodes reported, beside the times."""
        recorder = recording.Recorder(cluster)
        self.addCleanup(recorder.stop)
        run = cluster.up()
        recorder.write(clusters.KEPT / "recordings", run)
        delays = recorder.delays_ms(run)
        if delays:
            cluster.keep("ms from a stage of a node, as talosctl saw it, to ichor's event", delays)
        return run

    def assert_nothing_left_to_do(self, cluster):
        again = cluster.up("second up")
        self.assert_brought_up(cluster, again, 0)

    def assert_each_node_was_changed_once(self, cluster):
        self.assertEqual(cluster.consoles("bootstrap request received"), 1)
        # 1.14 logs the calls of maintenance mode elsewhere.
        applied = ("apply config request: mode" if pieces.is_typed() else
                   "OK [/machine.MachineService/ApplyConfiguration]")
        self.assertEqual(cluster.consoles(applied), len(cluster.specs))

    def assert_answers_talosctl_as_recorded(self, cluster):
        address = cluster.specs[0].address
        run = table.runner(recording.command(cluster, cluster.specs[0]))
        with cluster.timed(f"{len(table.COMMANDS)} talosctl commands on {address}"):
            found = table.shapes(cluster.home, address, run)
        self.assert_as_recorded(found, f"talosctl-{pieces.TALOS}.json")

    def assert_passes_talosctl_on(self, cluster):
        """One control plane passes calls on to all nodes."""
        everyone = ",".join(spec.address for spec in cluster.specs)
        prefix = recording.command(cluster, cluster.specs[0])
        prefix[prefix.index("-n") + 1] = everyone
        with cluster.timed(f"{len(table.ON_MANY)} talosctl commands on {everyone}"):
            found = table.shapes_of_many(table.runner(prefix))
        self.assert_as_recorded(found, f"many-talosctl-{pieces.TALOS}.json")

    def assert_as_recorded(self, found, name):
        table.write(found, clusters.KEPT / "recordings" / name)
        self.assertEqual(table.differences(
            found, json.loads(table.recorded_of(pieces.TALOS).read_text())), {})


class Harness(RealNodes):
    def test_a_lab_whose_owner_was_killed_is_found_and_removed(self):
        spec = "n1,10.5.0.2"
        owner = subprocess.Popen(["sleep", "1000"])
        lab = labs.Lab("abandoned")
        self.addCleanup(lab.remove)
        nodes = [sys.executable, str(clusters.HERE / "nodes")]
        subprocess.run([*nodes, "--lab", lab.name, "up", spec, "--owner", str(owner.pid)],
                       check=True)
        left = lab.node("n1").processes() | {lab.node("n1").power}
        self.assertNotIn("abandoned", labs.sweep())
        owner.kill()
        owner.wait()
        self.assertIn("abandoned", labs.sweep())
        self.assertEqual([pid for pid in left if labs.start_time(pid)], [])
        self.assertEqual(lab.nodes(), [])
        self.assertFalse(lab.folder.exists())
        again = subprocess.run([*nodes, "--lab", lab.name, "down"], check=False)
        self.assertEqual(again.returncode, 0, "a second removal is no trouble")

    def test_a_node_whose_power_supply_was_killed_ends_with_its_lab(self):
        cluster = self.boot("orphan", 1, removed_by_test=True)
        node = cluster.lab.node("cp1")
        left = node.processes()
        labs.send(node.power, labs.signal.SIGKILL)
        cluster.lab.remove()
        self.assertEqual([pid for pid in left if labs.start_time(pid)], [])
        self.assertEqual(cluster.lab.nodes(), [])


class OneControlPlane(RealNodes):
    def test_is_brought_up_once_and_then_left_alone(self):
        cluster = self.boot("one", 1)
        self.assert_discovered(cluster)
        run = self.up_and_record(cluster)
        self.assert_brought_up(cluster, run, 2)
        self.assert_was_watched(cluster, run)
        self.assert_healthy(cluster)
        self.assert_nothing_left_to_do(cluster)
        self.assert_each_node_was_changed_once(cluster)
        self.assert_answers_talosctl_as_recorded(cluster)


class AKilledRun(RealNodes):
    """After "decided" the call may not have left, may have arrived, or may be answered already."""

    def finish_after_kills_at(self, cluster, *moments):
        for moment in moments:
            code = cluster.up_and_kill_at(
                lambda event, moment=moment: (event.get("type"), event.get("phase")) == moment)
            self.assertEqual(code, -9, f"it ended before {moment}")
        run = cluster.up("up after the kills")
        self.assertEqual(run.code, 0, run.explain())
        self.assert_healthy(cluster)
        self.assert_nothing_left_to_do(cluster)
        self.assert_each_node_was_changed_once(cluster)

    def test_is_finished_by_the_next_one(self):
        self.finish_after_kills_at(self.boot("killed-one", 1), ("decided", "apply"),
                                   ("acted", "bootstrap"))

    def test_of_four_nodes_is_finished_by_the_next_one(self):
        self.finish_after_kills_at(self.boot("killed-four", 3, 1), ("acted", "apply"),
                                   ("decided", "bootstrap"))


class ThreeControlPlanesAndAWorker(RealNodes):
    def test_are_brought_up_once_and_then_left_alone(self):
        cluster = self.boot("four", 3, 1)
        self.assert_discovered(cluster)
        run = self.up_and_record(cluster)
        self.assert_brought_up(cluster, run, 5)
        self.assert_was_watched(cluster, run)
        self.assert_healthy(cluster)
        self.assert_nothing_left_to_do(cluster)
        self.assert_each_node_was_changed_once(cluster)
        self.assert_passes_talosctl_on(cluster)


def main(tests, module=__name__):
    """Runs the tests of these names, or all of a module; the exit code."""
    reason = clusters.skip_reason()
    if reason:
        print(f"real Talos nodes cannot run on this machine: {reason}")
        return ground.SKIPPED
    try:
        pieces.build(lambda what, seconds: print(f"{what}: {seconds:.0f} s", flush=True))
    except subprocess.CalledProcessError as error:
        print(f"real Talos nodes cannot be built on this machine: {error}")
        return ground.SKIPPED
    program = unittest.main(module, argv=["real", *tests], exit=False, verbosity=2,
                            warnings="ignore")  # nodes outlive the objects that started them
    return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
