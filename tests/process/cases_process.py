"""What happens to the processes: kills, stops, signals, a reader that goes away."""

import os
import random
import signal
import subprocess
import time

from bench import Bench, demand


def killed():
    """L1: SIGKILL at five moments of one bring-up, each run continues from the last."""
    chance = random.Random(int(os.environ.get("PROCESS_SEED", "7")))
    with Bench(20) as bench:
        for _ in range(5):
            run = bench.start("up", stdout=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.2, 4))
            run.send(signal.SIGKILL)
            run.process.wait()
            demand(len(bench.clusters()) <= 1, f"etcd clusters: {bench.clusters()}")
        bench.finish()
    return "ready"


def killed_at_each_change():
    """L1: SIGKILL right before and right after every kind of change."""
    with Bench(20) as bench:
        struck = 0
        for kind, phase in (("decided", "apply"), ("acted", "apply"), ("decided", "bootstrap"),
                            ("acted", "bootstrap")):
            run = bench.start("up")
            if run.wait_phase(phase, kind):
                struck += 1
            run.send(signal.SIGKILL)
            run.end()
        demand(struck >= 3, f"only {struck} of 4 moments came")
        bench.finish()
    return f"{struck} kills, ready"


def disturbed(phase, disturb):
    """The run gets no signal, and ends ready or with a verdict that the next one recovers from."""
    with Bench(20) as bench:
        run = bench.up_disturbed(phase, lambda run: disturb(bench, run))
        bench.finish(run)
    return run.outcome()


def stopped():
    """L2: SIGSTOP for so long that a call's deadline has passed, then SIGCONT."""
    def stop(_, run):
        run.send(signal.SIGSTOP)
        time.sleep(8)
        run.send(signal.SIGCONT)

    return disturbed("bootstrap", stop)


def machines_lose_power():
    """D1: the lab is killed in the middle, and every machine with it; then it is started again."""
    def cut(bench, _):
        bench.kill_lab()
        time.sleep(1)
        bench.start_lab()

    return disturbed("etcd", cut)


def machines_freeze():
    """D7: the lab is stopped for a while: connections stay, no answers come."""
    def freeze(bench, _):
        bench.lab_process.send_signal(signal.SIGSTOP)
        time.sleep(5)
        bench.lab_process.send_signal(signal.SIGCONT)

    return disturbed("apply", freeze)


def interrupted():
    """L11: Ctrl-C ends a run within ten seconds with exit 130."""
    with Bench(20) as bench:
        run = bench.start("up")
        demand(run.wait_phase("apply"), run.explain())
        began = time.monotonic()
        run.send(signal.SIGINT)
        run.end()
        took = time.monotonic() - began
        demand(run.process.returncode == 130, run.explain())
        demand(took <= 10, f"it took {took:.1f} s")
        bench.finish()
    return f"130 after {took:.1f} s, then ready"


def interrupted_twice():
    """L11: a second Ctrl-C ends it at once."""
    with Bench(20) as bench:
        run = bench.start("up")
        demand(run.wait_phase("apply"), run.explain())
        run.send(signal.SIGINT)
        time.sleep(0.02)
        began = time.monotonic()
        run.send(signal.SIGINT)
        run.end()
        took = time.monotonic() - began
        demand(run.process.returncode in (130, -2), run.explain())
        demand(took <= 2, f"it took {took:.1f} s")
        bench.finish()
    return f"{run.process.returncode} after {took:.1f} s, then ready"


def terminated():
    """L11: SIGTERM ends it with exit 143."""
    with Bench(20) as bench:
        run = bench.start("up")
        demand(run.wait_phase("apply"), run.explain())
        run.send(signal.SIGTERM)
        run.end()
        demand(run.process.returncode == 143, run.explain())
        bench.finish()
    return "143, then ready"


def reader_gone():
    """L10: the output is not read; the run continues to its end."""
    with Bench(20) as bench:
        reader, writer = os.pipe()
        run = bench.start("up", stdout=writer)
        os.close(writer)
        os.close(reader)
        run.end()
        demand(run.process.returncode == 0, f"exit {run.process.returncode}")
        bench.judge_machines()
    return "ready"


def two_at_once():
    """L7: a second run beside a first one is refused, and the first is not disturbed."""
    with Bench(20) as bench:
        first = bench.start("up")
        demand(first.wait_phase("apply"), first.explain())
        second = bench.up()
        bench.judge_refused(second, {5}, {"L7"})
        first.end()
        bench.finish(first)
    return "the second: exit 5 L7; the first: ready"


CASES = [killed, killed_at_each_change, stopped, machines_lose_power, machines_freeze, interrupted,
         interrupted_twice, terminated, reader_gone, two_at_once]
