"""What a machine must offer before real Talos nodes can run on it."""

import os
import pathlib
import platform
import shutil
import subprocess

SKIPPED = 77  # exit code of a test that cannot run here

# Hierarchies of cgroup v1 that a node has to itself; "systemd" is the named one.
CONTROLLERS = ("cpu", "cpuacct", "cpuset", "memory", "devices", "freezer", "blkio", "pids",
               "systemd")
PROGRAMS = {"busybox": "busybox-static", "gcc": "g++", "ip": "iproute2", "nsenter": "util-linux",
            "unshare": "util-linux", "pivot_root": "util-linux"}
MEMORY_MIB_MIN = 3000  # three control planes and a worker hold 2.2 GiB
DISK_GIB_MIN = 8


def cgroup_mounts():
    """The hierarchies of cgroup v1 that are mounted where a node looks for them."""
    mounts = (line.split() for line in pathlib.Path("/proc/mounts").read_text().splitlines())
    return {pathlib.Path(place).name for _, place, kind, *_ in mounts
            if kind == "cgroup" and place.startswith("/sys/fs/cgroup/")}


def has_overlay():
    return "overlay" in pathlib.Path("/proc/filesystems").read_text()


def can_make_namespaces():
    tried = subprocess.run(["unshare", "--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup",
                            "--fork", "true"], capture_output=True, text=True, check=False)
    return tried.returncode == 0, tried.stderr.strip()


def memory_mib():
    lines = pathlib.Path("/proc/meminfo").read_text().splitlines()
    values = dict(line.split(":") for line in lines)
    return int(values["MemAvailable"].split()[0]) // 1024


def missing(labs):
    """Why nodes cannot run here, as sentences; empty if they can. `labs` is where they are kept."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return ["this is no Linux machine of kind x86_64"]
    if os.geteuid() != 0:
        return ["real nodes need root"]
    reasons = []
    absent = {package for program, package in PROGRAMS.items() if not shutil.which(program)}
    if absent:
        reasons.append(f"packages are missing: {' '.join(sorted(absent))}; run tools/setup")
    else:
        made, why = can_make_namespaces()
        if not made:
            reasons.append(f"namespaces cannot be made: {why}")
    hierarchies = [name for name in CONTROLLERS if name not in cgroup_mounts()]
    if hierarchies:
        reasons.append(f"cgroup v1 hierarchies are not mounted: {' '.join(hierarchies)}")
    elif not os.access("/sys/fs/cgroup/pids", os.W_OK):
        reasons.append("cgroups cannot be made below /sys/fs/cgroup")
    if not has_overlay():
        reasons.append("the kernel has no overlay file system")
    if memory_mib() < MEMORY_MIB_MIN:
        reasons.append(f"{memory_mib()} MiB of memory are free, {MEMORY_MIB_MIN} are needed")
    labs.mkdir(parents=True, exist_ok=True)
    free_gib = shutil.disk_usage(labs).free >> 30
    if free_gib < DISK_GIB_MIN:
        reasons.append(f"{labs} has {free_gib} GiB free, {DISK_GIB_MIN} are needed")
    return reasons
