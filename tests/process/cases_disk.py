"""What happens to files and clocks of the machine ichor runs on."""

import os
import pathlib
import signal
import stat

from bench import Bench, demand, shell


def unbegun(bench):
    """A run that is killed once configs were sent: a journal with something in it."""
    run = bench.start("up")
    demand(run.wait_phase("bootstrap"), run.explain())
    run.send(signal.SIGKILL)
    run.end()


def disk_full():
    """L3: the file system of the state folder fills up while configs are sent."""
    with Bench(20) as bench:
        state = pathlib.Path(bench.home, "small")
        state.mkdir()
        shell("mount", "-t", "tmpfs", "-o", "size=1536k", "tmpfs", state)
        try:
            bench.flags = ["--state-dir", str(state / "state")]
            run = bench.start("up")
            demand(run.wait_phase("discover"), run.explain())
            ballast = state / "ballast"
            with open(ballast, "wb", buffering=0) as file:
                try:
                    while file.write(b"x" * 512):
                        pass
                except OSError:
                    pass
            run.end()
            bench.judge_refused(run, {5}, {"L3", "L4"})
            ballast.unlink()
            bench.finish()
        finally:
            shell("umount", "-l", state)
    return run.outcome()


def broken_disk(call, good_calls):
    with Bench(20) as bench:
        inject = f"inject={call}:error=EIO:when={good_calls + 1}+"
        run = bench.up(prefix=["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
                               "-e", inject])
        bench.judge_refused(run, {1, 5}, {"L3", "L4"})
        bench.finish()
    return run.outcome()


def sync_fails():
    """L4: fdatasync answers EIO from the thirteenth on."""
    return broken_disk("fdatasync", 12)


def write_fails():
    """L4: writing the journal answers EIO once configs are sent."""
    return broken_disk("pwrite64", 60)


def never_writable():
    """L4: the journal cannot even be made."""
    return broken_disk("pwrite64", 5)


JOURNAL = ("journal.db", "journal.db-wal", "journal.db-shm")


def damaged(bench, damage):
    """The journal is damaged: refused as such; put back, the run continues."""
    unbegun(bench)
    state = bench.state()
    # The lock is left where it is: a copied one would be refused as a copy.
    good = {name: (state / name).read_bytes() for name in JOURNAL if (state / name).exists()}
    damage(state)
    run = bench.up()
    demand(run.process.returncode == 5, run.explain())
    demand("L5" in run.ids(), run.explain())
    for name in JOURNAL:
        (state / name).unlink(missing_ok=True)
        if name in good and name != "journal.db-shm":
            (state / name).write_bytes(good[name])
            (state / name).chmod(0o600)
    bench.finish()
    return "exit 5 L5, put back: ready"


def flip(path):
    """Turns one bit in the middle of every page of the log and the database that holds rows."""
    for name in ("journal.db", "journal.db-wal"):
        file = path / name
        if not file.exists():
            continue
        content = bytearray(file.read_bytes())
        for at in range(4096 - 40, len(content), 4096):
            content[at] ^= 0x10
        file.write_bytes(content)


def bits_flip():
    """L5: single bits of the journal are turned."""
    with Bench(20) as bench:
        return damaged(bench, flip)


def cut_short():
    """L5: the database is cut in half, its log is lost."""
    def cut(path):
        (path / "journal.db-wal").unlink(missing_ok=True)
        (path / "journal.db-shm").unlink(missing_ok=True)
        size = (path / "journal.db").stat().st_size
        os.truncate(path / "journal.db", size // 2)

    with Bench(20) as bench:
        return damaged(bench, cut)


def open_modes():
    """L13: under a umask of 000 no file with a secret can be read by others."""
    with Bench(20) as bench:
        before = os.umask(0)
        try:
            run = bench.up()
        finally:
            os.umask(before)
        bench.judge_ready(run)
        wrong = [f"{path.name} {path.stat().st_mode & 0o777:o}"
                 for path in bench.state().rglob("*")
                 if not stat.S_ISSOCK(path.stat().st_mode) and path.stat().st_mode & 0o077]
        demand(not wrong, f"readable by others: {wrong}")
    return "ready"


def clock_ahead():
    """L8, T6: this machine's clock is 400 days ahead: nothing is valid yet for the nodes."""
    with Bench(20) as bench:
        run = bench.up(prefix=["faketime", "--exclude-monotonic", "-f", "+400d"])
        # New secrets begin to be valid when this machine says so, and the nodes do not agree.
        bench.judge_refused(run, {1, 4, 5}, {"T1", "T6"})
    return f"exit {run.process.returncode} {'/'.join(sorted(run.ids()))}"


def clock_behind():
    """L8, T6: this machine's clock is 400 days behind; set right, the next run continues."""
    with Bench(20) as bench:
        run = bench.up(prefix=["faketime", "--exclude-monotonic", "-f", "-400d"])
        bench.judge_refused(run, {1, 4, 5}, {"T6"})
        bench.finish()
    return run.outcome()


def clock_jumps():
    """L8: the wall clock jumps a day forward and back while a run is under way."""
    with Bench(20) as bench:
        stamp = pathlib.Path(bench.home, "clock")
        stamp.write_text("+0")
        environment = dict(os.environ, FAKETIME_TIMESTAMP_FILE=str(stamp), FAKETIME_NO_CACHE="1",
                           FAKETIME_DONT_FAKE_MONOTONIC="1",
                           LD_PRELOAD="/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
        run = bench.start("up", env=environment)
        demand(run.wait_phase("apply"), run.explain())
        stamp.write_text("+12h")
        demand(run.wait_phase("bootstrap"), run.explain())
        stamp.write_text("-10m")
        run.end()
        bench.finish(run)
    return run.outcome()


CASES = [disk_full, sync_fails, write_fails, never_writable, bits_flip, cut_short, open_modes,
         clock_ahead, clock_behind, clock_jumps]
