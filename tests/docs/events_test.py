#!/usr/bin/env python3
"""What real runs on a lab print with -o json is what docs/guide/events.md lists: types and fields.

Usage: events_test.py ICHOR
"""

import json
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
PAGE = documents.ROOT / "docs/guide/events.md"
LIMIT_S = 240
PHASES = """
phases:
  namespaces: {names: [demo]}
  core:
    releases:
      - {name: cert-manager, namespace: demo, chart: oci://charts.example.org/demo, version: 1.0.0}
  budgets: {validation: 30s}
"""
LAB = ["--lab-state", "lab"]
COMMANDS = [
    ["version"], ["explain", "N3"], ["lab", "inject", "--list"], ["lab", "list"], ["plan", *LAB],
    ["preflight", *LAB],
    ["lab", "inject", "lost-reply", "--state", "lab", "--node", "cp1", "--call", "Bootstrap"],
    ["up", *LAB], ["up", *LAB], ["status", *LAB], ["health", *LAB], ["verify", *LAB],
    ["wait", "nodes", *LAB], ["wait", "object", "pod/none", "--timeout", "0s", *LAB],
    ["phase", "0", "--dry-run", *LAB], ["doctor", "cp1", *LAB], ["doctor", "--last", *LAB],
    ["etcd", "status", *LAB], ["etcd", "snapshot", "saved.db", *LAB], ["certs", "status", *LAB],
    ["drift", *LAB], ["reset", "w1", "--dry-run", *LAB], ["history", *LAB],
    ["history", "diff", "1", "2", *LAB],
    ["report", *LAB], ["watch", *LAB], ["lab", "status", "--state", "lab"],
    ["lab", "inject", "power-off", "--state", "lab", "--node", "w1"], ["status", *LAB],
    ["health", "--wait-timeout", "30s", *LAB],
]
# These must be met, or the comparison would say little.
EXPECTED = {"run-started", "phase-started", "waiting", "decided", "acted", "stage-changed",
            "phase-done", "phase-failed", "barrier-opened", "run-ended", "finding", "node",
            "cluster", "layer",
            "check", "action", "run", "record", "phase", "object", "unmet", "summary"}


def listed():
    """The fields of every type that the page lists."""
    types = {"summary": set()}
    section = ""
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| `"):
            continue
        names = re.findall(r"`([\w-]+)`", cells[0])
        if section == "Summary":
            types["summary"].update(names)
        else:
            for name in names:
                types[name] = set(re.findall(r"`(\w+)`", cells[2])) | {"type"}
    return types


class Events(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.call("init", "--from-lab")
        with open(self.folder / "ichor.yaml", "a", encoding="utf-8") as profile:
            profile.write(PHASES)
        self.call("lab", "start", "--state", "lab", "--time-scale", "60", "--detach")
        self.addCleanup(self.call, "lab", "stop", "--state", "lab")

    def call(self, *words):
        # Without helm, so that the lab plays it.
        environment = {"PATH": "/nowhere", "HOME": str(self.folder), "TMPDIR": str(self.folder)}
        done = subprocess.run([ICHOR, *words], cwd=self.folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=LIMIT_S, check=False)
        return done.stdout

    def test_real_runs_print_only_what_the_page_lists(self):
        types, seen, wrong = listed(), {}, set()
        for words in COMMANDS:
            lines = [json.loads(line) for line in self.call(*words, "-o", "json").splitlines()]
            self.assertTrue(lines, words)
            self.assertEqual(lines[-1]["type"], "summary", words)
            for line in lines:
                seen.setdefault(line["type"], set()).update(line)
                if line["type"] not in types:
                    wrong.add(f"{words[0]}: type {line['type']}: {line}")
                    continue
                for field in line.keys() - types[line["type"]]:
                    wrong.add(f"{words[0]}: {line['type']}.{field}: {line}")
        self.assertEqual(sorted(wrong), [], "\n" + "\n".join(sorted(wrong))[:3000])
        self.assertEqual(EXPECTED - seen.keys(), set())
        self.assertEqual(types["summary"] - seen["summary"], {"dropped", "clusters"})

    def test_the_page_names_every_kind_of_event(self):
        source = (documents.ROOT / "src/model/event.cc").read_text("utf-8")
        kinds = set(re.findall(r'return "([a-z-]+)";', source))
        self.assertGreater(len(kinds), 10)
        self.assertEqual(kinds - listed().keys(), set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
