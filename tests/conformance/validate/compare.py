#!/usr/bin/env python3
"""`ichor validate` against talosctl: the same configs must be accepted and refused.

usage: compare.py --talos VERSION [--random N] [--seed TEXT] [--all-modes] [--only WORD]

Three sources of configs: cases.txt with what later versions brought (cases-1.14.txt),
expressions.txt, and random changes of a rich config that follow the schema. A difference is printed
with the config and both answers.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import mutate

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ICHOR = pathlib.Path(os.environ.get("ICHOR") or ROOT / "build" / "ichor").resolve()
MODES = ("metal", "cloud", "container")

Run = collections.namedtuple("Run", "title text mode strict")


def tool(name):
    built = subprocess.run([ROOT / "tools" / "real-tools", name], capture_output=True, text=True)
    if built.returncode != 0:
        print(f"{name} cannot be built here: {(built.stderr.splitlines() or ['no word why'])[-1]}")
        sys.exit(77)
    return built.stdout.split()[-1]


def base(kind):
    if kind == "none":
        return []
    machine = {
        "type": "controlplane" if kind.endswith("cp") else "worker",
        "token": "a.b",
        "ca": {"crt": "LS0t", "key": "LS0t" if kind.endswith("cp") else ""},
    }
    if kind in ("tcp", "tworker"):
        return [{"version": "v1alpha1", "machine": machine, "cluster": {"token": "a.b"}}]
    machine |= {
        "install": {"disk": "/dev/sda"},
        "features": {"hostDNS": {"enabled": True, "forwardKubeDNSToHost": True}},
    }
    endpoint = {"endpoint": "https://10.0.0.1:6443"}
    return [{"version": "v1alpha1", "machine": machine, "cluster": {"controlPlane": endpoint}}]


def step(node, key):
    return node[int(key) if isinstance(node, list) else key]


def change(documents, operation):
    """Does what one part of a line of cases.txt says."""
    kind = re.match(r"([A-Z]\w+) (\{.*)$", operation)
    if kind:
        head = {"apiVersion": "v1alpha1", "kind": kind.group(1)}
        documents.append(head | json.loads(kind.group(2)))
        return
    path, equals, value = operation.partition("=")
    keys = (path if equals else path.removesuffix("-")).split(".")
    node = documents[0]
    for key in keys[:-1]:
        node = step(node, key)
    if equals:
        node[keys[-1]] = json.loads(value)
    else:
        del node[keys[-1]]


def write(documents):
    # JSON is YAML, and every key can be found by its line.
    return "".join("---\n" + json.dumps(each, indent=1, ensure_ascii=False) + "\n"
                   for each in documents)


def lines_of(name):
    """The lines of a table; one that begins with blanks continues with the line above it."""
    lines = []
    for line in (HERE / name).read_text().splitlines():
        if line.startswith("    "):
            lines[-1] += " " + line.strip()
        elif line and not line.startswith("#"):
            lines.append(line)
    return lines


def case_lines(minor):
    """The cases of all versions, and those of what came up to this one."""
    for path in sorted(HERE.glob("cases*.txt")):
        since = re.fullmatch(r"cases-1\.(\d+)", path.stem)
        if not since or int(since[1]) <= minor:
            yield from lines_of(path.name)


def read_cases(minor, pems, all_modes):
    for line in case_lines(minor):
        title = line
        strict = line.startswith("strict ")
        line = line.removeprefix("strict ")
        for word, pem in pems.items():
            line = line.replace(word, json.dumps(pem)[1:-1])
        if line.startswith("text: "):
            text = line.removeprefix("text: ").replace("\\n", "\n")
            modes = MODES[:1]
        else:
            kind, *operations = line.split(" ;; ")
            documents = base(kind)
            for operation in operations:
                change(documents, operation)
            text = write(documents)
            asks_mode = re.search(r"install|features|hostDNS|^t?(cp|worker)$|machine-", line)
            whole = kind != "none" or "hostDNS" in line
            modes = MODES if whole and (all_modes or asks_mode) else MODES[:1]
        for mode in modes:
            yield Run(title, text, mode, strict)


PLACES = {
    "disk": ("UserVolumeConfig", lambda e: {"provisioning": {"minSize": "1GB",
                                                             "diskSelector": {"match": e}}}),
    "volume": ("ExistingVolumeConfig", lambda e: {"discovery": {"volumeSelector": {"match": e}}}),
    "link": ("LinkAliasConfig", lambda e: {"selector": {"match": e}}),
    "oom": ("OOMConfig", lambda e: {"triggerExpression": e}),
    "rank": ("OOMConfig", lambda e: {"cgroupRankingExpression": e}),
}


def read_expressions():
    for number, line in enumerate(lines_of("expressions.txt")):
        place, _, expression = line.partition(" ")
        kind, fill = PLACES[place]
        document = {"apiVersion": "v1alpha1", "kind": kind}
        if kind != "OOMConfig":
            document["name"] = f"e{number}"
        yield line, document | fill(expression)


class Judges:
    def __init__(self, talos, folder):
        self.talosctl = tool(f"talosctl-{talos}")
        self.version = "v" + ".".join(talos.split(".")[:2])
        self.folder = pathlib.Path(folder)
        self.count = 0

    def file(self, text):
        self.count += 1
        path = self.folder / f"{self.count}.yaml"
        path.write_text(text)
        return path

    def ask(self, argv, strict):
        words = [str(word) for word in argv] + (["--strict"] if strict else [])
        done = subprocess.run(words, capture_output=True, text=True)
        return done.returncode, (done.stdout + done.stderr).strip()

    def real(self, path, mode, strict):
        return self.ask([self.talosctl, "validate", "--config", path, "--mode", mode], strict)

    def ours(self, path, mode, strict):
        return self.ask([ICHOR, "validate", "--config", path, "--mode", mode,
                         "--talos-version", self.version], strict)

    def compare(self, run):
        """What differs, as text; empty if nothing does."""
        path = self.file(run.text)
        real, real_says = self.real(path, run.mode, run.strict)
        ours, ours_says = self.ours(path, run.mode, run.strict)
        path.unlink()
        if ours not in (0, 3):
            verdict = f"ichor ended with {ours}"
        elif (real == 0) != (ours == 0):
            verdict = "talosctl accepts, ichor refuses" if real == 0 else (
                "talosctl refuses, ichor accepts")
        else:
            return ""
        return (f"{verdict} ({run.mode}{', strict' if run.strict else ''}): {run.title}\n"
                f"  talosctl: {' '.join(real_says.split())[:400]}\n"
                f"  ichor: {' '.join(ours_says.split())[:400]}")


def expression_runs(judges):
    """The expressions one by one for ichor. talosctl names every document that it refuses, so that
    it can be asked about many at once."""
    named, single = [], []
    for title, document in read_expressions():
        (named if "name" in document else single).append((title, document))
    path = judges.file(write([document for _, document in named]))
    _, says = judges.real(path, "metal", False)
    refused = set(re.findall(r"\* \w+/(e\d+):", says))
    differences = []
    for title, document in named:
        ours, ours_says = judges.ours(judges.file(write([document])), "metal", False)
        if ours not in (0, 3) or (document["name"] in refused) != (ours == 3):
            differences.append(f"expression: {title}\n  ichor: {ours} {ours_says[:300]}")
    if not refused:
        differences.append(f"talosctl refused no expression at all: {says[:300]}")
    return len(named), differences, [Run(title, write([document]), "metal", False)
                                     for title, document in single]


def make_pems(folder):
    """What stands for @CERTIFICATE@ and the like."""
    def openssl(*words):
        return subprocess.run(["openssl", *words], check=True, capture_output=True,
                              text=True).stdout

    key, certificate = pathlib.Path(folder) / "key.pem", pathlib.Path(folder) / "cert.pem"
    openssl("req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=test", "-keyout", key,
            "-out", certificate)
    return {"@CERTIFICATE@": certificate.read_text(), "@KEY@": key.read_text(),
            "@EC@": openssl("ecparam", "-genkey", "-noout", "-name", "prime256v1"),
            "@RSA@": openssl("genrsa", "-traditional", "2048")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--talos", required=True)
    parser.add_argument("--random", type=int, default=100)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--all-modes", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        judges = Judges(options.talos, folder)
        minor = int(options.talos.split(".")[1])
        runs = list(read_cases(minor, make_pems(folder), options.all_modes))
        cases = len({run.title for run in runs})
        expressions, differences, rest = expression_runs(judges)
        runs += rest
        for number in range(options.random):
            title = f"random {options.seed} {number}"
            chance = random.Random(f"{options.seed} {number}")
            documents, what = mutate.make(chance, minor)
            mode = chance.choice(MODES)
            runs.append(Run(f"{title}: {what}", write(documents), mode, chance.random() < 0.1))
        runs = [run for run in runs if options.only in run.title]
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
            differences += [each for each in pool.map(judges.compare, runs) if each]
    for difference in differences:
        print(difference)
    print(f"{cases} cases, {expressions + len(rest)} expressions, {options.random} random configs"
          f" (seed {options.seed}), {len(runs) + expressions} comparisons with talosctl"
          f" {options.talos}: {len(differences)} differ")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
