#!/usr/bin/env python3
"""Every command that a document shows is accepted, and every link leads to a file and a heading.

Each command runs in an empty folder without a profile and without a network, so that it can contact
no machine. It is accepted if the program does not report a usage error; a file or profile that does
not exist is not one. Without the right to make a network namespace the commands are skipped.

Usage: documents_test.py ICHOR
"""

import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import documents  # noqa: E402

ICHOR = os.path.abspath(sys.argv[1])
LIMIT_S = 60
USAGE = 64
# A word in capitals stands for a value. A command with another such word must not be shown.
VALUES = {
    "ADDRESS": "10.0.0.1", "CONFIG": "config.yaml", "COMMAND": "up", "CLUSTER": "infra",
    "DIR": "dir", "FILE": "file.yaml", "FINGERPRINT": "A" * 43 + "=", "ID": "E4", "IP": "10.0.0.1",
    "KEY": "key", "LIST": "none", "N": "2", "NAME": "infra", "NODE": "cp1", "NODES": "cp1,w1",
    "NONCE": "0123456789abcdef", "PROFILE": "profile.yaml", "RUN": "2", "SERIAL": "S1",
    "TEMPLATE": "t.yaml.j2", "TIME": "5m", "VALUE": "1", "VARS": "vars.yaml", "VERSION": "v1.12.6",
}
# Notation of a synopsis or of a list of commands, not a command line.
NOTATION = re.compile(r"\[|…|\.\.\.|\w\|\w|^ichor (?:-p )?COMMAND|FLAGS|WHAT|FAULT|KIND")
# What the program says where the command line is right and a file is missing.
MISSING = re.compile(r"No such file or directory|there is no cluster here|no such file|"
                     r"needs an ichor.yaml")
# Programs before the real one, with what is between.
WRAPPERS = re.compile(r"^(?:timeout -s KILL \d+|env -u \S+|sudo|time|\w+=\S+) +")
CAMPAIGN = re.compile(r"--seeds +\S+|--crash-p\w+|--mutants? \S+")


def unwrapped(command):
    """The command line of ichor in a line of a shell; None if it runs something else."""
    command = command.strip()
    while WRAPPERS.match(command):
        command = WRAPPERS.sub("", command)
    command = re.sub(r"^(?:\./)?build/ichor\b", "ichor", command)
    return command if re.match(r"ichor(?: |$)", command) else None


def parts_of(line):
    """The commands that a line of a shell runs one after the other, without redirections."""
    line = re.sub(r"\s#.*$|^#.*$", "", line)
    for part in re.split(r"&&|\|\||;|(?<= )\|(?= )|&$", line):
        yield re.sub(r"\s*\d?>+\s*\S+", "", part)


def is_list(line):
    """`ichor up         bring the cluster up`: a table of commands, not a command line."""
    return re.search(r"\S {3,}\S", re.sub(r"\s#.*$", "", line)) is not None


def commands_of(text):
    """(line number, command line) of everything that a document says to type."""
    for start, kind, lines in documents.blocks(text):
        if kind in ("text", "yaml", "json"):
            continue
        joined = "\n".join(lines).replace("\\\n", " ").splitlines()
        for offset, line in enumerate(joined, start):
            for part in [] if is_list(line) else parts_of(line):
                if unwrapped(part):
                    yield offset, unwrapped(part)
    for number, line in enumerate(documents.prose(text), 1):
        if line.startswith("Usage:"):
            continue
        for span in re.findall(r"`([^`]+)`", line):
            # A name of a command alone is a name: `ichor lab`.
            if unwrapped(span) and " -" in span:
                yield number, unwrapped(span)


def filled(word):
    """A word with values for its placeholders."""
    return re.sub(r"(?<![\w$.-])[A-Z]+(?![\w.-])", lambda name: VALUES.get(name[0], name[0]),
                  word)


def without_network(words, folder):
    """Runs a command where no network is, with an environment of its own."""
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder, "NO_COLOR": "1"}
    return subprocess.run(["unshare", "--net", "--map-root-user", *words], cwd=folder, text=True,
                          env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=LIMIT_S, check=False)


def complaint(command):
    """Why the program does not accept a command line; empty if it does."""
    # One seed is as good as a thousand to see whether the flags are right.
    command = re.sub(r"\$\([^)]*\)|\$\{?\w+\}?", "word", CAMPAIGN.sub("--seeds 1..1", command))
    words = shlex.split(filled(command))
    with tempfile.TemporaryDirectory() as folder:
        done = without_network([ICHOR, *words[1:]], folder)
    said = (done.stderr or done.stdout).strip()
    if done.returncode != USAGE or MISSING.search(said):
        return ""
    return said.splitlines()[0]


def can_unshare():
    with tempfile.TemporaryDirectory() as folder:
        return without_network(["true"], folder).returncode == 0


class Documents(unittest.TestCase):
    def test_every_command_that_is_shown_is_accepted(self):
        if not can_unshare():
            self.skipTest("this user may not make a network namespace")
        places = {}
        for path in documents.documents():
            for number, command in commands_of((documents.ROOT / path).read_text("utf-8")):
                if not NOTATION.search(command):
                    places.setdefault(command, f"{path}:{number}")
        self.assertGreater(len(places), 150)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            reasons = pool.map(complaint, places)
        wrong = [f"{place}: {command}\n    {why}"
                 for (command, place), why in zip(places.items(), reasons) if why]
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_a_wrong_command_is_found(self):
        if not can_unshare():
            self.skipTest("this user may not make a network namespace")
        for command in ("ichor upp", "ichor up --fast", "ichor phase 9", "ichor explain ZZ9",
                        "ichor lab inject nothing --state lab", "ichor unlock 41c6"):
            self.assertNotEqual(complaint(command), "", command)

    def test_every_make_target_that_is_shown_exists(self):
        makefile = (documents.ROOT / "Makefile").read_text("utf-8")
        targets = set(" ".join(re.findall(r"^([a-z][a-z -]*):", makefile, re.MULTILINE)).split())
        wrong, seen = [], 0
        for path in documents.documents():
            text = (documents.ROOT / path).read_text("utf-8")
            lines = [line for _, kind, block in documents.blocks(text) if kind != "text"
                     for line in block]
            lines += re.findall(r"`(make [^`]*)`", "\n".join(documents.prose(text)))
            for line in lines:
                for part in parts_of(line):
                    call = re.match(r"\s*make ((?:[a-z][a-z-]* ?)+)", part)
                    for target in call[1].split() if call else []:
                        seen += 1
                        if target not in targets:
                            wrong.append(f"{path}: make {target}")
        self.assertGreater(seen, 15)
        self.assertEqual(wrong, [])

    def test_every_link_leads_to_a_file_and_a_heading(self):
        wrong, seen = [], 0
        for path in documents.documents():
            text = (documents.ROOT / path).read_text("utf-8")
            for number, target in documents.links(text):
                if re.match(r"[a-z]+:", target):
                    continue
                seen += 1
                name, _, heading = target.partition("#")
                file = pathlib.Path(os.path.normpath(documents.ROOT / path.parent / name))
                if not name:
                    file = documents.ROOT / path
                if not file.exists():
                    wrong.append(f"{path}:{number}: {target}: there is no such file")
                elif heading and heading not in documents.anchors(file.read_text("utf-8")):
                    wrong.append(f"{path}:{number}: {target}: there is no such heading")
        self.assertGreater(seen, 20)
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
