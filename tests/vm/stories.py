#!/usr/bin/env python3
"""`ichor up` on real Talos in virtual machines: found by MAC, installed, rebooted, etcd verified.

Usage: stories.py [TEST...]; ICHOR names the binary, default build/ichor. What a step took is
printed and kept in build/vm/times-NAME.json. Exit 77 and the reason where machines cannot run.

Profiles have MACs and no address of DHCP, and ichor runs without --lab in the machines' network.
The stories end when etcd is verified, unless they say otherwise: ichor gets SIGTERM then, because
an emulated processor needs longer for Kubernetes than for all before it.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "real"))
sys.path.append(str(HERE.parent / "conformance/talosctl"))

import cluster as clusters  # noqa: E402
import bring_up  # noqa: E402
import pieces  # noqa: E402
import recording  # noqa: E402
import table  # noqa: E402

import vm_cluster  # noqa: E402
from vm_cluster import DATA_DISK, TARGET_DISK  # noqa: E402
import vm_ground  # noqa: E402
import vm_recording  # noqa: E402

UNSAFE, TERMINATED = 5, 143
VMS = HERE / "vms"


def etcd_is_verified(event):
    done = (event.get("type"), event.get("phase")) == ("phase-done", "etcd")
    return signal.SIGTERM if done else None


class Machines(bring_up.RealNodes):
    def boot(self, name, control_planes=1, kubernetes=False):
        cluster = vm_cluster.VmCluster(name, control_planes, kubernetes)
        self.addCleanup(lambda: cluster.remove(failed=self.has_failed()))
        cluster.boot()
        return cluster

    def assert_discovered(self, cluster):
        """A scan of the network tells which machine is which node, and what is in it."""
        run = cluster.ichor("discover", "--scan", "10.5.0.0/24")
        self.assertEqual(run.code, 0, run.explain())
        cluster.note("discover --scan of a /24", run.seconds)
        rows = {event["node"]: event for event in run.events
                if event["type"] == "machine" and event["node"]}
        self.assertEqual(set(rows), {spec.name for spec in cluster.specs}, run.explain())
        for spec in cluster.specs:
            row = rows[spec.name]
            self.assertEqual(row["address"], cluster.lab.node(spec.name).lease)
            self.assertEqual((row["kind"], row["stage"]), ("maintenance", "maintenance"))
            self.assertEqual(row["proof"], f"MAC {spec.mac}")
            self.assertEqual((row["uuid"], row["serial"]), (spec.uuid, spec.serial))
            disks = {disk["serial"]: disk["has_data"] for disk in row["disk_list"]
                     if disk["serial"]}
            self.assertEqual(disks, {DATA_DISK: True, TARGET_DISK: False}, row)

    def assert_refused(self, cluster, disk, *named):
        """A run that would install to the wrong disk ends before anything is sent."""
        cluster.select(disk)
        run = cluster.ichor("up")
        cluster.select(f"diskSelector: {{serial: {TARGET_DISK}}}")
        self.assertNotIn(run.code, (0, TERMINATED), run.explain())
        self.assertEqual([event for event in run.events if event["type"] == "acted"], [])
        told = " ".join(event["what"] for event in run.events
                        if event["type"] == "finding" and event.get("severity") == "error")
        for text in named:
            self.assertIn(text, told, run.explain())

    def assert_up_to_etcd(self, cluster, label="up"):
        run = cluster.up(label, seen=etcd_is_verified)
        self.assertEqual(run.code, TERMINATED, run.explain())
        self.assertIn("etcd", [event["phase"] for event in run.events
                               if event["type"] == "phase-done"], run.explain())
        self.assert_has_etcd(cluster)
        return run

    def assert_has_etcd(self, cluster):
        """talosctl agrees, at the planned addresses, and nothing is left at those of DHCP."""
        for spec in cluster.specs:
            self.assertTrue(cluster.etcd_is_healthy(spec), spec.name)
            self.assertEqual(sorted(cluster.etcd_members(spec)),
                             [each.name for each in cluster.specs])
            lease = cluster.lab.node(spec.name).lease
            self.assertFalse(cluster.lab.connects(lease, 50000), f"{spec.name} is at {lease} too")

    def assert_installed(self, cluster, before):
        """On the selected disk, and the other one is as it was."""
        for spec in cluster.specs:
            machine = cluster.lab.node(spec.name)
            self.assertEqual(machine.fingerprint(DATA_DISK), before[spec.name], spec.name)
            with open(machine.disk(TARGET_DISK), "rb") as file:
                file.seek(512)
                self.assertEqual(file.read(8), b"EFI PART", f"{spec.name} has no partition table")

    def assert_each_node_was_changed_once(self, cluster):
        self.assertEqual(cluster.consoles("bootstrap request received"), 1)
        self.assertEqual(cluster.consoles("installing Talos to disk"), len(cluster.specs))


    def assert_answers_talosctl_as_recorded(self, cluster, found):
        """The answers of a machine in maintenance mode and of an installed one, which the lab is
        held to."""
        name = table.METAL_RECORDED.name
        table.write(found, cluster.kept / "recordings" / name)
        self.assertEqual(table.differences(found, json.loads(table.METAL_RECORDED.read_text())), {})


def talosctl(cluster, *arguments):
    """Runs talosctl for table.py."""
    program = pieces.program(vm_cluster.TALOSCTL)
    return table.runner(cluster.lab.inside(program, *arguments))


def data_of(cluster):
    return {spec.name: cluster.lab.node(spec.name).fingerprint(DATA_DISK)
            for spec in cluster.specs}


class OneMachine(Machines):
    def test_is_found_by_its_mac_and_brought_up_to_etcd_on_the_selected_disk(self):
        cluster = self.boot("one")
        before = data_of(cluster)
        self.assert_discovered(cluster)
        self.assert_refused(cluster, "diskSelector: {serial: NO-SUCH-DISK}", "NO-SUCH-DISK")
        self.assert_refused(cluster, f"diskSelector: {{serial: {DATA_DISK}}}", DATA_DISK)
        spec, folder = cluster.specs[0], cluster.home
        table.prepare_configs(folder, pieces.program(vm_cluster.TALOSCTL))
        found = table.shapes_in_maintenance(folder, talosctl(cluster, *cluster.leased(spec)))
        recorder = recording.Recorder(cluster)
        self.addCleanup(recorder.stop)
        run = self.assert_up_to_etcd(cluster)
        recorder.write(cluster.kept / "recordings", run)
        vm_recording.write(cluster, spec)
        self.assert_installed(cluster, before)
        self.assert_each_node_was_changed_once(cluster)
        found |= table.shapes_of_installed(folder, talosctl(
            cluster, "--talosconfig", cluster.state / "talosconfig", "-e", spec.address, "-n",
            spec.address))
        self.assert_no_complaints(cluster)
        self.assert_answers_talosctl_as_recorded(cluster, found)


class AKilledRun(Machines):
    def test_is_finished_by_the_next_one_and_the_machine_lives_on(self):
        cluster = self.boot("killed")
        before = data_of(cluster)
        code = cluster.up_and_kill_at(
            lambda event: (event.get("type"), event.get("phase")) == ("acted", "apply"))
        self.assertEqual(code, -signal.SIGKILL)
        self.assert_up_to_etcd(cluster, "up after the kill")
        self.assert_installed(cluster, before)
        self.assert_each_node_was_changed_once(cluster)
        spec = cluster.specs[0]
        cluster.upgrade(spec)
        cluster.rollback(spec)
        self.assert_has_etcd(cluster)
        self.assert_no_complaints(cluster)
        cluster.reset(spec)
        vm_recording.write(cluster, spec)
        self.assertEqual(data_of(cluster), before, "a reset spares other disks")


class ThreeMachines(Machines):
    def test_are_brought_up_to_etcd(self):
        cluster = self.boot("three", 3)
        before = data_of(cluster)
        self.assert_discovered(cluster)
        self.assert_up_to_etcd(cluster)
        self.assert_installed(cluster, before)
        self.assert_each_node_was_changed_once(cluster)
        self.assert_no_complaints(cluster)


class Kubernetes(Machines):
    def test_is_brought_up_on_one_machine(self):
        cluster = self.boot("kubernetes", kubernetes=True)
        run = cluster.up()
        self.assert_brought_up(cluster, run, 2)
        self.assert_nothing_left_to_do(cluster)
        self.assert_no_complaints(cluster)


def main(tests, module=__name__):
    """Runs the tests of these names, or all; the exit code."""
    if not os.access(clusters.ICHOR, os.X_OK):
        print(f"{clusters.ICHOR} is not built")
        return vm_ground.SKIPPED
    kinds = [[]] + ([["--kubernetes"]] if not tests or "Kubernetes" in tests else [])
    for kind in kinds:
        built = subprocess.run([VMS, "build", *kind], check=False)
        if built.returncode != 0:
            return built.returncode
    machines = 3 if not tests or "ThreeMachines" in tests else 1
    reasons = vm_ground.missing(machines)
    if reasons:
        print(f"virtual machines cannot run on this machine: {'; '.join(reasons)}")
        return vm_ground.SKIPPED
    program = unittest.main(module, argv=["stories", *tests], exit=False, verbosity=2,
                            warnings="ignore")  # machines outlive the objects that started them
    return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
