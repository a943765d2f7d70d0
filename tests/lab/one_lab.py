"""A lab that the tests of one class share."""

import subprocess
import tempfile
import unittest


def start(ichor, profile, lab):
    return subprocess.run([ichor, "lab", "start", "-p", profile, "--state", lab, "--time-scale",
                           "20", "--detach"], check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)


def stop(ichor, lab):
    """Also where the lab has ended already."""
    subprocess.run([ichor, "lab", "stop", "--state", lab], check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class OneLab(unittest.TestCase):
    """The tests of a class run in the order of their names and build on each other."""

    ichor: str
    profile: str

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.lab = cls.folder.name + "/lab"
        started = start(cls.ichor, cls.profile, cls.lab)
        if started.returncode != 0:
            raise RuntimeError(f"the lab did not start: {started.stderr}")

    @classmethod
    def tearDownClass(cls):
        stop(cls.ichor, cls.lab)
        cls.folder.cleanup()
