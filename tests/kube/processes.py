"""Processes of a test bed, and how all of them end.

A bed is a folder below BEDS that names its owner, the process that made it. Every process of the
bed is the owner's child and is killed by the kernel when the owner dies, whatever it died of. What
is left then is the folder; the next bed removes it.
"""

import contextlib
import ctypes
import itertools
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "real"))

import lab as labs  # noqa: E402

BEDS = pathlib.Path(tempfile.gettempdir())
PREFIX = "ichor-kube-"
PR_SET_PDEATHSIG = 1
START_LIMIT_S = 90
STOP_LIMIT_S = 10
LIBC = ctypes.CDLL(None)


class BedError(Exception):
    """Something of the bed does not work; the text says what, with the end of its log."""


def die_with_parent():
    """Runs in the child, before its program: the bed must not outlive the test."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


PORTS = itertools.count(20000 + os.getpid() * 61 % 9000)


def free_port():
    """A port of the loopback without a listener, and that is given out once.

    It is below those that the kernel takes for connections, so it is still free when it is used.
    """
    for port in PORTS:
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise BedError("there is no free port")


def connects(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def sweep():
    """Removes the folders of beds whose owner is gone."""
    for folder in BEDS.glob(PREFIX + "*"):
        owner = folder / "owner.json"
        if owner.exists() and not labs.recall(owner):
            shutil.rmtree(folder, ignore_errors=True)


def new_folder(name):
    sweep()
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{PREFIX}{name}-", dir=BEDS))
    labs.remember(folder / "owner.json", os.getpid())
    return folder


class Processes:
    """The running programs of one bed, by name. Their output is in FOLDER/logs/NAME.log."""

    def __init__(self, folder):
        self.logs = folder / "logs"
        self.logs.mkdir()
        self.running = {}

    def start(self, name, argv, ready, environment=None):
        """Starts a program and waits until `ready` holds. It gets no other environment.

        The kernel takes the thread that calls this for the parent, so it must be one that lives
        as long as the bed.
        """
        self.stop(name)
        base = {"PATH": os.environ["PATH"], "HOME": str(self.logs.parent)}
        with open(self.logs / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                [str(part) for part in argv], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=self.logs.parent, env={**base, **(environment or {})},
                preexec_fn=die_with_parent)
        self.running[name] = process

        def is_decided():
            return process.poll() is not None or ready()

        if not labs.wait_until(is_decided, START_LIMIT_S) or process.poll() is not None:
            raise BedError(f"{name} does not start; the end of its log:\n{self.tail(name)}")

    def tail(self, name, lines=20):
        text = (self.logs / f"{name}.log").read_text(errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def stop(self, name, number=signal.SIGTERM):
        process = self.running.pop(name, None)
        if process is None or process.poll() is not None:
            return
        process.send_signal(number)
        try:
            process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def stop_all(self):
        """In the reverse order of their start. What they would still write is not needed."""
        for name in reversed(list(self.running)):
            self.stop(name, signal.SIGKILL)
