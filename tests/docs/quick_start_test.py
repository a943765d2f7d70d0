#!/usr/bin/env python3
"""The commands of docs/guide/quick-start.md, run in their order on the lab that the page starts.

Every command must succeed, except for one that `timeout` kills. What the page shows as output must
be in the output of the commands above it; figures and times may differ.

Usage: quick_start_test.py ICHOR
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import documents  # noqa: E402

ICHOR = os.path.abspath(sys.argv[1])
PAGE = documents.ROOT / "docs/guide/quick-start.md"
LIMIT_S = 240
KILLED = 137
NOT_HERE = ("make ", "export PATH", "mkdir ")  # the build, and the folder that the test has made


def alike(line):
    """A line of output without what differs between two runs: spaces, figures, times."""
    line = re.sub(r"(?:\d+m)?[\d.]+m?s\b", "TIME", line.strip())
    return re.sub(r"\s+", " ", re.sub(r"\d+", "N", line))


def steps():
    """("run", commands) and ("seen", lines of output) in the order of the page."""
    for _, kind, lines in documents.blocks(PAGE.read_text("utf-8")):
        if kind == "indented":
            yield "run", [line for line in lines if not line.startswith(NOT_HERE)]
        elif kind == "text":
            yield "seen", lines


class QuickStart(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/ichor").symlink_to(ICHOR)
        self.environment = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "NO_COLOR": "1",
                            "HOME": str(self.folder), "TMPDIR": str(self.folder)}
        self.addCleanup(subprocess.run, [ICHOR, "lab", "stop", "--state", str(self.folder / "lab")],
                        check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def run_line(self, line):
        """Runs one line as the reader types it, and returns what it prints."""
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment,
                              text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False)
        is_killed = line.startswith("timeout -s KILL")
        # bash replaces itself by the only command of a line, so the signal is that of the command.
        allowed = (KILLED, -9) if is_killed else (0,)
        self.assertIn(done.returncode, allowed, f"{line}\n{done.stdout}")
        return done.stdout

    def test_every_command_of_the_page_runs(self):
        output, count = "", 0
        for kind, lines in steps():
            if kind == "run":
                output = "".join(self.run_line(line) for line in lines)
                count += len(lines)
                continue
            seen = "\n".join(alike(line) for line in output.splitlines())
            for line in lines:
                self.assertIn(alike(line), seen, f"not in the output:\n{output}")
        self.assertGreater(count, 12)
        self.assertFalse((self.folder / "lab").exists(), "the page removes its lab")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
