"""A cluster of virtual machines that ichor is to bring up, and talosctl to change it with."""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "real"))

import cluster as clusters  # noqa: E402
import lab as labs  # noqa: E402

import vm_lab  # noqa: E402
import vm_pieces  # noqa: E402

GATEWAY = "10.5.0.1/24"
FIRST_HOST = 11  # planned addresses; those of DHCP begin at 100
# An emulated machine is slow, and slower beside other work.
BOOT_LIMIT_S = 1800
STEP_LIMIT_S = 3600

PROFILE = """\
name: {name}
network:
  api_endpoint: https://10.5.0.11:6443
  node_cidr: 10.5.0.0/24
  gateway: 10.5.0.1
  pod_cidr: 10.244.0.0/16
  service_cidr: 10.96.0.0/12
  nameservers: [10.5.0.1]
talos:
  version: v{talos}
  kubernetes_version: v{kubernetes}
  installer_image: ghcr.io/{installer}:v{talos}
  patches_dir: patches
nodes:
  controlplane:
    assignments:
{control_planes}
budgets:
  preflight: 20m
  discover: 20m
  apply: 90m
  bootstrap: 30m
  etcd: 60m
  kubeconfig: 60m
  verify: 60m
"""
ASSIGNMENT = "      - {{name: {name}, ip: {address}, mac: \"{mac}\", {disk}}}"
TALOSCTL = f"talosctl-{vm_pieces.TALOS}"
DATA_DISK, TARGET_DISK = "DATA", "TARGET"


def machine(number, memory_mib):
    """The first of its disks holds data, and the second is the one to install to."""
    host = FIRST_HOST + number
    return vm_lab.MachineSpec(
        f"cp{number + 1}", f"10.5.0.{host}", f"52:54:00:05:00:{host:02x}",
        (vm_lab.DiskSpec(DATA_DISK, 5, "precious"), vm_lab.DiskSpec(TARGET_DISK)), memory_mib)


class VmCluster(clusters.Cluster):
    """Machines that boot from an ISO to an address of DHCP, and a profile that has their MACs."""

    kept = clusters.ROOT / "build/vm"
    mode = "metal"
    up_limit_s = 4 * STEP_LIMIT_S

    def __init__(self, name, control_planes=1, kubernetes=False):
        self.name, self.kubernetes = name, kubernetes
        self.specs = [machine(number, 3072 if kubernetes else 2048)
                      for number in range(control_planes)]
        self.control_planes, self.workers = self.specs, []
        self.lab = vm_lab.VmLab(f"{name}-{os.getpid()}")
        self.home = pathlib.Path(tempfile.mkdtemp(prefix=f"ichor-vm-{name}-"))
        self.profile = self.home / "ichor.yaml"
        self.state = self.home / "state"
        self.times = {"cluster": name, "nodes": len(self.specs), "steps": []}
        patches = self.home / "patches"
        shutil.copytree(clusters.HERE / "patches/controlplane", patches / "controlplane")
        (patches / "all").mkdir()
        shutil.copyfile(clusters.HERE / "patches/all/lab.yaml", patches / "all/lab.yaml")
        self.select(f"diskSelector: {{serial: {TARGET_DISK}}}")

    def select(self, disk):
        """Writes the profile with this disk to install to."""
        self.profile.write_text(PROFILE.format(
            name=self.name, talos=vm_pieces.TALOS, kubernetes=vm_pieces.KUBERNETES,
            installer=vm_pieces.INSTALLER, control_planes="\n".join(
                ASSIGNMENT.format(**dataclasses.asdict(spec) | {"disk": disk})
                for spec in self.specs)))

    # The machines.

    def boot(self, owner=os.getpid()):
        for name in labs.sweep(vm_lab.VmLab):
            print(f"removed lab {name}: its owner is gone", flush=True)
        parts = vm_pieces.pieces(self.kubernetes)
        self.lab.create(GATEWAY, owner, parts.images)
        for spec in self.specs:
            node = self.lab.node(spec.name)
            node.create(spec, parts.iso)
            node.switch_on()
        for spec in self.specs:
            with self.timed(f"{spec.name}: power on to maintenance mode"):
                self.await_maintenance(spec)

    def wait(self, what, holds, limit_s=STEP_LIMIT_S, spec=None):
        """Waits for a condition; a failure shows the end of the console."""
        def is_decided():
            return holds() or (spec and not self.lab.node(spec.name).power)

        decided = labs.wait_until(is_decided, limit_s)
        if not decided or (spec and not self.lab.node(spec.name).power):
            tail = self.lab.node(spec.name).console().splitlines()[-20:] if spec else []
            raise labs.LabError("\n".join([f"{what}: not within {limit_s} s; its console:", *tail]))

    def await_maintenance(self, spec):
        self.wait(f"{spec.name}: maintenance mode", lambda: self.in_maintenance(spec), BOOT_LIMIT_S,
                  spec)

    def in_maintenance(self, spec):
        found = self.insecure(spec, "get", "machinestatus", "-o", "json")
        return found.returncode == 0 and '"maintenance"' in found.stdout

    def insecure(self, spec, *arguments):
        """talosctl on a machine in maintenance mode."""
        return self.tool(TALOSCTL, *self.leased(spec), *arguments, "--insecure", limit_s=120)

    def leased(self, spec):
        """Flags of talosctl for a machine at its address of DHCP."""
        address = self.lab.node(spec.name).lease or "127.0.0.1"
        return ("-n", address, "-e", address)

    def tool(self, tool, *arguments, limit_s):
        """A machine that is away keeps talosctl waiting; that is a failure like others."""
        try:
            return super().tool(tool, *arguments, limit_s=limit_s)
        except subprocess.TimeoutExpired as error:
            return subprocess.CompletedProcess(error.cmd, 124, f"no end within {limit_s} s")

    def ask(self, spec, *arguments, limit_s=STEP_LIMIT_S):
        """talosctl with the cluster's credentials on one node, at its planned address."""
        return self.talosctl("-e", spec.address, "-n", spec.address, *arguments, limit_s=limit_s)

    # What ichor does not do yet, by talosctl.

    def etcd_is_healthy(self, spec):
        done = self.ask(spec, "service", "etcd", limit_s=120)
        return done.returncode == 0 and bool(re.search(r"HEALTH\s+OK", done.stdout))

    def etcd_members(self, spec):
        done = self.ask(spec, "etcd", "members", limit_s=120)
        return re.findall(r"\s(\S+)\s+https://\S+:2380", done.stdout) if not done.returncode else []

    def stage(self, spec):
        done = self.ask(spec, "get", "machinestatus", "-o", "json", limit_s=120)
        return json.loads(done.stdout)["spec"]["stage"] if done.returncode == 0 else ""

    def runs_second_image(self, spec):
        """Whether the running image is the second one; None while the machine does not answer."""
        done = self.ask(spec, "read", "/proc/cmdline", limit_s=120)
        return vm_pieces.SECOND_MARK in done.stdout if done.returncode == 0 else None

    def change_image(self, label, spec, second, *call):
        """An upgrade or a rollback, until the node runs the other image with a healthy etcd."""
        with self.timed(f"{label}: accepted"):
            done = self.ask(spec, *call)
        if done.returncode != 0:
            raise labs.LabError(f"{label} is refused: {done.stdout}")
        with self.timed(f"{label}: the other image runs"):
            self.wait(label, lambda: self.runs_second_image(spec) is second, spec=spec)
        with self.timed(f"{label}: etcd is healthy"):
            self.wait(label, lambda: self.etcd_is_healthy(spec), spec=spec)

    def upgrade(self, spec):
        image = f"ghcr.io/{vm_pieces.INSTALLER}:{vm_pieces.SECOND}"
        self.change_image("upgrade", spec, True, "upgrade", "--image", image, "--wait=false")

    def rollback(self, spec):
        self.change_image("rollback", spec, False, "rollback")

    def reset(self, spec):
        with self.timed("reset: accepted"):
            done = self.ask(spec, "reset", "--graceful=false", "--reboot", "--wait=false")
        if done.returncode != 0:
            raise labs.LabError(f"reset is refused: {done.stdout}")
        with self.timed("reset: maintenance mode"):
            self.await_maintenance(spec)
