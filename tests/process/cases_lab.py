"""Faults of the machines themselves, injected into the lab while a bring-up is under way."""

from bench import Bench


def settle(bench, run, codes, ids):
    """With codes the run must have ended so; without the faults it must be ready at last."""
    if codes:
        bench.judge_refused(run, set(codes), ids)
    bench.inject("clear")
    bench.finish(run)
    return run.outcome()


def inject(bench, injections):
    for fault, node, flags in injections:
        bench.inject(fault, node, **flags)


def during(phase, *injections, scale=20, codes=(), ids=()):
    """Injects when the phase begins."""
    with Bench(scale) as bench:
        run = bench.up_disturbed(phase, lambda _: inject(bench, injections))
        return settle(bench, run, codes, ids)


def from_start(*injections, scale=20, codes=(), ids=()):
    """Injects before the run begins."""
    with Bench(scale) as bench:
        inject(bench, injections)
        return settle(bench, bench.up(), codes, ids)


def refuse():
    """N1: a control plane refuses for 60 s."""
    return during("apply", ("refuse", "cp2", {"for_": "60s"}))


def blackhole():
    """N2: a control plane is silent for 60 s at the bootstrap of etcd."""
    return during("bootstrap", ("blackhole", "cp3", {"for_": "60s"}))


def bootstrap_reply_lost():
    """N3: Bootstrap is carried out and its reply is lost."""
    return from_start(("lost-reply", "cp1", {"call": "Bootstrap"}))


def apply_replies_lost():
    """N3: every node takes its config, and every reply is lost."""
    return from_start(("lost-reply", "", {"call": "ApplyConfiguration"}))


def kubeconfig_reset():
    """N7: the connections of all nodes are reset when the kubeconfig is fetched."""
    return during("kubeconfig", ("reset", "", {}))


def forgotten_connections():
    """N8: all connections fall silent and stay so; new ones work."""
    return during("etcd", ("half-open", "", {}))


def trickle():
    """N6: 8 kB/s to and from every node, at a pace at which that is enough."""
    return from_start(("trickle", "", {}), scale=4)


def bootstrap_forgotten():
    """E1: Bootstrap is answered with yes and the node loses power before etcd has data."""
    return from_start(("crash-after", "cp1", {"call": "Bootstrap"}))


def power_lost_after_apply():
    """D1: a node answers ApplyConfiguration and loses power."""
    return from_start(("crash-after", "cp2", {"call": "ApplyConfiguration"}))


def unavailable_once():
    """A1: the first Bootstrap and the first config are answered with Unavailable."""
    return from_start(("transient", "cp1", {"call": "Bootstrap"}),
                      ("transient", "w1", {"call": "ApplyConfiguration"}))


def overloaded_once():
    """A7: the first config is answered with ResourceExhausted."""
    return from_start(("overloaded", "cp3", {"call": "ApplyConfiguration"}))


def new_maintenance_key():
    """T2: another key answers for a node while configs are sent, and the node did not reboot."""
    return during("apply", ("new-key", "w1", {}), codes={5}, ids={"T2"})


def foreign_certificate():
    """T1: after its config a control plane shows a certificate of another cluster."""
    return during("etcd", ("wrong-ca", "cp2", {}), codes={5}, ids={"T1"})


def image_not_pulled():
    """D2: the installer image cannot be pulled for two minutes."""
    return from_start(("pull-fails", "cp1", {"for_": "2m"}))


def frozen():
    """D7: a control plane freezes for a minute while it is verified."""
    return during("etcd", ("freeze", "cp1", {"for_": "60s"}))


def reboots():
    """D6: all control planes reboot while etcd comes up. One that was a learner then stays one, as
    Talos has it: that is E7, and the operator's."""
    with Bench(20) as bench:
        run = bench.up_disturbed("etcd", lambda _: inject(
            bench, [("reboot", name, {}) for name in ("cp1", "cp2", "cp3")]))
        if run.process.returncode == 0:
            bench.finish(run)
            return "ready"
        bench.judge_refused(run, {4}, {"E6", "E7"})
    return f"exit 4 {'/'.join(sorted(run.ids()))}"


def time_not_synced():
    """T7: the clock of the bootstrap target does not come into sync for two minutes."""
    return from_start(("time-unsynced", "cp1", {"for_": "2m"}))


def slow_learner():
    """E6, E7: a member stays a learner for three minutes."""
    return from_start(("learner-stuck", "cp2", {"for_": "3m"}))


def learner_for_ever():
    """E7: a member is never promoted: out of time by name. Talos has given up by then, so what
    helps is the operator's part of the row."""
    with Bench(30) as bench:
        inject(bench, [("learner-stuck", "cp2", {})])
        run = bench.up()
        bench.judge_refused(run, {1, 4}, {"E6", "E7"})
    return f"exit {run.process.returncode} {'/'.join(sorted(run.ids()))}"


CASES = [refuse, blackhole, bootstrap_reply_lost, apply_replies_lost, kubeconfig_reset,
         forgotten_connections, trickle, bootstrap_forgotten, power_lost_after_apply,
         unavailable_once, overloaded_once, new_maintenance_key, foreign_certificate,
         image_not_pulled, frozen, reboots, time_not_synced, slow_learner, learner_for_ever]
