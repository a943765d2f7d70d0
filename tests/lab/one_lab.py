"""A lab that the tests of one class share."""

import subprocess
import tempfile
import unittest


class OneLab(unittest.TestCase):
    """The tests of a class run in the order of their names and build on each other."""

    ichor: str
    profile: str

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.lab = cls.folder.name + "/lab"
        subprocess.run([cls.ichor, "lab", "start", "-p", cls.profile, "--state", cls.lab,
                        "--time-scale", "20", "--detach"], check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        subprocess.run([cls.ichor, "lab", "stop", "--state", cls.lab], check=False,
                       stdout=subprocess.DEVNULL)
        cls.folder.cleanup()
