#!/usr/bin/env python3
"""Two `ichor up` at the same instant on one cluster, each pair on a lab of its own: only one acts.

Usage: rivals_test.py ICHOR PROFILE
RIVAL_COUNT says how many pairs there are.
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import one_lab  # noqa: E402

ICHOR, PROFILE = sys.argv[1:3]
COUNT = int(os.environ.get("RIVAL_COUNT") or 6)
LIMIT_S = 240


def outcome(run):
    """Exit code, summary and findings of a run that has ended."""
    text, errors = run.communicate(timeout=LIMIT_S)
    lines = [json.loads(line) for line in text.splitlines()]
    findings = [line for line in lines if line["type"] == "finding"]
    return run.returncode, lines[-1] if lines else {"verdict": errors}, findings


def contend(folder):
    """Starts a pair; tells what is wrong with what it did."""
    lab = f"{folder}/lab"
    started = one_lab.start(ICHOR, PROFILE, lab)
    if started.returncode != 0:
        return f"the lab did not start: {started.stderr}"
    try:
        words = [ICHOR, "up", "-p", PROFILE, "--lab-state", lab, "-o", "json", "-q"]
        pair = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for _ in range(2)]
        ends = [outcome(run) for run in pair]
    finally:
        one_lab.stop(ICHOR, lab)
    winners = [number for number, (code, _, _) in enumerate(ends) if code == 0]
    if len(winners) != 1:
        return f"{[(code, summary.get('verdict')) for code, summary, _ in ends]}"
    code, summary, findings = ends[1 - winners[0]]
    if code != 5 or summary["mutations"] != 0:
        return f"the second run ended with {code} after {summary['mutations']} changes"
    named = f"process {pair[winners[0]].pid} "
    if not any(line["id"] == "L7" and named in line["what"] for line in findings):
        return f"{named} is not named: {findings}"
    clusters = json.loads((pathlib.Path(lab) / "etcd.json").read_text(encoding="utf-8"))
    return "" if len(clusters) == 1 else f"{len(clusters)} etcd clusters"


class Rivals(unittest.TestCase):
    def test_only_one_of_two_runs_acts_and_the_other_names_it(self):
        with tempfile.TemporaryDirectory() as home:
            folders = [f"{home}/{number}" for number in range(COUNT)]
            for folder in folders:
                os.mkdir(folder)
            with concurrent.futures.ThreadPoolExecutor(3) as pool:
                wrong = list(pool.map(contend, folders))
        for number, trouble in enumerate(wrong):
            with self.subTest(pair=number):
                self.assertEqual(trouble, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
