#!/usr/bin/python3
"""Tests of tools/plant: each plants bugs into a small tree."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
LOADER = importlib.machinery.SourceFileLoader(
    "plant", str(pathlib.Path(__file__).resolve().parent / "plant"))
plant = importlib.util.module_from_spec(importlib.util.spec_from_loader("plant", LOADER))
sys.modules["plant"] = plant
LOADER.exec_module(plant)

SOURCE = """\
int tries(int limit) {
  if (limit < 1) return 1;
  return limit;
}
"""

MUTANT = """\
breaks: there is no limit
caught by: I14
faults: all
line: whole

file: src/tries.cc
<<<
  return limit;
===
  return mutant("no-limit") ? 1000 : limit;
>>>
"""


class Planting(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = pathlib.Path(place.name)
        (self.root / "sim/planted").mkdir(parents=True)
        (self.root / "src").mkdir()
        self.write("src/tries.cc", SOURCE)
        self.write("sim/planted/no-limit.mutant", MUTANT)

    def write(self, name, text):
        (self.root / name).write_text(text)

    def planted(self):
        return plant.plant(plant.load(self.root), self.root)

    def misfit(self):
        with self.assertRaises(plant.Misfit) as caught:
            self.planted()
        return str(caught.exception)

    def test_a_bug_takes_the_place_of_its_lines(self):
        text = self.planted()["src/tries.cc"]
        self.assertTrue(text.startswith(plant.SWITCH))
        self.assertIn('  return mutant("no-limit") ? 1000 : limit;\n}', text)
        self.assertNotIn("  return limit;", text)

    def test_the_tree_itself_stays_as_it_is(self):
        self.planted()
        self.assertEqual((self.root / "src/tries.cc").read_text(), SOURCE)

    def test_its_row_says_what_it_breaks_and_where_it_shows(self):
        self.assertEqual(plant.row(plant.load(self.root)[0]),
                         '    {"no-limit", "there is no limit", "I14", "all", Line::whole},\n')

    def test_two_bugs_share_a_file(self):
        self.write("sim/planted/any-limit.mutant", MUTANT.replace("no-limit", "any-limit").replace(
            "  return limit;\n", "  if (limit < 1) return 1;\n").replace("? 1000", "? 2"))
        text = self.planted()["src/tries.cc"]
        self.assertIn('mutant("any-limit")', text)
        self.assertIn('mutant("no-limit")', text)

    def test_lines_that_changed_are_named(self):
        self.write("src/tries.cc", SOURCE.replace("return limit", "return limit + 1"))
        self.assertEqual(self.misfit(), "no-limit: its lines occur 0 times in src/tries.cc: "
                                        "return limit;")

    def test_lines_that_occur_twice_are_named(self):
        self.write("src/tries.cc", SOURCE + SOURCE)
        self.assertIn("occur 2 times", self.misfit())

    def test_an_edit_that_is_cut_off_is_named_with_its_line(self):
        self.write("sim/planted/no-limit.mutant", MUTANT.replace(">>>\n", ""))
        self.assertIn("no-limit.mutant:5:", self.misfit())

    def test_a_bug_that_nothing_switches_on_is_named(self):
        self.write("sim/planted/no-limit.mutant", MUTANT.replace('"no-limit"', '"other"'))
        self.assertIn('mutant("no-limit")', self.misfit())

    def test_a_file_that_did_not_change_keeps_its_time(self):
        place = self.root / "out.cc"
        plant.write_changed(place, "x")
        before = place.stat().st_mtime_ns
        plant.write_changed(place, "x")
        self.assertEqual(place.stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
