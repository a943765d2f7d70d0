#!/usr/bin/env python3
"""`ichor up` on real Talos nodes that are disturbed: plugs, cables, replies, secrets, other hands.

Usage: faults.py [TEST...]; as bring_up.py otherwise. Each case ends as docs/faults.md says, and
with one etcd cluster.
"""

import json
import pathlib
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent))

import bring_up  # noqa: E402
import cluster as clusters  # noqa: E402
import lab as labs  # noqa: E402


def rules(namespace, *lines):
    """What happens to packets that arrive in a namespace, instead of what was before."""
    text = "flush ruleset\n"
    if lines:
        chain = "\n".join(["type filter hook input priority 0", *lines])
        text += f"table inet faults {{\nchain arrive {{\n{chain}\n}}\n}}\n"
    subprocess.run(["nsenter", f"--net={labs.NETNS / namespace}", "nft", "-f", "-"], input=text,
                   text=True, check=True)


class Disturbed(bring_up.RealNodes):
    """A run that continues while something is done to its world."""

    def begin(self, name, control_planes=3, workers=0):
        self.cluster = self.boot(name, control_planes, workers)
        self.process = None

    def up_until(self, kind, phase):
        """Starts a run and reads its events until one of this kind and phase; that event."""
        self.process = self.cluster.start_ichor("up")
        for line in self.process.stdout:
            event = json.loads(line) if line.startswith("{") else {}
            if (event.get("type"), event.get("phase")) == (kind, phase):
                return event
        self.fail(f"the run ended before {kind} {phase}")

    def end(self, limit_s=clusters.UP_LIMIT_S):
        began = time.monotonic()
        self.process.communicate(timeout=limit_s)
        self.cluster.note("the rest of the run", time.monotonic() - began)
        return self.process.returncode

    def node(self, name):
        return self.cluster.lab.node(name)

    def members(self, address):
        """Ids of the etcd members that a control plane sees."""
        done = self.cluster.talosctl("-n", address, "-e", address, "etcd", "members")
        self.assertEqual(done.returncode, 0, done.stdout)
        return set(re.findall(r"\b[0-9a-f]{16}\b", done.stdout))

    def assert_one_etcd(self):
        seen = [self.members(spec.address) for spec in self.cluster.control_planes]
        self.assertEqual(len(seen[0]), len(self.cluster.control_planes))
        self.assertTrue(all(ids == seen[0] for ids in seen), seen)

    def finish(self, code=0):
        """Ready, by this run or the next; one etcd; and nothing is left to do."""
        if code != 0:
            run = self.cluster.up("up again")
            self.assertEqual(run.code, 0, run.explain())
        self.assert_healthy(self.cluster)
        self.assert_one_etcd()
        self.assert_nothing_left_to_do(self.cluster)


class Plugs(Disturbed):
    def test_d1_a_node_loses_power_right_after_it_took_its_config(self):
        self.begin("plug-apply")
        victim = self.node(self.up_until("acted", "apply")["node"])
        victim.switch_off()
        time.sleep(3)
        victim.switch_on()
        self.finish(self.end())

    def test_e1_the_target_loses_power_after_its_bootstrap(self):
        self.begin("plug-bootstrap")
        self.up_until("acted", "bootstrap")
        self.node("cp1").switch_off()
        time.sleep(3)
        self.node("cp1").switch_on()
        self.finish(self.end(limit_s=1500))


class Cables(Disturbed):
    def drop_from(self, *names):
        addresses = {spec.name: spec.address for spec in self.cluster.specs}
        rules(self.cluster.lab.group, *(f"ip saddr {addresses[name]} tcp sport 50000 drop"
                                        for name in names))

    def repair(self):
        rules(self.cluster.lab.group)

    def test_n3_the_reply_to_bootstrap_is_lost(self):
        self.begin("lost-reply", 1)
        self.up_until("decided", "bootstrap")
        self.drop_from("cp1")
        arrived = labs.wait_until(
            lambda: self.cluster.consoles("bootstrap request received") > 0, 30)
        self.repair()
        code = self.end()
        self.cluster.note("bootstrap arrived without a reply: " + str(arrived), 0)
        self.finish(code)
        self.assertLessEqual(self.cluster.consoles("bootstrap request received"), 2)

    def test_n9_a_control_plane_is_cut_off_at_the_bootstrap_of_etcd(self):
        self.begin("cut-off")
        self.up_until("phase-started", "bootstrap")
        self.drop_from("cp3")
        time.sleep(15)
        self.assertEqual(self.cluster.consoles("bootstrap request received"), 0,
                         "unknown is not no")
        self.repair()
        self.finish(self.end())
        self.assertEqual(self.cluster.consoles("bootstrap request received"), 1)

    def test_n5_five_of_a_hundred_packets_are_lost(self):
        self.begin("loss", 1)
        rules(self.cluster.lab.group, "tcp sport 50000 numgen random mod 100 < 5 drop",
              "tcp sport 6443 numgen random mod 100 < 5 drop")
        rules(self.node("cp1").group, "tcp dport 50000 numgen random mod 100 < 5 drop")
        run = self.cluster.up()
        self.repair()
        rules(self.node("cp1").group)
        self.finish(run.code)

    def test_e7_a_member_learns_slowly(self):
        self.begin("learner")
        self.up_until("acted", "bootstrap")
        for name in ("cp2", "cp3"):
            rules(self.node(name).group,
                  "tcp sport {2379, 2380} numgen random mod 100 < 30 drop",
                  "tcp dport {2379, 2380} numgen random mod 100 < 30 drop")
        time.sleep(40)
        for name in ("cp2", "cp3"):
            rules(self.node(name).group)
        self.finish(self.end())


class Hands(Disturbed):
    def test_e3_t9_bootstrap_by_hand_and_foreign_secrets_change_nothing(self):
        self.begin("hands", 1)
        run = self.cluster.up()
        self.assertEqual(run.code, 0, run.explain())
        address = self.cluster.specs[0].address
        again = self.cluster.talosctl("-n", address, "-e", address, "bootstrap")
        self.assertNotEqual(again.returncode, 0)
        self.assertIn("AlreadyExists", again.stdout)
        own = self.cluster.state
        self.cluster.state = self.cluster.home / "foreign"
        refused = self.cluster.ichor("up")
        self.cluster.state = own
        self.assertEqual(refused.code, 5, refused.explain())
        found = {event["id"] for event in refused.events if event.get("severity") == "error"}
        self.assertEqual(found, {"T1"}, refused.explain())
        self.assertEqual(refused.summary["mutations"], 0)
        self.finish()


if __name__ == "__main__":
    sys.exit(bring_up.main(sys.argv[1:], __name__))
