#!/usr/bin/env python3
"""tools/terminal-picture turns a captured screen into text in an SVG: places, colours, escapes."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/terminal-picture"
LOADER = importlib.machinery.SourceFileLoader("terminal_picture", str(TOOL))
SPEC = importlib.util.spec_from_loader("terminal_picture", LOADER)
picture = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(picture)
SVG = "{http://www.w3.org/2000/svg}"


def texts(captures):
    root = xml.etree.ElementTree.fromstring(picture.picture_of(captures, "a <title>"))
    return [node for group in root.iter(f"{SVG}g") if "class" in group.attrib
            for node in group.iter(f"{SVG}text")]


class TerminalPicture(unittest.TestCase):
    def test_a_colour_holds_until_it_is_reset(self):
        runs, style = picture.runs_of("a\x1b[31mb\x1b[1mc\x1b[0md", {})
        self.assertEqual([(column, text) for column, text, _ in runs],
                         [(0, "a"), (1, "b"), (2, "c"), (3, "d")])
        self.assertEqual(runs[1][2]["colour"], picture.PALETTE[1])
        self.assertEqual((runs[2][2]["colour"], runs[2][2]["weight"]),
                         (picture.PALETTE[1], "bold"))
        self.assertEqual((runs[3][2], style), ({}, {}))

    def test_text_stands_in_its_column_and_is_escaped(self):
        (node,) = texts(["   <b> & \u2713"])
        self.assertEqual(node.text, "<b> & \u2713")
        self.assertEqual(float(node.attrib["x"]),
                         round(picture.BORDER + 3 * picture.CELL_WIDTH, 1))
        self.assertAlmostEqual(float(node.attrib["textLength"]), 7 * picture.CELL_WIDTH, 1)

    def test_a_long_line_is_cut_without_losing_text(self):
        line = " ".join(f"word{at}" for at in range(14))
        runs, _ = picture.runs_of(line, {})
        self.assertGreater(len(runs), 1)
        self.assertEqual("".join(text for _, text, _ in runs), line)
        self.assertEqual(runs[1][0], len(runs[0][1]))

    def test_the_last_screen_is_the_one_without_animation(self):
        drawing = picture.picture_of(["one", "two"], "t")
        self.assertIn('<g class="s0" opacity="0">', drawing)
        self.assertIn('<g class="s1" opacity="1">', drawing)
        self.assertNotIn("http", drawing.replace("http://www.w3.org/2000/svg", ""))


if __name__ == "__main__":
    unittest.main()
