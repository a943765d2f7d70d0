"""Real Talos nodes on this machine: a network, a registry and node processes, all in namespaces.

A lab has a name. Everything of it in the kernel is called ichor-NAME (its network) or
ichor-NAME.NODE (network namespace and cgroups of a node), and everything on disk is below
LABS/NAME. So whatever a crash leaves behind is found by name, and only what carries the name is
ever ended: processes by their id, read from the node's own cgroup or from a file that also holds
their start time.

Nothing leaves the lab: its bridge has no way out.
"""

import contextlib
import dataclasses
import ipaddress
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import ground
import pieces

HERE = pathlib.Path(__file__).resolve().parent
LABS = pathlib.Path("/var/tmp/ichor-real")
CGROUPS = pathlib.Path("/sys/fs/cgroup")
NETNS = pathlib.Path("/run/netns")
NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?")
BOOT_LIMIT_S = 300
STOP_LIMIT_S = 60
REBOOTED = 128 + signal.SIGHUP  # how init of a pid namespace ends after reboot(2)


class LabError(Exception):
    """Something that the caller can put right; the text says what."""


def run(*argv, check=True):
    done = subprocess.run([str(part) for part in argv], capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise LabError(f"{' '.join(map(str, argv))}: {done.stderr.strip() or done.returncode}")
    return done


def wait_until(holds, limit_s):
    end = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


# Processes. A number alone may have been given to another process since.


def start_time(pid):
    """When the process began, in ticks since boot; None if it is gone or a zombie."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[19])


def remember(file, pid):
    file.write_text(json.dumps({"pid": pid, "started": start_time(pid)}))


def recall(file):
    """The process that `file` names, if it still runs."""
    try:
        noted = json.loads(file.read_text())
    except (OSError, ValueError):
        return None
    alive = noted["started"] is not None and start_time(noted["pid"]) == noted["started"]
    return noted["pid"] if alive else None


def send(pid, number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


@dataclasses.dataclass(frozen=True)
class NodeSpec:
    """NAME,ADDRESS[,MAC] of the command line. The default MAC is made of the address."""

    name: str
    address: str
    mac: str

    @staticmethod
    def parse(text):
        name, _, rest = text.partition(",")
        address, _, mac = rest.partition(",")
        if not NAME.fullmatch(name):
            raise LabError(f"{text!r}: a node is NAME,ADDRESS[,MAC]")
        try:
            packed = ipaddress.IPv4Address(address).packed
        except ValueError as error:
            raise LabError(f"{text!r}: {error}") from error
        mac = mac.lower() or "02:00:" + ":".join(f"{byte:02x}" for byte in packed)
        if not re.fullmatch(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}", mac):
            raise LabError(f"{text!r}: not a MAC address: {mac}")
        return NodeSpec(name, address, mac)


class Node:
    """One machine: its disk, its network cable, and a process that is its power supply."""

    def __init__(self, lab, name):
        self.lab = lab
        self.name = name
        self.folder = lab.folder / "nodes" / name
        self.group = f"{lab.group}.{name}"

    @property
    def spec(self):
        return NodeSpec(**json.loads((self.folder / "spec.json").read_text()))

    def create(self, spec, rootfs):
        """An empty disk, unless the node exists."""
        if (self.folder / "spec.json").exists():
            if self.spec != spec:
                raise LabError(f"node {self.name} exists with another address or MAC")
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        for place in ("upper/etc", "work", "root", "disk/state", "disk/var", "disk/etc/cni/net.d",
                      "disk/etc/kubernetes/manifests", "disk/usr/libexec/kubernetes"):
            (self.folder / place).mkdir(parents=True)
        shutil.copytree(rootfs / "opt", self.folder / "disk/opt")
        (self.folder / "upper/etc/hostname").write_text(spec.name + "\n")
        host = ipaddress.IPv4Address(spec.address).packed[3]
        network = {
            "cniVersion": "1.0.0", "name": "lab",
            "plugins": [{"type": "bridge", "bridge": "cni0", "isGateway": True,
                         "ipam": {"type": "host-local",
                                  "ranges": [[{"subnet": f"10.244.{host}.0/24"}]],
                                  "routes": [{"dst": "0.0.0.0/0"}]}}]}
        place = "opt/cni" if pieces.is_typed() else "etc/cni/net.d"
        (self.folder / f"disk/{place}/10-lab.conflist").write_text(json.dumps(network))
        (self.folder / "spec.json").write_text(json.dumps(dataclasses.asdict(spec)))

    @property
    def configured(self):
        config = self.folder / "disk/state/config.yaml"
        return config.exists() and config.stat().st_size > 0

    @property
    def power(self):
        """The process that keeps this node running, if it is on."""
        return recall(self.folder / "power.json")

    def switch_on(self):
        if self.power:
            return
        self.lab.require()
        with open(self.folder / "console.log", "ab") as console:
            process = subprocess.Popen(
                [sys.executable, str(HERE / "nodes"), "--lab", self.lab.name, "power", self.name],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True,
                env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/root"),
                     **{name: value for name, value in os.environ.items()
                        if name in ("XDG_CACHE_HOME", "REAL_TALOS")}})
        remember(self.folder / "power.json", process.pid)

    def supply_power(self, parts):
        """Runs the node until it is off; a node that reboots is started again."""
        off = []

        def switch(*_):
            off.append(True)
            self.kill()

        signal.signal(signal.SIGTERM, switch)
        while not off:
            self.plug_in()
            code = subprocess.run(
                [str(HERE / "node-init"), self.name, str(self.folder), str(parts.rootfs),
                 str(parts.capshim), self.group, *ground.CONTROLLERS], check=False).returncode
            self.unplug()
            if code != REBOOTED:
                break
            print(f"lab: node {self.name} reboots", flush=True)
        print(f"lab: node {self.name} is off", flush=True)

    def plug_in(self):
        spec, lab = self.spec, self.lab.group
        cable = f"v{int(ipaddress.IPv4Address(spec.address)):08x}"
        host = ipaddress.IPv4Address(spec.address).packed[3]
        if not (NETNS / self.group).exists():
            run("ip", "netns", "add", self.group)
            run("ip", "-n", lab, "link", "add", cable, "type", "veth", "peer", "name", "eth0",
                "netns", self.group, "address", spec.mac)
            run("ip", "-n", lab, "link", "set", cable, "master", "br0", "up")
            run("ip", "-n", self.group, "link", "set", "lo", "up")
            length = self.lab.gateway.network.prefixlen
            run("ip", "-n", self.group, "addr", "add", f"{spec.address}/{length}", "dev", "eth0")
            run("ip", "-n", self.group, "link", "set", "eth0", "up")
            run("ip", "-n", self.group, "route", "add", "default", "via", self.lab.gateway.ip)
            forward(self.group)
            # Pods of other nodes are reached through the bridge.
            run("ip", "-n", lab, "route", "replace", f"10.244.{host}.0/24", "via", spec.address)
        for controller in ground.CONTROLLERS:
            group = CGROUPS / controller / self.group
            group.mkdir(exist_ok=True)
            if controller == "cpuset":
                for name in ("cpuset.cpus", "cpuset.mems"):
                    (group / name).write_text((CGROUPS / controller / name).read_text())
                (group / "cgroup.clone_children").write_text("1")

    def processes(self):
        """The ids of all processes of this node: those in its cgroups."""
        found = set()
        for controller in ("pids", "memory", "systemd"):
            for file in (CGROUPS / controller / self.group).glob("**/cgroup.procs"):
                with contextlib.suppress(OSError):
                    found.update(int(line) for line in file.read_text().split())
        return found

    def kill(self):
        # runc freezes a container before it signals all of it. A frozen process does not end, and
        # the runc that would have thawed it may have ended first.
        for state in (CGROUPS / "freezer" / self.group).glob("**/freezer.state"):
            with contextlib.suppress(OSError):
                state.write_text("THAWED")
        for pid in self.processes():
            send(pid, signal.SIGKILL)

    def unplug(self):
        """Ends what is left of the node and takes its namespace and cgroups away."""
        def is_empty():
            self.kill()
            return not self.processes()

        if not wait_until(is_empty, STOP_LIMIT_S):
            raise LabError(f"node {self.name}: processes do not end: {self.processes()}")
        if not wait_until(self.remove_cgroups, STOP_LIMIT_S):
            raise LabError(f"node {self.name}: its cgroups cannot be removed")
        if (NETNS / self.group).exists():
            run("ip", "netns", "del", self.group)

    def remove_cgroups(self):
        for controller in ground.CONTROLLERS:
            top = CGROUPS / controller / self.group
            for folder, _, _ in os.walk(top, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
            if top.exists():
                return False
        return True

    def switch_off(self):
        """As if the plug were pulled; the disk stays."""
        power = self.power
        if power:
            send(power, signal.SIGTERM)
            wait_until(lambda: not self.power, STOP_LIMIT_S)
        if self.power:
            send(power, signal.SIGKILL)
        self.unplug()
        (self.folder / "power.json").unlink(missing_ok=True)

    def answers(self):
        """Its API in maintenance mode; afterwards, without credentials, its port is all we have."""
        address = self.spec.address
        if self.configured:
            return self.lab.connects(address, 50000)
        talosctl = pieces.program(f"talosctl-{pieces.TALOS}")
        return self.lab.run(talosctl, "-n", address, "-e", address, "get", "machinestatus",
                            "--insecure").returncode == 0

    def console(self):
        return (self.folder / "console.log").read_text(errors="replace")

    def wait_for_answer(self):
        def is_decided():
            return self.answers() or not self.power

        if not wait_until(is_decided, BOOT_LIMIT_S) or not self.power:
            tail = self.console().splitlines()[-20:]
            raise LabError("\n".join([f"node {self.name} does not boot; its console:", *tail]))

    def describe(self):
        spec = self.spec
        line = f"{self.name} {spec.address} {spec.mac}"
        if not self.power:
            return f"{line} off"
        stat = (CGROUPS / "memory" / self.group / "memory.stat").read_text()
        resident = int(re.search(r"^total_rss (\d+)", stat, re.M)[1]) >> 20
        state = "configured" if self.configured else "maintenance"
        return f"{line} {state}, {resident} MiB, {len(self.processes())} processes"


def forward(namespace):
    run("nsenter", f"--net={NETNS / namespace}", "sh", "-c",
        "echo 1 >/proc/sys/net/ipv4/ip_forward")


class Lab:
    """A network with an image registry at its gateway, and nodes on it."""

    home = LABS
    prefix = "ichor-"

    def __init__(self, name):
        if not NAME.fullmatch(name):
            raise LabError(f"{name!r} is not a name for a lab: a-z, 0-9 and - are")
        self.name = name
        self.folder = self.home / name
        self.group = self.prefix + name

    @property
    def gateway(self):
        return ipaddress.IPv4Interface((self.folder / "gateway").read_text())

    def create(self, gateway, owner, images):
        """The network and a registry of `images`.

        With `owner`, the lab is not wanted after that process.
        """
        (self.folder / "nodes").mkdir(parents=True, exist_ok=True)
        (self.folder / "gateway").write_text(gateway)
        if owner:
            remember(self.folder / "owner.json", owner)
        if not (NETNS / self.group).exists():
            run("ip", "netns", "add", self.group)
            run("ip", "-n", self.group, "link", "set", "lo", "up")
            run("ip", "-n", self.group, "link", "add", "br0", "type", "bridge", "forward_delay",
                "0")
            run("ip", "-n", self.group, "addr", "add", gateway, "dev", "br0")
            run("ip", "-n", self.group, "link", "set", "br0", "up")
            forward(self.group)
        if not recall(self.folder / "registry.json"):
            address = str(self.gateway.ip)
            self.start("registry", sys.executable, HERE / "registry.py", images, address, 5000)
            if not wait_until(lambda: self.connects(address, 5000), 10):
                raise LabError(f"the registry does not start, see {self.folder}/registry.log")

    def start(self, name, *argv):
        """A process of the lab, which stop() ends."""
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(self.inside(*argv), stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=log, start_new_session=True)
        remember(self.folder / f"{name}.json", process.pid)

    def stop(self, name, number=signal.SIGKILL):
        process = recall(self.folder / f"{name}.json")
        if process:
            send(process, number)

    def require(self):
        if not (NETNS / self.group).exists() or not (self.folder / "gateway").exists():
            raise LabError(f"there is no lab {self.name}; `up` makes it")

    def node(self, name):
        return Node(self, name)

    def nodes(self):
        """Every node of which anything is left: on disk, as a namespace or as a cgroup."""
        names = {path.name for path in (self.folder / "nodes").glob("*")}
        prefix = self.group + "."
        for place in (NETNS, *(CGROUPS / controller for controller in ground.CONTROLLERS)):
            names.update(path.name.removeprefix(prefix) for path in place.glob(prefix + "*"))
        return [Node(self, name) for name in sorted(names)]

    def inside(self, *argv):
        """The command line that runs `argv` in the lab's network. Its process id stays the same."""
        return ["nsenter", f"--net={NETNS / self.group}", *map(str, argv)]

    def run(self, *argv):
        return run(*self.inside(*argv), check=False)

    def connects(self, address, port):
        return self.run("bash", "-c", f": </dev/tcp/{address}/{port}").returncode == 0

    @property
    def abandoned(self):
        """The process it was made for is gone."""
        owner = self.folder / "owner.json"
        return owner.exists() and not recall(owner)

    def remove(self, keep_disks=False):
        """Ends all of it. What is gone already is no trouble."""
        for node in self.nodes():
            node.switch_off()
        self.stop("registry")
        if (NETNS / self.group).exists():
            run("ip", "netns", "del", self.group)
        if keep_disks:
            (self.folder / "registry.json").unlink(missing_ok=True)
            (self.folder / "owner.json").unlink(missing_ok=True)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def sweep(kind=Lab):
    """Removes the labs of processes that are gone; their names."""
    abandoned = [kind(path.name) for path in sorted(kind.home.glob("*"))
                 if NAME.fullmatch(path.name) and kind(path.name).abandoned]
    for lab in abandoned:
        lab.remove()
    return [lab.name for lab in abandoned]
