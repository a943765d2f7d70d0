"""The commands of table.py on a node of the lab, compared with what a real node was recorded
answering. Environment: ICHOR names the binary (default build/ichor)."""

import json
import os
import pathlib
import subprocess
import tempfile

import table

ROOT = pathlib.Path(__file__).resolve().parents[3]
ICHOR = os.environ.get("ICHOR", str(ROOT / "build/ichor"))

PROFILE = """\
name: table
network: {{api_endpoint: "https://10.5.0.2:6443", node_cidr: 10.5.0.0/24, gateway: 10.5.0.1}}
talos: {{version: v{version}}}
nodes:
  controlplane:
    assignments:
      - {{name: cp1, ip: 10.5.0.2, interface: eth0, disk: {disk}}}
      - {{name: cp2, ip: 10.5.0.3, interface: eth0, disk: {disk}}}
      - {{name: cp3, ip: 10.5.0.4, interface: eth0, disk: {disk}}}
  worker:
    assignments:
      - {{name: w1, ip: 10.5.0.5, interface: eth0, disk: {disk}}}
"""
NODES = ["10.5.0.2", "10.5.0.3", "10.5.0.4", "10.5.0.5"]

# What is different, and why; anything else that differs is a failure.
NO_WAY_OUT = "the recorded node has no way out to the discovery service and to time servers"
MISSING = "the lab has no such thing"
EXPECTED = {
    "get members": NO_WAY_OUT,
    "get members -o yaml": NO_WAY_OUT,
    "time": NO_WAY_OUT,
    "get links -o yaml": "the lab's link is a network card, that of a container is a veth pair",
    "get staticpods": MISSING,
    "containers -k": MISSING,
    "stats": MISSING,
    "netstat": MISSING,
}


METAL_EXPECTED = {
    "maintenance: get disks -o yaml": "the recorded machine has a CD, which has a model",
    "installed: get disks -o yaml": "the recorded machine has a CD, which has a model",
    "installed: get links -o yaml": "the profile of the recorded machine has its MAC, so that its "
                                    "config gives the link an alias"}


class Lab:
    """Four nodes in maintenance mode: containers, as the recorded ones were, or machines."""

    def __init__(self, home, version, kind=("--container",)):
        self.profile, self.state, self.kind = home / "ichor.yaml", home / "lab", kind
        disk = "/dev/sda" if kind else "/dev/vda"
        self.profile.write_text(PROFILE.format(version=version, disk=disk))

    def ichor(self, *words):
        return subprocess.run([ICHOR, *words], capture_output=True, text=True, check=False)

    def __enter__(self):
        self.must("lab", "start", "-p", self.profile, "--state", self.state, *self.kind,
                  "--time-scale", "30", "--detach")
        return self

    def up(self):
        self.must("up", "-p", self.profile, "--lab-state", self.state)

    def must(self, *words):
        done = self.ichor(*map(str, words))
        if done.returncode != 0:
            self.__exit__()
            raise RuntimeError(f"{words[0]}: {done.stdout}{done.stderr}")

    def __exit__(self, *_):
        self.ichor("lab", "stop", "--state", str(self.state))

    def addresses(self):
        known = json.loads((self.state / "addresses.json").read_text())
        return [known[node] for node in NODES]

    def talosctl(self, program, nodes):
        return table.runner([program, "--talosconfig", str(self.state / "ichor/table/talosconfig"),
                             "-e", self.addresses()[0], "-n", ",".join(nodes)])


def talosctl(version):
    """The program, or None after its trouble was printed."""
    tool = subprocess.run([str(ROOT / "tools/real-tools"), f"talosctl-{version}"],
                          capture_output=True, text=True, check=False)
    if tool.returncode != 0:
        print(f"talosctl could not be built: {tool.stderr.strip().splitlines()[-1:]}")
        return None
    return tool.stdout.strip()


def main(version, also_expected=None):
    program = talosctl(version)
    if not program:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        with Lab(home, version) as lab:
            lab.up()
            addresses = lab.addresses()
            many = table.shapes_of_many(lab.talosctl(program, addresses))
            found = table.shapes(home, addresses[0], lab.talosctl(program, addresses[:1]))
    return judge(found | many, EXPECTED | (also_expected or {}), table.recorded_of(version))


def main_of_metal(version):
    """The same of a machine, in maintenance mode and installed; tests/vm recorded a real one."""
    program = talosctl(version)
    if not program:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        table.prepare_configs(home, program)
        with Lab(home, version, ()) as lab:
            address = lab.addresses()[0]
            run = table.runner([program, "-e", address, "-n", address])
            if not table.boots(run):
                print("the machine of the lab does not boot")
                return 1
            found = table.shapes_in_maintenance(home, run)
            lab.up()
            found |= table.shapes_of_installed(home, lab.talosctl(program, [address]))
    return judge(found, METAL_EXPECTED, table.METAL_RECORDED)


def judge(found, expected, recorded):
    different = table.differences(found, json.loads(recorded.read_text()))
    wrong = [command for command in different if command not in expected]
    for command in wrong:
        real, lab = different[command]
        print(f"FAILED {command}\n    real {json.dumps(real)}\n    lab  {json.dumps(lab)}")
    gone = [command for command in expected if command not in different]
    for command in gone:
        print(f"FAILED {command}: no longer different; take it off the list")
    for command, reason in expected.items():
        print(f"differs {command}: {reason}")
    print(f"{len(found)} commands, {len(found) - len(different)} alike, {len(expected)} different"
          f" for a reason, {len(wrong)} wrong")
    return 1 if wrong or gone else 0
