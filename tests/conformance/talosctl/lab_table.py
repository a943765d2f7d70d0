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
      - {{name: cp1, ip: 10.5.0.2, interface: eth0, disk: /dev/sda}}
      - {{name: cp2, ip: 10.5.0.3, interface: eth0, disk: /dev/sda}}
      - {{name: cp3, ip: 10.5.0.4, interface: eth0, disk: /dev/sda}}
  worker:
    assignments:
      - {{name: w1, ip: 10.5.0.5, interface: eth0, disk: /dev/sda}}
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
    "etcd snapshot {home}/snapshot": MISSING + ": its snapshot is no database",
}


class Lab:
    """Four nodes in container mode, as the recorded ones were, brought up by ichor."""

    def __init__(self, home, version):
        self.profile, self.state = home / "ichor.yaml", home / "lab"
        self.profile.write_text(PROFILE.format(version=version))

    def ichor(self, *words):
        return subprocess.run([ICHOR, *words], capture_output=True, text=True, check=False)

    def __enter__(self):
        for words in (["lab", "start", "-p", self.profile, "--state", self.state, "--container",
                       "--time-scale", "30", "--detach"],
                      ["up", "-p", self.profile, "--lab-state", self.state]):
            done = self.ichor(*map(str, words))
            if done.returncode != 0:
                self.__exit__()
                raise RuntimeError(f"{words[0]}: {done.stdout}{done.stderr}")
        return self

    def __exit__(self, *_):
        self.ichor("lab", "stop", "--state", str(self.state))

    def addresses(self):
        known = json.loads((self.state / "addresses.json").read_text())
        return [known[node] for node in NODES]

    def talosctl(self, program, nodes):
        return table.runner([program, "--talosconfig", str(self.state / "ichor/table/talosconfig"),
                             "-e", self.addresses()[0], "-n", ",".join(nodes)])


def main(version, also_expected=None):
    tool = subprocess.run([str(ROOT / "tools/real-tools"), f"talosctl-{version}"],
                          capture_output=True, text=True, check=False)
    if tool.returncode != 0:
        print(f"talosctl could not be built: {tool.stderr.strip().splitlines()[-1:]}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        with Lab(home, version) as lab:
            addresses = lab.addresses()
            many = table.shapes_of_many(lab.talosctl(tool.stdout.strip(), addresses))
            found = table.shapes(home, addresses[0],
                                 lab.talosctl(tool.stdout.strip(), addresses[:1]))
    return judge(found | many, EXPECTED | (also_expected or {}))


def judge(found, expected):
    different = table.differences(found, json.loads(table.RECORDED.read_text()))
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
