"""Programs of tools/real-tools for parts that cannot run without them."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def path_of(name):
    """Builds the tool unless it is there. A part whose tool cannot be built here is skipped."""
    built = subprocess.run([ROOT / "tools/real-tools", name], capture_output=True, text=True,
                           check=False)
    if built.returncode != 0:
        print(f"{name} cannot be built here: {(built.stderr.splitlines() or ['no word why'])[-1]}")
        sys.exit(SKIPPED)
    return pathlib.Path(built.stdout.split()[-1])
