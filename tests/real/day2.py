#!/usr/bin/env python3
"""Day 2 on real Talos nodes: etcd status, snapshot, restore and defrag, drift, certificates.

Usage: day2.py [TEST...]; see bring_up.py. The real etcdutl judges the snapshots.
"""

import json
import pathlib
import shutil
import signal
import sys

sys.dont_write_bytecode = True

import bring_up  # noqa: E402
import lab as labs  # noqa: E402
import pieces  # noqa: E402


class RealNodes(bring_up.RealNodes):
    def rows(self, run, kind, code=0):
        self.assertEqual(run.code, code, run.explain())
        return [event for event in run.events if event["type"] == kind]

    def etcdutl(self, cluster, *arguments):
        done = cluster.tool("etcdutl-3.6.14", *arguments, limit_s=60)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def assert_status_is_talosctls(self, cluster):
        rows = self.rows(cluster.ichor("etcd", "status"), "etcd_member")
        self.assertEqual([row["node"] for row in rows], [s.name for s in cluster.control_planes])
        self.assertEqual([row["role"] for row in rows].count("leader"), 1)
        address = cluster.specs[0].address
        listed = cluster.talosctl("-n", address, "-e", address, "etcd", "members").stdout
        for row in rows:
            self.assertIn(f"{int(row['member'], 16):x}", listed)
        return rows

    def take_snapshot(self, cluster, name):
        """Proved by ichor, and then by the real etcdutl."""
        path = cluster.home / name
        run = cluster.ichor("etcd", "snapshot", str(path))
        row = self.rows(run, "etcd_snapshot")[0]
        cluster.note(f"etcd snapshot of {row['bytes']} bytes", run.seconds)
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        status = json.loads(self.etcdutl(cluster, "snapshot", "status", path, "-w", "json"))
        self.assertEqual((status["revision"], status["totalKey"], status["version"]),
                         (row["revision"], row["keys"], row["storage_version"]))
        beside = json.loads(pathlib.Path(f"{path}.json").read_text())
        self.assertEqual({member["name"] for member in beside["members"]},
                         {spec.name for spec in cluster.control_planes})
        return path, row

    def assert_defragmented(self, cluster):
        run = cluster.ichor("etcd", "defrag")
        self.assertEqual(run.code, 0, run.explain())
        cluster.note(f"etcd defrag, {run.summary['mutations']} members", run.seconds)
        for row in self.rows(cluster.ichor("etcd", "status"), "etcd_member"):
            self.assertLess(row["db_bytes"], row["db_bytes_in_use"] * 1.2, row)

    def assert_drift_is_found_and_fixed(self, cluster):
        self.assertEqual(self.rows(cluster.ichor("drift"), "drift"), [])
        address = cluster.specs[0].address
        patch = json.dumps({"machine": {"nodeLabels": {"example.org/drifted": "yes"}}})
        done = cluster.talosctl("-n", address, "-e", address, "patch", "machineconfig", "--mode",
                                "no-reboot", "--patch", patch)
        self.assertEqual(done.returncode, 0, done.stdout)
        found = self.rows(cluster.ichor("drift"), "drift", code=2)
        self.assertEqual([(one["node"], one["what"], one["changed"]) for one in found],
                         [("cp1", "machine.nodeLabels.example.org/drifted", "node")])
        self.kill_at(cluster, "decided", "apply", "drift", "--fix")
        run = cluster.ichor("drift", "--fix")
        self.assertEqual(run.code, 0, run.explain())
        cluster.note("drift --fix", run.seconds)
        self.assertEqual(self.rows(cluster.ichor("drift"), "drift"), [])

    def assert_credentials_are_renewed(self, cluster):
        rows = self.rows(cluster.ichor("certs", "status"), "certificate")
        days = {row["certificate"]: row["days"] for row in rows}
        for spec in cluster.specs:
            self.assertIn(days[f"API of {spec.name}"], (0, 1))
        self.assertGreater(days["Talos CA"], 3000)
        before = [(cluster.state / name).read_bytes() for name in ("talosconfig", "kubeconfig")]
        run = cluster.ichor("certs", "renew")
        self.assertEqual(run.code, 0, run.explain())
        after = [(cluster.state / name).read_bytes() for name in ("talosconfig", "kubeconfig")]
        self.assertNotEqual(before[0], after[0])
        self.assertNotEqual(before[1], after[1])
        self.assert_healthy(cluster)

    def kill_at(self, cluster, event_type, phase, *arguments):
        """Starts a command and kills it at the first such event."""
        run = cluster.ichor(*arguments, seen=lambda event: signal.SIGKILL if (
            event.get("type"), event.get("phase")) == (event_type, phase) else None)
        self.assertEqual(run.code, -9, run.explain())

    def replace_machines(self, cluster):
        """The nodes are gone for good, and blank ones have their MACs and addresses."""
        cluster.lab.remove()
        cluster.lab = labs.Lab(cluster.lab.name + "-again")
        cluster.boot()
        # The journal hears that nothing of their former life is left.
        run = cluster.ichor("reset", "--all", "--cluster-name", cluster.name)
        self.assertEqual((run.code, run.summary["mutations"]), (0, 0), run.explain())


class OneControlPlane(RealNodes):
    def test_day_2(self):
        cluster = self.boot("day2", 1)
        self.assertEqual(cluster.up().code, 0)
        self.assert_status_is_talosctls(cluster)
        made = cluster.kubectl("create", "configmap", "kept", "--from-literal=key=value")
        self.assertEqual(made.returncode, 0, made.stdout)
        path, row = self.take_snapshot(cluster, "one.db")
        self.assert_defragmented(cluster)
        self.assert_drift_is_found_and_fixed(cluster)
        self.assert_credentials_are_renewed(cluster)
        self.assert_no_complaints(cluster)

        # Refused while there is an etcd; then on a machine that never had one.
        run = cluster.ichor("etcd", "restore", str(path), "--cluster-name", cluster.name)
        self.assertEqual((run.code, run.summary["mutations"]), (5, 0), run.explain())
        self.replace_machines(cluster)
        # Killed when the snapshot is uploaded: nothing but the same restore goes on from there.
        restore = ("etcd", "restore", str(path), "--cluster-name", cluster.name)
        self.kill_at(cluster, "acted", "bootstrap", *restore)
        empty = cluster.ichor("up")
        self.assertEqual(empty.code, 5, empty.explain())
        run = cluster.ichor(*restore)
        self.assertEqual(run.code, 0, run.explain())
        cluster.note("etcd restore on a fresh machine", run.seconds)
        kept = cluster.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.key}")
        self.assertEqual((kept.returncode, kept.stdout), (0, "value"))
        _, after = self.take_snapshot(cluster, "after.db")
        self.assertGreater(after["revision"], row["revision"])
        self.assertEqual(cluster.consoles("recovering etcd from snapshot"), 1)


class ThreeControlPlanes(RealNodes):
    def members(self, cluster):
        address = cluster.specs[0].address
        listed = cluster.talosctl("-n", address, "-e", address, "etcd", "members").stdout
        return {line.split()[2] for line in listed.splitlines()[1:]}

    def test_a_dead_one_is_removed_and_replaced(self):
        cluster = self.boot("replace", 3)
        self.assertEqual(cluster.up().code, 0)
        self.assertEqual(len(self.assert_status_is_talosctls(cluster)), 3)
        self.take_snapshot(cluster, "three.db")
        refused = cluster.ichor("node", "remove", "cp3", "--dead")
        self.assertEqual((refused.code, refused.summary["mutations"]), (5, 0), refused.explain())

        dead = cluster.lab.node("cp3")
        dead.switch_off()
        self.kill_at(cluster, "acted", "forget-member", "node", "remove", "cp3", "--dead")
        run = cluster.ichor("node", "remove", "cp3", "--dead")
        self.assertEqual((run.code, run.summary["mutations"]), (0, 1), run.explain())
        cluster.note("node remove of a dead control plane", run.seconds)
        self.assertEqual(self.members(cluster), {"cp1", "cp2"})
        self.assertEqual(set(cluster.kubernetes_nodes()), {"cp1", "cp2"})

        # A blank machine takes its place and its name.
        shutil.rmtree(dead.folder)
        dead.create(cluster.specs[2], pieces.pieces().rootfs)
        dead.switch_on()
        dead.wait_for_answer()
        run = cluster.up("up with the new machine")
        self.assertEqual(run.code, 0, run.explain())
        self.assertEqual(self.members(cluster), {"cp1", "cp2", "cp3"})
        self.assertEqual(len(self.assert_status_is_talosctls(cluster)), 3)
        self.assert_healthy(cluster)


if __name__ == "__main__":
    sys.exit(bring_up.main(sys.argv[1:], module="__main__"))
