"""Our gRPC beside Debian's: calls on one connection, and the memory of a connection."""

import pathlib
import subprocess
import sys
import tempfile

import measure
from measure import ROOT

sys.path.insert(0, str(ROOT / "tests/grpc"))

import interop  # noqa: E402

CALLS = 10_000
CONNECTIONS = 200


class Wire:
    """A server of ours, and both clients."""

    def __enter__(self):
        self.home = tempfile.TemporaryDirectory()
        made = interop.Certificates(pathlib.Path(self.home.name))
        self.ca = made.ca
        self.ours, self.theirs = interop.our_program(), interop.debian_program()
        self.server = subprocess.Popen([self.ours, "serve", made.certificate, made.key],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = self.server.stdout.readline().strip()
        return self

    def __exit__(self, *_):
        self.server.kill()
        self.server.wait()
        self.home.cleanup()

    def ask(self, program, verb, *words):
        """The numbers of the last line that a client prints."""
        done = subprocess.run([program, verb, self.ca, interop.NAME, self.port, *map(str, words)],
                              capture_output=True, text=True, check=True)
        return [float(word) for word in done.stdout.splitlines()[-1].split()]


def calls_ratio(at_once):
    """Calls per second of our client over those of grpc++, on one connection; of the medians."""
    with Wire() as wire:
        ours, theirs = [], []
        for _ in range(5):
            ours.append(wire.ask(wire.ours, "rate", CALLS, at_once)[0])
            theirs.append(wire.ask(wire.theirs, "rate", CALLS, at_once)[0])
    return measure.median(theirs) / measure.median(ours)


def connection_kib():
    """Memory of one connection: ours, and that of grpc++."""
    with Wire() as wire:
        return [wire.ask(program, "hold", CONNECTIONS)[0] for program in (wire.ours, wire.theirs)]
