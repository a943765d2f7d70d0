"""ichor in one namespace, the lab in another, and between them a cable that misbehaves."""

import pathlib
import subprocess
import sys

from bench import HERE, Bench, Failed, demand, shell


class Cable:
    """Joins this namespace, where the lab is, with a new one for ichor."""

    def __init__(self, **faults):
        self.flags = [f"--{name}={value}" for name, value in faults.items()]

    def __enter__(self):
        self.home = subprocess.Popen(["unshare", "--net", "sleep", "100000"])
        self.here = subprocess.Popen(["sleep", "100000"])
        self.wait_for_namespace()
        self.relay = subprocess.Popen([sys.executable, str(HERE / "relay.py"), str(self.home.pid),
                                       str(self.here.pid), *self.flags], stdout=subprocess.PIPE,
                                      text=True)
        demand(self.relay.stdout.readline() == "ready\n", "the cable does not come up")
        # The lab's addresses are those of a loopback; in ichor's namespace they are far away.
        for where in ([], self.enter):
            shell(*where, "sysctl", "-qw", "net.ipv4.conf.all.route_localnet=1")
            shell(*where, "sysctl", "-qw", "net.ipv4.conf.cable.route_localnet=1")
        shell(*self.enter, "ip", "route", "add", "127.0.0.0/8", "via", "10.9.0.2")
        return self

    def wait_for_namespace(self):
        mine = pathlib.Path("/proc/self/ns/net").readlink()
        for _ in range(500):
            if pathlib.Path(f"/proc/{self.home.pid}/ns/net").readlink() != mine:
                return
            subprocess.run(["sleep", "0.01"], check=True)
        raise Failed("no second namespace")

    @property
    def enter(self):
        return ["nsenter", f"--net=/proc/{self.home.pid}/ns/net"]

    def __exit__(self, *_):
        self.relay.terminate()
        self.counts = self.relay.stdout.read().strip()
        for process in (self.relay, self.home, self.here):
            process.kill()
            process.wait()


def over_cable(scale, **faults):
    with Bench(scale) as bench:
        with Cable(**faults) as cable:
            run = bench.start("up", prefix=cable.enter)
            run.end()
        bench.finish(run)
    return f"{run.outcome()} ({cable.counts})"


def good_cable():
    """A cable without a fault: the harness itself."""
    return over_cable(20)


def delay():
    """N6: 100 ms each way, 50 ms more or less."""
    return over_cable(4, delay=100, jitter=50)


def reorder():
    """N5: a quarter of the packets overtakes the others."""
    return over_cable(8, delay=10, reorder=25)


def duplicate():
    """N5: 20 % of the packets arrive twice."""
    return over_cable(10, delay=2, duplicate=20)


def corrupt():
    """N5: a bit of 3 % of the packets is turned; checksums must tell."""
    return over_cable(6, corrupt=3)


def chaos():
    """N5, N6: Talos' own e2e chaos and more: 1 % loss, 15 ms, 5 ms jitter, all the rest at 1 %."""
    return over_cable(6, loss=1, delay=15, jitter=5, reorder=1, duplicate=1, corrupt=1)


CASES = [good_cable, delay, reorder, duplicate, corrupt, chaos]
