#!/usr/bin/env python3
"""VMs on the lab's Proxmox API that other programs made, copied or changed.

Usage: proxmox_others_test.py ICHOR PROFILE
"""

import re
import sys
import time

sys.dont_write_bytecode = True

import side_by_side  # noqa: E402
from pve_lab import PROFILE, PveLab, findings, run, state_of  # noqa: E402


class Others(PveLab):
    def make_again(self, number, **other):
        """The same VM as another program would make it: empty disks, and what is `other`."""
        host = [vm["host"] for vm in state_of(self.lab)["vms"] if vm["id"] == number][0]
        config = self.ask("GET", f"/nodes/{host}/qemu/{number}/config")
        for key in ("digest", "lock"):
            config.pop(key, None)
        for key in config:
            if key.startswith("scsi") and key != "scsihw":
                config[key] = "local-lvm:" + re.search(r"size=(\d+)G", config[key])[1]
        self.finish(self.ask("POST", f"/nodes/{host}/qemu/{number}/status/stop"))
        self.finish(self.ask("DELETE", f"/nodes/{host}/qemu/{number}"))
        self.finish(self.ask("POST", f"/nodes/{host}/qemu", vmid=number, **{**config, **other}))
        self.finish(self.ask("POST", f"/nodes/{host}/qemu/{number}/status/start"))
        return host

    def looks(self, *words):
        return run(*words, "-p", PROFILE, "--lab-state", self.lab)

    def test_a_vm_is_known_by_its_number_whatever_its_mac_is(self):
        self.assertEqual(self.proxmox("create")[0], 0)
        self.make_again(802, net0="virtio=BC:24:11:AA:00:02,bridge=vmbr0,tag=22")
        self.assertEqual(self.proxmox("start")[0], 0)
        lease = state_of(self.lab)["leases"]["bc:24:11:aa:00:02"]
        code, lines, summary = self.looks("discover", "--watch")
        self.assertEqual(code, 0, summary)
        rows = {line["node"]: line for line in lines if line["type"] == "machine"}
        self.assertEqual(rows["cp2"]["address"], lease)
        self.assertIn("MAC bc:24:11:aa:00:02", rows["cp2"]["proof"])
        for words in (("plan",), ("preflight",), ("status",)):
            code, lines, summary = self.looks(*words)
            self.assertEqual(code, 0, (words, summary))
        nodes = {line["node"]: line["address"] for line in lines if line["type"] == "node"}
        self.assertEqual(nodes["cp2"], lease)
        code, _, summary = self.up()
        self.assertEqual(code, 0, summary)
        self.assertEqual(self.up()[2]["mutations"], 0)

    def test_the_guest_agent_tells_where_a_machine_is(self):
        self.assertEqual(self.up()[0], 0)
        told = self.ask("GET", "/nodes/pve2/qemu/801/agent/network-get-interfaces")["result"]
        self.assertEqual([link["ip-addresses"][0]["ip-address"] for link in told],
                         ["127.0.0.1", "192.168.22.101"])

    def test_a_member_that_is_wiped_raises_an_alarm(self):
        self.assertEqual(self.up()[0], 0)
        self.make_again(811)
        for _ in range(100):
            _, lines, summary = self.looks("status")
            if findings(lines):
                break
            time.sleep(0.1)
        alarm = [one for one in findings(lines) if one["id"] == "T2"]
        self.assertEqual([one["node"] for one in alarm], ["w1"], summary)
        self.assertIn("w1 is back in maintenance mode", summary["verdict"])
        for words, code in ((("discover",), 5), (("discover", "--watch"), 5), (("plan",), 5),
                            (("preflight",), 3), (("up",), 5)):
            ended, lines, summary = self.looks(*words)
            self.assertEqual(ended, code, (words, summary))
            self.assertIn("T2", [one["id"] for one in findings(lines)], words)
        ended, lines, summary = self.up()
        self.assertEqual((ended, summary["mutations"]), (5, 0), summary)
        self.assertIn("T2", [one["id"] for one in findings(lines)])

    def test_two_machines_that_boot_with_one_mac_are_named(self):
        pool = self.access["pool"].split(",")
        self.make(900, "BC:24:11:16:01:01", name="clone", ide2="local:iso/talos.iso,media=cdrom",
                  ipconfig0=f"ip={pool[-1]}/22,gw=192.168.23.254")
        self.finish(self.ask("POST", "/nodes/pve1/qemu/900/status/start"))
        # What Proxmox says now is not what the machine runs with.
        self.ask("PUT", "/nodes/pve1/qemu/900/config", net0="virtio=BC:24:11:00:09:00,bridge=vmbr0")
        summary = self.refuses(5, "D8", f"more than one machine fits cp1: .*{pool[-1]}")
        self.assertIn("not certain which machine is cp1", summary["verdict"])
        self.finish(self.ask("POST", "/nodes/pve1/qemu/900/status/stop"))
        self.assertEqual(self.up()[0], 0)

    def test_a_clone_that_talos_would_not_run_on_stops_nothing(self):
        self.assertEqual(self.proxmox("create")[0], 0)
        self.make(900, "BC:24:11:00:09:00", name="cp1-backup", tags="ichor-pve-demo")
        code, lines, summary = self.up()
        self.assertEqual(code, 0, summary)
        self.assertNotIn("VM 900", " ".join(one.get("where", "") for one in findings(lines)))


if __name__ == "__main__":
    side_by_side.main()
