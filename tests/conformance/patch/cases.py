"""Every case of cases.yaml with ichor and with talosctl, and of what came up to its version
(cases-1.14.yaml).

A case that is known to differ says why under `differs`; it fails when it no longer differs, so that
the list stays true."""

import re
import sys

import yaml
from compare import HERE, Bench
import talos

BASES = {
    "rich": HERE / "rich.yaml",
    "documents": HERE / "documents.yaml",
    "typed": HERE / "typed.yaml",
    "single": talos.ROOT / "tests/golden/gen-config/contract-1.8/controlplane.yaml",
}


def cases_of(version):
    minor = int(version.split(".")[1])
    for path in sorted(HERE.glob("cases*.yaml")):
        since = re.fullmatch(r"cases-1\.(\d+)", path.stem)
        if not since or int(since[1]) <= minor:
            yield from yaml.safe_load(path.read_text())


def main(version, only=None):
    bench = Bench(version)
    bases = {name: path.read_text() for name, path in BASES.items()}
    bases["twice"] = bases["documents"] + "---\n" + bases["documents"]
    cases = list(cases_of(version))
    cases = [case for case in cases if not only or only in case["name"]]
    failed = known = 0
    pairs = [(bases[case["base"]], case["patches"]) for case in cases]
    for case, found in zip(cases, bench.compare_all(pairs)):
        listed = case.get("differs")
        if isinstance(listed, dict):
            listed = listed.get(version)
        if listed and found:
            known += 1
        elif found or listed:
            failed += 1
            print(f"{case['name']}:", *(found or ["does not differ any more"]), sep="\n    ")
    print(f"{len(cases)} patches against talosctl {version}: {failed} failed, {known} differ for a "
          "listed reason")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
