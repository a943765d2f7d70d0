"""A lab that the tests of one class share, and how fast the time of a lab passes."""

import pathlib
import re
import subprocess
import tempfile
import unittest

# A whole bring-up takes four minutes of a lab's time, and next to nothing of a processor's.
SCALE = 60


def start(ichor, profile, lab, scale=SCALE, more=()):
    return subprocess.run([ichor, "lab", "start", "-p", profile, "--state", lab, "--time-scale",
                           str(scale), "--detach", *more], check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)


def stop(ichor, lab):
    """Also where the lab has ended already."""
    subprocess.run([ichor, "lab", "stop", "--state", lab], check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def loopback_addresses(lab):
    """Where other programs reach the nodes of a lab, in the order of the profile: its talosconfig
    lists them. And the talosconfig."""
    config = next(pathlib.Path(lab).rglob("talosconfig"))
    listed = config.read_text().split("nodes:", 1)[1]
    return re.findall(r"- (127[0-9.]+)", listed), str(config)


class OneLab(unittest.TestCase):
    """The tests of a class run in the order of their names and build on each other."""

    ichor: str
    profile: str
    scale = SCALE
    in_order = True

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.lab = cls.folder.name + "/lab"
        started = start(cls.ichor, cls.profile, cls.lab, cls.scale)
        if started.returncode != 0:
            raise RuntimeError(f"the lab did not start: {started.stderr}")

    @classmethod
    def tearDownClass(cls):
        stop(cls.ichor, cls.lab)
        cls.folder.cleanup()
