#!/usr/bin/env python3
"""Machines made on the lab's Proxmox API: by ichor, by the real client proxmoxer, and killed.

Usage: proxmox_test.py ICHOR PROFILE
PVE_KILL_SEED chooses the moments of the kills again; PVE_KILL_COUNT=10 kills that often.
Without proxmoxer (`tools/real-tools proxmoxer`) its class is reported as skipped.
"""

import hashlib
import json
import os
import pathlib
import random
import signal
import ssl
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))

import real_tool  # noqa: E402
import side_by_side  # noqa: E402
from pve_lab import (ICHOR, LIMIT_S, NUMBERS, PROFILE, SCALE, PveLab, findings, made,  # noqa: E402
                     run, state_of)

SEED = int(os.environ.get("PVE_KILL_SEED") or random.SystemRandom().randrange(2**32))
COUNT = int(os.environ.get("PVE_KILL_COUNT") or 3)


class FromNothing(PveLab):
    def test_up_makes_every_machine_and_a_second_run_changes_nothing(self):
        code, _, summary = self.up()
        self.assertEqual(code, 0, summary)
        times, there = made(self.lab)
        self.assertEqual((sorted(there), times), (NUMBERS, {number: 1 for number in NUMBERS}))
        code, _, summary = self.up()
        self.assertEqual((code, summary["mutations"]), (0, 0), summary)
        kept = [path for path in pathlib.Path(self.lab, "ichor").rglob("*") if path.is_file()]
        self.assertIn("journal.db", [path.name for path in kept])
        for path in kept:
            self.assertNotIn(self.secret.encode(), path.read_bytes(), path)

    def test_a_cluster_that_was_removed_is_brought_up_again(self):
        self.assertEqual(self.up()[0], 0)
        code, _, summary = self.proxmox("destroy", "--cluster-name", "pve-demo")
        self.assertEqual((code, made(self.lab)[1]), (0, []), summary)
        code, _, summary = self.up()
        self.assertEqual(code, 0, summary)
        self.assertEqual(made(self.lab)[0], {number: 2 for number in NUMBERS})

    def test_the_commands_make_list_and_remove_machines(self):
        code, _, summary = self.proxmox("verify")
        self.assertEqual(code, 0, summary)
        code, _, summary = self.proxmox("create", "cp1")
        self.assertEqual((code, summary["mutations"]), (0, 1), summary)
        code, lines, _ = self.proxmox("list")
        rows = [line for line in lines if line["type"] == "vm"]
        self.assertEqual([(row["vmid"], row["status"]) for row in rows], [(801, "stopped")])
        self.assertEqual(rows[0]["mac"], "BC:24:11:16:01:01")
        self.assertEqual(self.proxmox("start")[0], 0)
        self.assertEqual(self.proxmox("stop")[0], 0)
        self.assertEqual(self.proxmox("destroy", "--cluster-name", "other")[0], 64)
        self.assertEqual(self.proxmox("destroy", "--cluster-name", "pve-demo")[0], 0)
        self.assertEqual(made(self.lab)[1], [])


class Trouble(PveLab):
    def test_a_wrong_token(self):
        self.inject("pve-token")
        self.refuses(3, "P3", "does not accept the token")
        self.assertEqual(self.proxmox("list")[0], 3)
        self.recovers()

    def test_a_missing_privilege(self):
        self.inject("pve-no-privilege")
        self.refuses(3, "P6", r"no VM\.Allocate on /vms/801")
        self.recovers()

    def test_a_token_without_rights_of_its_own(self):
        self.inject("pve-no-rights")
        self.refuses(3, "P6", r"VM\.Audit.* on /vms/801")
        for words in (("list",), ("stop",), ("destroy", "--cluster-name", "pve-demo")):
            self.assertEqual(self.proxmox(*words)[0], 3, words)
        self.recovers()

    def test_an_expired_certificate(self):
        self.inject("pve-expired")
        self.refuses(5, "P7", "expired or not yet valid")
        self.recovers()

    def test_a_quota(self):
        self.inject("pve-quota")
        self.refuses(1, "P1", "quota exceeded")
        self.recovers()

    def test_a_failed_task(self):
        self.inject("pve-task-fails", "cp2")
        self.refuses(1, "P1", "the task to create VM 802 .*failed")
        self.recovers()

    def test_a_lost_reply_is_looked_for_and_nothing_is_sent_twice(self):
        self.inject("pve-lost-reply")
        code, _, summary = self.up()
        self.assertEqual(code, 0, summary)
        self.assertEqual(made(self.lab)[0], {number: 1 for number in NUMBERS})

    def test_a_full_storage(self):
        self.inject("pve-storage-full")
        self.refuses(1, "P1", "out of space")
        self.recovers()

    def test_a_port_that_is_closed(self):
        self.inject("pve-down")
        self.refuses(1, "P1", "does not answer")
        self.recovers()

    def test_an_image_that_is_not_there(self):
        self.inject("pve-no-image")
        summary = self.refuses(3, "P1", "the Talos image .* is not on the storage")
        self.assertEqual(summary["mutations"], 0)
        self.recovers()

    def test_a_locked_machine_is_waited_for(self):
        self.assertEqual(self.proxmox("create")[0], 0)
        self.inject("pve-locked", "cp1", "--for", "1m")
        code, lines, summary = self.up()
        self.assertEqual(code, 0, summary)
        self.assertIn("VM 801 is locked: backup",
                      [line.get("text") for line in lines if line["type"] == "waiting"] +
                      [line.get("text") for line in lines])

    def test_a_slow_proxmox_costs_time_only(self):
        self.inject("pve-slow")
        code, _, summary = self.up()
        self.assertEqual(code, 0, summary)
        self.assertEqual(made(self.lab)[0], {number: 1 for number in NUMBERS})

    def test_a_machine_that_never_boots(self):
        self.inject("pve-no-boot", "w1")
        _, lines, _ = self.up()
        fixes = [one["fix"] for one in findings(lines) if one["id"] == "P8"]
        self.assertIn("`ichor proxmox stop w1 && ichor up --provision`", fixes[0])
        self.refuses(4, "P8", "VM 811 .*no machine with MAC")
        self.inject("clear")
        self.assertEqual(self.proxmox("stop", "w1")[0], 0)
        self.recovers()


class Access(PveLab):
    """As against a real Proxmox: nothing of the lab but its address is known to ichor."""

    def list(self, token, trust, **variables):
        text = pathlib.Path(PROFILE).read_text()
        text = text.replace("https://pve.example.org:8006", self.access["url"])
        text = text.replace("token: {command: pass show proxmox/ichor}", f"token: {token}")
        text = text.replace("ca_file: pve-root-ca.pem", trust)
        profile = pathlib.Path(self.folder.name, "ichor.yaml")
        profile.write_text(text)
        pathlib.Path(self.folder.name, "schematic.yaml").write_text(
            pathlib.Path(PROFILE).with_name("schematic.yaml").read_text())
        code, lines, summary = run("proxmox", "list", "-p", profile, **variables)
        return code, [one["id"] for one in findings(lines)], summary

    def test_the_token_comes_from_where_the_profile_says(self):
        trust = "ca_file: ca.pem"
        file = pathlib.Path(self.folder.name, "token")
        file.write_text(self.access["token"] + "\n")
        file.chmod(0o600)
        self.assertEqual(self.list("{file: token}", trust)[0], 0)
        self.assertEqual(self.list(f"{{command: cat {file}}}", trust)[0], 0)
        self.assertEqual(self.list("{env: PVE_TOKEN}", trust, PVE_TOKEN=self.access["token"])[0], 0)
        op = pathlib.Path(self.folder.name, "op")
        op.write_text("#!/bin/sh\n"
                      "[ \"$*\" = 'read --no-newline op://Lab/proxmox/token' ] || exit 1\n"
                      f"cat {file}\n")
        op.chmod(0o700)
        path = f"{self.folder.name}:{os.environ['PATH']}"
        self.assertEqual(self.list("{op: 'op://Lab/proxmox/token'}", trust, PATH=path)[0], 0)
        self.assertEqual(self.list("{op: 'op://Lab/other/token'}", trust, PATH=path)[:2],
                         (3, ["P3"]))
        for token in ("{file: nothing}", "{env: NOT_SET}", "{command: 'false'}", "{file: ca.pem}"):
            code, rows, summary = self.list(token, trust)
            self.assertEqual((code, rows), (3, ["P3"]), summary)

    def test_only_the_certificate_that_the_profile_names_is_believed(self):
        def try_with(trust):
            return self.list("{env: PVE_TOKEN}", trust, PVE_TOKEN=self.access["token"])

        host, port = self.access["url"].removeprefix("https://").split(":")
        shown = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate((host, int(port))))
        pin = hashlib.sha256(shown).hexdigest()
        self.assertEqual(try_with(f"fingerprint: '{pin}'")[0], 0)
        for trust in (f"fingerprint: '{pin[::-1]}'", "first_address: dhcp"):
            code, rows, summary = try_with(trust)
            self.assertEqual((code, rows), (5, ["P7"]), summary)


class Foreign(PveLab):
    def test_two_machines_with_one_mac(self):
        self.make(700, "BC:24:11:16:01:01")
        self.refuses(5, "P9", "VM 700 .*has the MAC bc:24:11:16:01:01 of cp1")
        self.ask("PUT", "/nodes/pve1/qemu/700/config", net0="virtio=BC:24:11:00:00:07,bridge=vmbr0")
        code, _, summary = self.up()
        self.assertEqual(code, 0, summary)
        self.assertIn(700, made(self.lab)[1])

    def test_names_narrow_what_is_shown_and_warnings_outlive_success(self):
        self.assertEqual(self.proxmox("create")[0], 0)
        host = [vm["host"] for vm in state_of(self.lab)["vms"] if vm["id"] == 801][0]
        self.ask("PUT", f"/nodes/{host}/qemu/801/config", agent="enabled=0")
        for words in (("list", "cp2"), ("verify", "cp2")):
            code, lines, summary = self.proxmox(*words)
            self.assertEqual(code, 0, summary)
            self.assertEqual([row["vmid"] for row in lines if row["type"] == "vm"], [802])
            self.assertEqual(findings(lines), [])
        code, lines, summary = self.up()
        self.assertEqual(code, 0, summary)
        # What a run reports on its way, more of it on a busy machine, has no ID.
        self.assertIn("proxmox.agent", [row.get("id") for row in findings(lines)])

    def test_a_copy_of_a_machine_is_never_removed(self):
        self.assertEqual(self.proxmox("create")[0], 0)
        self.make(900, "BC:24:11:00:09:00", name="cp1-backup", tags="ichor-pve-demo")
        code, lines, summary = self.proxmox("destroy", "--cluster-name", "pve-demo")
        self.assertEqual((code, made(self.lab)[1]), (0, [900]), summary)
        rows = findings(lines)
        self.assertEqual([row["id"] for row in rows], ["P4"])
        self.assertIn("VM 900 (cp1-backup)", rows[0]["what"])

    def test_a_machine_of_others_is_never_removed(self):
        self.make(801, "BC:24:11:00:00:07")
        self.refuses(5, "P4", "VM 801 .*is not ichor's")
        self.assertEqual(self.proxmox("destroy", "--cluster-name", "pve-demo")[0], 0)
        self.assertEqual(made(self.lab)[1], [801])


class Killed(unittest.TestCase):
    def test_killed_at_random_moments_no_machine_is_made_twice_and_none_is_lost(self):
        draw = random.Random(SEED)
        for number in range(COUNT):
            # Half of them while machines are made, which takes the first second.
            moment = draw.uniform(0.05, draw.choice((1.0, 5.0)))
            with self.subTest(seed=SEED, number=number, moment=moment), \
                    tempfile.TemporaryDirectory() as folder:
                lab = folder + "/lab"
                words = [ICHOR, "up", "-p", PROFILE, "--provision", "--lab", "--lab-state", lab,
                         "--time-scale", str(SCALE), "-o", "json"]
                with subprocess.Popen(words, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL) as process:
                    try:
                        process.wait(moment)
                    except subprocess.TimeoutExpired:
                        process.send_signal(signal.SIGKILL)
                done = subprocess.run(words, stdout=subprocess.PIPE, text=True, timeout=LIMIT_S,
                                      check=False)
                self.assertEqual(done.returncode, 0, done.stdout[-2000:])
                times, there = made(lab)
                self.assertEqual(sorted(there), NUMBERS)
                self.assertEqual(times, {one: 1 for one in NUMBERS})


CLIENT = """
import json, sys, time
from proxmoxer import ProxmoxAPI
access, ca = json.load(sys.stdin), sys.argv[1]
host, port = access["url"].removeprefix("https://").split(":")
user, rest = access["token"].split("!")
name, value = rest.split("=")
pve = ProxmoxAPI(host, port=int(port), user=user, token_name=name, token_value=value, verify_ssl=ca)
def finish(upid):
    while True:
        status = pve.nodes("pve1").tasks(upid).status.get()
        if status["status"] == "stopped":
            return status["exitstatus"]
        time.sleep(0.05)
facts = {"version": pve.version.get()["release"],
         "rights": "VM.Allocate" in pve.access.permissions.get(path="/vms/900")["/vms/900"]}
facts["create"] = finish(pve.nodes("pve1").qemu.post(
    vmid=900, name="by-hand", memory=2048, cores=2, net0="virtio=BC:24:11:00:09:00,bridge=vmbr0",
    scsi0="local-lvm:10", ide2="local:iso/talos.iso,media=cdrom", tags="mine"))
facts["seen"] = [vm["name"] for vm in pve.cluster.resources.get(type="vm")]
facts["config"] = pve.nodes("pve1").qemu(900).config.get()["net0"]
facts["start"] = finish(pve.nodes("pve1").qemu(900).status.start.post())
facts["status"] = pve.nodes("pve1").qemu(900).status.current.get()["status"]
facts["stop"] = finish(pve.nodes("pve1").qemu(900).status.stop.post())
facts["destroy"] = finish(pve.nodes("pve1").qemu(900).delete())
facts["left"] = pve.cluster.resources.get(type="vm")
try:
    pve.nodes("pve1").qemu(900).config.get()
except Exception as error:
    facts["error"] = str(error)
print(json.dumps(facts))
"""


class RealClient(PveLab):
    def test_proxmoxer_makes_starts_and_removes_a_machine(self):
        try:
            python = real_tool.path_of("proxmoxer")
        except SystemExit:
            self.skipTest("proxmoxer cannot be had here: SKIPPED")
        done = subprocess.run([python, "-c", CLIENT, self.ca], input=json.dumps(self.access),
                              stdout=subprocess.PIPE, text=True, timeout=LIMIT_S, check=True)
        facts = json.loads(done.stdout)
        self.assertEqual((facts["version"], facts["rights"]), ("8.4", True))
        self.assertEqual([facts[task] for task in ("create", "start", "stop", "destroy")],
                         ["OK"] * 4)
        self.assertEqual((facts["seen"], facts["status"], facts["left"]),
                         (["by-hand"], "running", []))
        self.assertIn("BC:24:11:00:09:00", facts["config"])
        self.assertIn("does not exist", facts["error"])


if __name__ == "__main__":
    side_by_side.main()
