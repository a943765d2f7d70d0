"""What the network does to a bring-up: loss, resets, rate, packets that are too large."""

import time

from bench import Bench, demand, on_arrival, rules, shell


def loss(percent, scale):
    """N5: packets are dropped at random."""
    with Bench(scale) as bench:
        on_arrival(f"numgen random mod 100 < {percent} drop")
        run = bench.up()
        rules()
        bench.finish(run)
    return run.outcome()


def loss_1():
    """N5: 1 % of all packets is lost."""
    return loss(1, 10)


def loss_5():
    """N5: 5 % of all packets is lost."""
    return loss(5, 5)


def loss_15():
    """N5: 15 % of all packets is lost."""
    return loss(15, 4)


def loss_30():
    """N5: 30 % of all packets is lost."""
    return loss(30, 3)


def resets():
    """N7: connections are reset at random."""
    with Bench(10) as bench:
        rules("tcp dport 50000 numgen random mod 1000 < 4 reject with tcp reset")
        run = bench.up()
        rules()
        bench.finish(run)
    return run.outcome()


def mtu_hole():
    """N15: packets above 1400 bytes vanish, so reads work and no config arrives."""
    with Bench(20) as bench:
        on_arrival("meta length > 1400 drop")
        run = bench.up()
        demand(not bench.clusters(), "nothing can have been bootstrapped")
        bench.judge_refused(run, {1, 4}, {"I13", "N1", "N2", "N3", "N15"})
        rules()
        bench.finish(run)
    return run.outcome()


def rate():
    """N6: 512 kbit/s for everything."""
    with Bench(5) as bench:
        shell("tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate", "512kbit", "burst",
              "64kbit", "latency", "800ms")
        run = bench.up()
        shell("tc", "qdisc", "del", "dev", "lo", "root")
        bench.finish(run)
    return run.outcome()


def half_open():
    """N8: connections that are there carry nothing any more; neither end is notified."""
    with Bench(20) as bench:
        run = bench.start("up")
        demand(run.wait_phase("bootstrap"), run.explain())
        # Packets of flows that exist are dropped at both ends; new flows have other ports.
        flows = shell("ss", "-tnH", "state", "established", "dport", "=", "50000")
        ports = sorted({line.split()[2].rsplit(":", 1)[1] for line in flows.splitlines()})
        demand(ports, "there is no connection to break")
        names = ", ".join(ports)
        rules(f"tcp sport {{{names}}} tcp dport 50000 drop",
              f"tcp dport {{{names}}} tcp sport 50000 drop")
        run.end()
        rules()
        bench.finish(run)
    return f"{len(ports)} connections, {run.outcome()}"


def partition():
    """N9: two control planes are cut off at the bootstrap of etcd, and come back."""
    with Bench(20) as bench:
        run = bench.start("up")
        demand(run.wait_phase("bootstrap"), run.explain())
        nodes = bench.status()
        away = ", ".join(nodes[name]["loopback"] for name in ("cp2", "cp3"))
        rules(f"ip daddr {{{away}}} tcp dport 50000 drop")
        time.sleep(4)
        rules()
        run.end()
        bench.finish(run)
    return run.outcome()


CASES = [loss_1, loss_5, loss_15, loss_30, resets, mtu_hole, rate, half_open, partition]
