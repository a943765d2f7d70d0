"""The Debian packages that build/ichor is made of, as this machine has them."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def output(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def installed():
    """Every package of this machine and its version."""
    text = output("dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Package} ${Version}\n")
    return {line.split()[1]: line.split()[2] for line in text.splitlines() if line[:2] == "ii"}


def owner_of(path):
    """The package that a file belongs to; below /lib it may be known by its place below /usr."""
    resolved = str(pathlib.Path(path).resolve())
    for place in (path, resolved, "/usr" + path, "/usr" + resolved):
        if owner := output("dpkg", "-S", place):
            return owner.split(":")[0]
    return None


def loaded(program):
    """The packages of the libraries that the program loads."""
    paths = re.findall(r"=> (/\S+)", output("ldd", str(program)))
    return {owner for path in paths if (owner := owner_of(path))}


def built_of():
    """The packages of the product's libraries: linked into it, or headers only."""
    text = (ROOT / "tools" / "packages.txt").read_text(encoding="utf-8")
    part = text.split("# Libraries of the product.\n")[1].split("\n\n")[0]
    return {line.split()[0] for line in part.splitlines() if line.strip()}
