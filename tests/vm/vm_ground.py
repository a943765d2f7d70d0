"""What a machine must offer before virtual machines with real Talos can run on it."""

import os
import pathlib
import platform
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "real"))

import ground  # noqa: E402
from ground import SKIPPED  # noqa: E402, F401

import vm_lab  # noqa: E402

# The program that stands for each package of packages.txt.
PROGRAMS = {"cpio": "cpio", "dnsmasq": "dnsmasq-base", "mkfs.fat": "dosfstools", "depmod": "kmod",
            "mcopy": "mtools", "qemu-system-x86_64": "qemu-system-x86",
            "mksquashfs": "squashfs-tools", "xorriso": "xorriso", "unxz": "xz-utils",
            "zstd": "zstd", "gcc": "g++", "ip": "iproute2", "nsenter": "util-linux",
            "mkfs.ext4": "e2fsprogs"}
MEMORY_MIB = {1: 3500, 3: 7500}  # what machines may take, by their number
DISK_GIB_MIN = 12


def absent_packages():
    # The tools of an administrator are not in the PATH of everybody.
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    absent = {package for program, package in PROGRAMS.items()
              if not shutil.which(program, path=path)}
    if not vm_lab.FIRMWARE.exists():
        absent.add("ovmf")
    return sorted(absent)


def missing(machines=1):
    """Why machines cannot run here, as sentences; empty if they can."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return ["this is no Linux machine of kind x86_64"]
    if os.geteuid() != 0:
        return ["virtual machines with a network of their own need root"]
    reasons = []
    absent = absent_packages()
    if absent:
        reasons.append(f"packages are missing: {' '.join(absent)}; run `tests/vm/vms build`")
    tried = subprocess.run(["unshare", "--net", "true"], capture_output=True, text=True,
                           check=False)
    if tried.returncode != 0:
        reasons.append(f"network namespaces cannot be made: {tried.stderr.strip()}")
    if not pathlib.Path("/dev/net/tun").exists():
        reasons.append("/dev/net/tun is missing, so machines would have no network")
    if ground.memory_mib() < MEMORY_MIB[machines]:
        reasons.append(f"{ground.memory_mib()} MiB of memory are free, {MEMORY_MIB[machines]} are "
                       "needed")
    vm_lab.VmLab.home.mkdir(parents=True, exist_ok=True)
    free_gib = shutil.disk_usage(vm_lab.VmLab.home).free >> 30
    if free_gib < DISK_GIB_MIN:
        reasons.append(f"{vm_lab.VmLab.home} has {free_gib} GiB free, {DISK_GIB_MIN} are needed")
    return reasons
