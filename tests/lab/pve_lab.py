"""A lab with a Proxmox API for every test, and what tests ask of it. A test is called with ICHOR
and PROFILE."""

import json
import os
import pathlib
import re
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

import one_lab

ICHOR, PROFILE = (os.path.abspath(path) for path in sys.argv[1:3])
LIMIT_S = 300
SCALE = one_lab.SCALE
NUMBERS = [801, 802, 803, 811, 812]


# What nothing that ichor prints may contain.
SECRETS = set()


def run(*words, **variables):
    done = subprocess.run([ICHOR, *words, "-o", "json"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=LIMIT_S, check=False,
                          env={**os.environ, **variables})
    if any(secret in done.stdout + done.stderr for secret in tuple(SECRETS)):
        raise AssertionError(f"ichor {' '.join(words)} prints the token")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    summary = lines[-1] if lines else {"verdict": done.stderr}
    return done.returncode, lines, summary


def findings(lines):
    return [line for line in lines if line["type"] == "finding"]


def state_of(lab):
    return json.loads(pathlib.Path(lab, "proxmox.json").read_text())


def made(lab):
    """How often each machine was created with success, and which exist."""
    state = state_of(lab)
    times = {}
    for task in state["tasks"]:
        if task["type"] == "qmcreate" and task["result"] == "OK":
            times[task["vm"]] = times.get(task["vm"], 0) + 1
    return times, [vm["id"] for vm in state["vms"]]


class PveLab(unittest.TestCase):
    """A lab with a Proxmox API for every test."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.lab = self.folder.name + "/lab"
        self.start()
        self.addCleanup(one_lab.stop, ICHOR, self.lab)

    def start(self):
        subprocess.run([ICHOR, "lab", "start", "-p", PROFILE, "--state", self.lab, "--time-scale",
                        str(SCALE), "--proxmox", "--detach"], check=True,
                       stdout=subprocess.DEVNULL)
        self.access = json.loads(pathlib.Path(self.lab, "proxmox-access.json").read_text())
        self.secret = self.access["token"].split("=")[1]
        SECRETS.add(self.secret)
        self.ca = pathlib.Path(self.folder.name, "ca.pem")
        self.ca.write_text(self.access["ca"])

    def inject(self, fault, node="", *more):
        where = ["--node", node] if node else []
        subprocess.run([ICHOR, "lab", "inject", fault, "--state", self.lab, *where, *more],
                       check=True, stdout=subprocess.DEVNULL)

    def proxmox(self, *words):
        return run("proxmox", *words, "-p", PROFILE, "--lab-state", self.lab)

    def up(self):
        return run("up", "-p", PROFILE, "--provision", "--lab", "--lab-state", self.lab,
                   "--time-scale", str(SCALE))

    def refuses(self, code, row, words):
        """A run that ends so, names the row and the words, and succeeds once the cause is gone."""
        ended, lines, summary = self.up()
        self.assertEqual(ended, code, summary)
        rows = findings(lines)
        self.assertIn(row, [one["id"] for one in rows], rows)
        self.assertTrue(any(re.search(words, one["what"]) for one in rows), rows)
        self.assertTrue(all(one["fix"] for one in rows), rows)
        return summary

    def recovers(self):
        self.inject("clear")
        code, _, summary = self.up()
        self.assertEqual(code, 0, summary)
        times, there = made(self.lab)
        self.assertEqual(sorted(there), NUMBERS)
        self.assertEqual(times, {number: 1 for number in NUMBERS})

    def ask(self, method, path, **values):
        request = urllib.request.Request(
            self.access["url"] + "/api2/json" + path, method=method,
            data=urllib.parse.urlencode(values).encode() if values else None,
            headers={"Authorization": "PVEAPIToken=" + self.access["token"]})
        trust = ssl.create_default_context(cafile=self.ca)
        with urllib.request.urlopen(request, context=trust, timeout=LIMIT_S) as answer:
            return json.load(answer)["data"]

    def finish(self, upid):
        """Until the task has ended."""
        path = f"/nodes/{upid.split(':')[1]}/tasks/{upid}/status"
        for _ in range(600):
            if self.ask("GET", path)["status"] != "running":
                return
            time.sleep(0.05)
        self.fail("the task does not end")

    def make(self, number, mac, name="database", **more):
        self.finish(self.ask("POST", "/nodes/pve1/qemu", vmid=number, name=name, memory=512,
                             net0=f"virtio={mac},bridge=vmbr0", scsi0="local-lvm:8", **more))
