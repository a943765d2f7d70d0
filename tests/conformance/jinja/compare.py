"""Compares `ichor render` with jinja2 on the same templates. Run by parts.d/40-jinja with a Python
that has jinja2 and PyYAML.

usage: compare.py ICHOR FOLDER [--random N] [--seed S]

Every case of FOLDER/*.yaml is rendered by both. Where jinja2 gives a text, ichor must give the same
bytes; where it raises, ichor must exit with 3. A case with `differs` is one where ichor refuses on
purpose what jinja2 takes; so it does with what Python prints with its address. Then N templates
are drawn from a small grammar and compared too.
"""

import argparse
import concurrent.futures
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import jinja2
import yaml

import grammar

MAKEJINJA = {"block_start_string": "#%", "block_end_string": "%#", "variable_start_string": "#{",
             "variable_end_string": "}#", "comment_start_string": "#|", "comment_end_string": "#|",
             "keep_trailing_newline": True}
FLAGS = ("trim_blocks", "lstrip_blocks", "keep_trailing_newline")


def by_jinja2(case):
    """("text", bytes) or ("error", what)."""
    options = dict(case["options"])
    settings = MAKEJINJA if options.pop("delimiters", "jinja") == "makejinja" else {}
    settings = {**settings, **options}
    if "comment_end" in case:
        settings["comment_end_string"] = case["comment_end"]
    env = jinja2.Environment(undefined=jinja2.StrictUndefined, loader=jinja2.DictLoader(
        case["files"]), extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"], **settings)
    try:
        variables = json.loads(json.dumps(case["vars"]))
        return "text", env.from_string(case["template"]).render(variables).encode()
    except Exception as error:  # whatever Python raises is jinja2's answer
        return "error", f"{type(error).__name__}: {error}"


def by_ichor(ichor, case):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path, text in case["files"].items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, newline="")
        (folder / "main.j2").write_text(case["template"], newline="")
        # JSON is YAML, so the variables have the same types for both.
        (folder / "vars.yaml").write_text(json.dumps(case["vars"]))
        options = dict(case["options"])
        flags = ["--delimiters", options.pop("delimiters", "jinja")]
        flags += ["--" + flag.replace("_", "-") for flag in FLAGS if options.get(flag)]
        done = subprocess.run([ichor, "render", str(folder / "main.j2"), "--vars",
                               str(folder / "vars.yaml"), *flags], capture_output=True, timeout=60)
    if done.returncode == 0:
        return "text", done.stdout
    return ("error" if done.returncode == 3 else "crash"), done.stderr.decode(errors="replace")


def read_cases(folder):
    for path in sorted(folder.glob("*.yaml")):
        group = yaml.safe_load(path.read_text())
        for number, entry in enumerate(group["cases"], 1):
            entry = {"template": entry} if isinstance(entry, str) else dict(entry)
            entry.setdefault("vars", group.get("vars", {}))
            entry.setdefault("files", group.get("files", {}))
            sets = [dict(group.get("options", {}), **entry.get("options", {}))]
            if group.get("all_options"):
                sets = [{flag: True for flag, on in zip(FLAGS, choice) if on}
                        for choice in itertools.product((False, True), repeat=len(FLAGS))]
            for options in sets:
                yield dict(entry, options=options, name=f"{path.stem} {number} {options}")


def drawn_cases(count, seed):
    for number in range(count):
        source = grammar.Grammar(random.Random(f"{seed}-{number}"))
        yield {"template": source.template(), "vars": grammar.VARIABLES, "files": {},
               "options": source.options(), "name": f"random {seed}-{number}"}


def judge(ichor, case):
    """What is wrong with a case, or an empty text; and whether jinja2 gave a text."""
    wanted, got = by_jinja2(case), by_ichor(ichor, case)
    prints_address = wanted[0] == "text" and b" object at 0x" in wanted[1]
    if "differs" in case or prints_address:
        agrees = wanted[0] == "text" and got[0] == "error"
    else:
        agrees = wanted == got if wanted[0] == "text" else got[0] == "error"
    if agrees:
        return "", wanted[0]
    return (f"{case['name']}\n  template: {case['template']!r}\n  jinja2: {wanted}\n"
            f"  ichor:  {got}"), wanted[0]


def run(ichor, cases, label):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda case: judge(ichor, case), cases))
    for problem in [problem for problem, _ in results if problem][:20]:
        print(problem)
    failed = sum(1 for problem, _ in results if problem)
    texts = sum(1 for _, kind in results if kind == "text")
    print(f"{label}: {len(results)} compared ({texts} texts, {len(results) - texts} errors), "
          f"{failed} different")
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ichor")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--random", type=int, default=500)
    parser.add_argument("--seed", default="1")
    arguments = parser.parse_args()
    print("jinja2", jinja2.__version__)
    failed = run(arguments.ichor, list(read_cases(arguments.folder)), "cases")
    failed += run(arguments.ichor, list(drawn_cases(arguments.random, arguments.seed)),
                  f"random templates (seed {arguments.seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
