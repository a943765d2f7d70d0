"""What the parts about machine configs share: the two programs, and when two configs are equal."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def reexec_with_yaml():
    """Goes on in a Python that has PyYAML."""
    try:
        import yaml  # noqa: F401
    except ImportError:
        shown = subprocess.run([ROOT / "tools/real-tools", "jinja2"], capture_output=True,
                               text=True)
        if shown.returncode != 0:
            print("PyYAML cannot be had")
            sys.exit(77)
        python = shown.stdout.strip()
        os.execv(python, [python, *sys.argv])


def ichor():
    return os.environ.get("ICHOR", str(ROOT / "build/ichor"))


def talosctl(version):
    shown = subprocess.run([ROOT / "tools/real-tools", f"talosctl-{version}"], capture_output=True,
                           text=True)
    if shown.returncode != 0:
        print(shown.stderr)
        print(f"talosctl {version} cannot be built here")
        sys.exit(77)
    return shown.stdout.strip()


def run(argv, **options):
    return subprocess.run([str(word) for word in argv], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=120, **options)


def documents(text):
    """A config by what its documents are called. Order does not count."""
    import yaml

    class Reader(yaml.SafeLoader):
        pass

    # Dates stay texts; nothing else of YAML 1.1 is written by either program without quotes.
    Reader.yaml_implicit_resolvers = {
        first: [(tag, rule) for tag, rule in rules if tag != "tag:yaml.org,2002:timestamp"]
        for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()}
    found = {}
    for document in yaml.load_all(text, Reader):
        if document is None:
            continue
        key = (document.get("apiVersion"), document.get("kind"),
               document.get("name") if "kind" in document else None)
        assert key not in found, f"{key} appears twice"
        found[key] = document
    return found


def differences(ours, theirs, path=""):
    """Where two trees differ, as lines."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(set(ours) | set(theirs), key=str):
            where = f"{path}.{key}"
            if key not in ours:
                yield f"{where}: only talosctl has {shown(theirs[key])}"
            elif key not in theirs:
                yield f"{where}: only ichor has {shown(ours[key])}"
            else:
                yield from differences(ours[key], theirs[key], where)
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, (one, other) in enumerate(zip(ours, theirs)):
            yield from differences(one, other, f"{path}[{index}]")
    elif type(ours) is not type(theirs) or ours != theirs:
        yield f"{path}: ichor {shown(ours)}, talosctl {shown(theirs)}"


def shown(value):
    text = repr(value)
    return text if len(text) <= 80 else text[:80] + "..."
