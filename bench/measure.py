"""What the rows of bench/run share: the programs, processor time, and clusters of any size."""

import json
import os
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ICHOR = pathlib.Path(os.environ.get("ICHOR", ROOT / "build" / "ichor")).resolve()

HEAD = """name: many
network:
  api_endpoint: https://10.20.255.1:6443
  node_cidr: 10.20.0.0/16
  gateway: 10.20.255.254
  pod_cidr: 10.42.0.0/16
  service_cidr: 10.43.0.0/16
  nameservers: [1.1.1.1]
  ntp: [time.cloudflare.com]
talos:
  version: v1.12.6
  kubernetes_version: v1.35.2
  factory:
    schematic_id: 376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba
  vip: {{ip: 10.20.255.1, interface: eth0}}
# Budgets that a busy machine keeps too.
order: {{concurrency: 256, workers: {workers}}}
budgets: {{preflight: 2h, discover: 2h, apply: 2h, bootstrap: 2h, etcd: 2h, kubeconfig: 2h,
          verify: 2h}}
nodes:
"""


def profile(nodes, workers="with-control-planes"):
    """Three control planes, the others workers."""
    text = HEAD.format(workers=workers)
    for number in range(nodes):
        if number == 0:
            text += "  controlplane:\n    assignments:\n"
        if number == 3:
            text += "  worker:\n    assignments:\n"
        name = f"cp{number + 1}" if number < 3 else f"w{number - 2}"
        high, low = divmod(number + 1, 250)
        text += (f'      - {{name: {name}, ip: 10.20.{high}.{low + 1}, '
                 f'mac: "52:54:00:16:{high:02x}:{low:02x}", interface: eth0, disk: /dev/sda}}\n')
    return text


def real_tool(name):
    """The path of a real program, built if it is missing."""
    return subprocess.run([ROOT / "tools/real-tools", name], stdout=subprocess.PIPE, check=True,
                          text=True).stdout.strip()


def run(argv, **options):
    """Runs a program to its end; its processor seconds and its peak of memory in MiB."""
    process = subprocess.Popen([str(word) for word in argv], **options)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, argv))}: exit {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def processor_seconds(argv, **options):
    return run(argv, stdout=subprocess.DEVNULL, **options)[0]


def median(values):
    return sorted(values)[len(values) // 2]


class Lab:
    """A lab in a process of its own, in maintenance mode, with a profile for it."""

    def __init__(self, nodes, time_scale, workers="with-control-planes"):
        self.folder = tempfile.TemporaryDirectory()
        home = pathlib.Path(self.folder.name)
        self.profile, self.state, self.diary = home / "ichor.yaml", home / "lab", home / "diary"
        self.events = home / "events"
        self.profile.write_text(profile(nodes, workers), encoding="utf-8")
        self.nodes, self.time_scale = nodes, time_scale

    def __enter__(self):
        subprocess.run([ICHOR, "lab", "start", "-p", self.profile, "--state", self.state,
                        "--time-scale", str(self.time_scale), "--diary", self.diary, "--detach",
                        "-q"], check=True, stdout=subprocess.DEVNULL)
        while len({line["node"] for line in self.told() if line.get("port") == "maintenance"}) \
                < self.nodes:
            time.sleep(0.2)
        return self

    def __exit__(self, *_):
        subprocess.run([ICHOR, "lab", "stop", "--state", self.state], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.folder.cleanup()

    def told(self):
        """The lab's diary so far."""
        lines = self.diary.read_text(encoding="utf-8").splitlines() if self.diary.exists() else []
        return [json.loads(line) for line in lines if line.endswith("}")]

    def up(self, **options):
        """`ichor up` on it: processor seconds and MiB of ichor alone."""
        return run([ICHOR, "up", "-p", self.profile, "--lab-state", self.state, "-q", "-o", "json"],
                   **({"stdout": subprocess.DEVNULL} | options))
