"""Runs ichor against something hostile and measures it."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
MEMORY_MAX_MIB = 256
TERM_MAX_S = 2.0
LIMIT_S = 100
# What `ichor version` takes on an idle machine, generously.
IDLE_START_S = 0.2


def loopback():
    """An address of this machine that no other test uses at the same time."""
    return f"127.{random.randint(64, 127)}.{random.randint(0, 255)}.{random.randint(2, 254)}"


class End:
    """How a run of ichor ended."""

    def __init__(self, status, peak_mib, seconds, text):
        self.code = os.waitstatus_to_exitcode(status)
        self.peak_mib, self.seconds, self.text = peak_mib, seconds, text


class Run:
    """One ichor process, its output in a file, so that no pipe can hold it up."""

    def __init__(self, program, *arguments, cwd=None, env=None):
        self.output = tempfile.TemporaryFile()
        self.report = tempfile.NamedTemporaryFile("r")
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-E", HERE / "measured.py", self.report.name, program,
             *arguments], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=self.output,
            stderr=subprocess.STDOUT, start_new_session=True)

    def text(self):
        """What it has printed so far."""
        size = os.fstat(self.output.fileno()).st_size
        return os.pread(self.output.fileno(), size, 0).decode(errors="replace")

    def wait_for_text(self, *words, limit_s=LIMIT_S):
        """Until it has printed one of the words, or has ended."""
        due = time.monotonic() + limit_s
        while not any(word in self.text() for word in words) and time.monotonic() < due:
            try:
                self.process.wait(0.01)
                return
            except subprocess.TimeoutExpired:
                pass

    def end(self, limit_s=LIMIT_S):
        """Waits for the end; kills it after the limit, which then shows as exit -9."""
        status, peak_kib = signal.SIGKILL, 0
        try:
            self.process.wait(limit_s)
            status, peak_kib = map(int, self.report.read().split())
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        end = End(status, peak_kib / 1024, time.monotonic() - self.started, self.text())
        self.output.close()
        self.report.close()
        return end

    def terminate(self):
        """Asks it to stop; the seconds until it did, and how it ended."""
        asked = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        end = self.end()
        return time.monotonic() - asked, end


def term_limit(program):
    """Two seconds; more on a machine that is too busy to start a program at once."""
    before = time.monotonic()
    subprocess.run([program, "version"], check=True, stdout=subprocess.DEVNULL)
    return TERM_MAX_S * max(1.0, (time.monotonic() - before) / IDLE_START_S)


def issue(folder, address):
    """A self-signed certificate for one address."""
    certificate, key = pathlib.Path(folder) / "server.crt", pathlib.Path(folder) / "server.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj", "/CN=hostile",
                    "-addext", f"subjectAltName=IP:{address}", "-keyout", str(key), "-out",
                    str(certificate)], check=True, stderr=subprocess.DEVNULL)
    return certificate, key

