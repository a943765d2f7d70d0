"""Machines that boot the real Talos in QEMU: a lab of tests/real with DHCP and machines for nodes.

Everything of a lab in the kernel is in one network namespace, ichor-vm-NAME, and everything on
disk is below LABS/NAME. Only what carries the name is ever ended, processes by their id from a
file that also holds their start time.
"""

import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "real"))

import lab as labs  # noqa: E402

FIRMWARE = pathlib.Path("/usr/share/OVMF/OVMF_CODE_4M.fd")
VARIABLES = pathlib.Path("/usr/share/OVMF/OVMF_VARS_4M.fd")
LEASES = (100, 199)  # the last byte of addresses that DHCP gives
GIB = 1 << 30
BLOCK = 1 << 16
OFF_LIMIT_S = 30


@dataclasses.dataclass(frozen=True)
class DiskSpec:
    serial: str
    gib: int = 10
    data: str = ""  # the label of a file system that is on it already


@dataclasses.dataclass(frozen=True)
class MachineSpec:
    """`address` is the planned one; where the machine boots is up to DHCP."""

    name: str
    address: str
    mac: str
    disks: tuple
    memory_mib: int = 2048

    @property
    def uuid(self):
        return str(uuid.uuid5(uuid.NAMESPACE_OID, self.mac))

    @property
    def serial(self):
        return f"ICHOR-{self.name}"

    @staticmethod
    def read(path):
        told = json.loads(path.read_text())
        return MachineSpec(**told | {"disks": tuple(DiskSpec(**disk) for disk in told["disks"])})


def qemu_command(spec, folder, tap, iso):
    """The command line of one machine: q35, UEFI, virtio disks with serials, and a drive for the
    ISO, which is tried after the disks."""
    argv = ["qemu-system-x86_64", "-name", spec.name, "-machine", "q35,smm=off",
            "-accel", "tcg,thread=multi,tb-size=256", "-cpu", "max", "-smp", "2",
            "-m", str(spec.memory_mib), "-nodefaults", "-no-user-config", "-display", "none",
            "-boot", "menu=off,strict=on",
            "-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={FIRMWARE}",
            "-drive", f"if=pflash,format=raw,unit=1,file={folder}/variables.fd",
            "-uuid", spec.uuid,
            "-smbios", f"type=1,manufacturer=ichor,product=tests-vm,serial={spec.serial}"]
    for number, disk in enumerate(spec.disks):
        argv += ["-drive", f"file={folder}/{disk.serial}.img,format=raw,if=none,id=disk{number},"
                           "cache=unsafe,discard=unmap",
                 "-device", f"virtio-blk-pci,drive=disk{number},serial={disk.serial},"
                            f"bootindex={number}"]
    argv += ["-device", "virtio-scsi-pci,id=scsi",
             "-drive", f"file={iso},format=raw,if=none,id=iso,readonly=on,media=cdrom",
             "-device", f"scsi-cd,bus=scsi.0,drive=iso,bootindex={len(spec.disks)}",
             "-netdev", f"tap,id=net,ifname={tap},script=no,downscript=no",
             "-device", f"virtio-net-pci,netdev=net,mac={spec.mac},romfile=",
             "-device", "virtio-rng-pci",
             "-chardev", f"file,id=console,path={folder}/console.log,append=on",
             "-serial", "chardev:console"]
    return argv


def fingerprint(path):
    """A hash of a sparse file's blocks and their places; zeros count as holes."""
    digest, at, size = hashlib.sha256(), 0, path.stat().st_size
    with open(path, "rb") as file:
        while at < size:
            try:
                at = os.lseek(file.fileno(), at, os.SEEK_DATA) // BLOCK * BLOCK
            except OSError:  # nothing but a hole is left
                break
            block = os.pread(file.fileno(), BLOCK, at)
            if block.strip(b"\0"):
                digest.update(str(at).encode() + block)
            at += BLOCK
    return digest.hexdigest()


class Machine:
    """One virtual machine; its disks and its UEFI variables stay when it is off."""

    def __init__(self, lab, name):
        self.lab, self.name = lab, name
        self.folder = lab.folder / "nodes" / name

    @property
    def spec(self):
        return MachineSpec.read(self.folder / "spec.json")

    def create(self, spec, iso):
        """Empty disks, unless the machine exists."""
        if (self.folder / "spec.json").exists():
            if self.spec != spec:
                raise labs.LabError(f"machine {self.name} exists with other disks or another MAC")
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        shutil.copyfile(VARIABLES, self.folder / "variables.fd")
        for disk in spec.disks:
            path = self.disk(disk.serial)
            with open(path, "wb") as file:
                file.truncate(disk.gib * GIB)
            if disk.data:
                labs.run("mkfs.ext4", "-q", "-L", disk.data, path)
        (self.folder / "iso").write_text(str(iso))
        (self.folder / "spec.json").write_text(json.dumps(dataclasses.asdict(spec)))

    def disk(self, serial):
        return self.folder / f"{serial}.img"

    def fingerprint(self, serial):
        """Of what is on a disk."""
        return fingerprint(self.disk(serial))

    @property
    def power(self):
        """The process of this machine, if it is on."""
        return labs.recall(self.folder / "power.json")

    def switch_on(self):
        if self.power:
            return
        self.lab.require()
        spec = self.spec
        tap = self.plug_in(spec)
        command = qemu_command(spec, self.folder, tap, (self.folder / "iso").read_text())
        with open(self.folder / "qemu.log", "ab") as log:
            process = subprocess.Popen(self.lab.inside(*command), stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=log, start_new_session=True)
        labs.remember(self.folder / "power.json", process.pid)
        time.sleep(0.5)  # QEMU says at once what is wrong with its command line
        if process.poll() is not None:
            told = (self.folder / "qemu.log").read_text()
            raise labs.LabError(f"{self.name}: QEMU ended: {told}")

    def plug_in(self, spec):
        """The name of its network card on the bridge."""
        tap = "tap" + spec.mac.replace(":", "")[-8:]
        if self.lab.run("ip", "link", "show", tap).returncode != 0:
            for argv in (("tuntap", "add", "dev", tap, "mode", "tap"),
                         ("link", "set", tap, "master", "br0", "up")):
                done = self.lab.run("ip", *argv)
                if done.returncode != 0:
                    raise labs.LabError(f"{self.name}: ip {' '.join(argv)}: {done.stderr.strip()}")
        return tap

    def switch_off(self):
        """As if the plug were pulled."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            power = self.power
            if power:
                labs.send(power, number)
                labs.wait_until(lambda: not self.power, OFF_LIMIT_S)
        (self.folder / "power.json").unlink(missing_ok=True)

    def console(self):
        path = self.folder / "console.log"
        return path.read_text(errors="replace") if path.exists() else ""

    @property
    def lease(self):
        """The address that DHCP gave it last; empty if none."""
        return self.lab.leases().get(self.spec.mac, "")

    def resident_mib(self):
        lines = pathlib.Path(f"/proc/{self.power}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) >> 10

    def describe(self):
        spec = self.spec
        line = f"{self.name} {spec.address} {spec.mac} {self.lease or 'no lease'}"
        return f"{line} {self.resident_mib()} MiB" if self.power else f"{line} off"


class VmLab(labs.Lab):
    """The network of tests/real with a DHCP server; its nodes are machines."""

    home = pathlib.Path("/var/tmp/ichor-vm")
    prefix = "ichor-vm-"

    def create(self, gateway, owner, images):
        super().create(gateway, owner, images)
        if labs.recall(self.folder / "dhcp.json"):
            return
        net = self.gateway.network
        first, last = (net.network_address + host for host in LEASES)
        self.start("dhcp", "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null",
                   "--no-resolv", "--no-hosts", "--interface=br0", "--except-interface=lo",
                   "--bind-interfaces", "--dhcp-authoritative", "--pid-file",
                   f"--dhcp-range={first},{last},{net.netmask},1h",
                   f"--dhcp-option=option:router,{self.gateway.ip}",
                   f"--dhcp-option=option:dns-server,{self.gateway.ip}",
                   f"--dhcp-leasefile={self.folder / 'leases'}", "--log-facility=-", "--log-dhcp")

    def leases(self):
        """MAC to address."""
        path = self.folder / "leases"
        lines = path.read_text().splitlines() if path.exists() else []
        fields = [line.split() for line in lines]
        return {part[1]: part[2] for part in fields if len(part) >= 3}

    def node(self, name):
        return Machine(self, name)

    def nodes(self):
        return [Machine(self, path.name) for path in sorted((self.folder / "nodes").glob("*"))]

    def remove(self, keep_disks=False):
        self.stop("dhcp")
        super().remove(keep_disks)
