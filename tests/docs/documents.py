"""What the documents of the repository show: blocks of commands and output, links and headings."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Files in which commands and links are checked.
PATTERNS = ["*.md", "docs/**/*.md", "examples/**/*.md", "lab/*.md"]
HISTORY = {"CHANGELOG.md"}  # names commands and files that no longer exist


def documents():
    """All checked files, relative to the root."""
    found = {path.relative_to(ROOT) for pattern in PATTERNS for path in ROOT.glob(pattern)}
    return sorted(path for path in found if str(path) not in HISTORY)


def blocks(text):
    """(line number, kind, lines) of each block of code. The kind is the word after the fence, or
    "indented"."""
    fence, block, before = None, None, ""
    for number, line in enumerate(text.splitlines(), 1):
        opening = re.match(r" *(```+)(\w*)", line)
        if fence:
            if line.strip() == fence:
                yield block
                fence = block = None
            else:
                block[2].append(line)
        elif opening:
            if block:
                yield block
            fence, block = opening[1], (number, opening[2] or "fence", [])
        elif line.startswith("    ") and (block or is_start(before)):
            block = block or (number, "indented", [])
            block[2].append(line.strip())
        elif block and line.strip():
            yield block
            block = None
        before = line
    if block:
        yield block


def is_start(before):
    """An indented block starts after an empty line; in a list the text goes on instead."""
    return not before.strip()


def prose(text):
    """The text without its blocks of code, line by line, so that numbers of lines stay right."""
    fence, lines = None, []
    for line in text.splitlines():
        opening = re.match(r" *(```+)", line)
        is_code = fence is not None or opening is not None or line.startswith("    ")
        if fence and line.strip() == fence:
            fence = None
        elif not fence and opening:
            fence = opening[1]
        lines.append("" if is_code else line)
    return lines


def anchors(text):
    """The names of the headings, as code hosts make them."""
    names = set()
    for line in prose(text):
        heading = re.match(r"#+ +(.*)", line)
        if heading:
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            name = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
            count, unique = 0, name
            while unique in names:
                count += 1
                unique = f"{name}-{count}"
            names.add(unique)
    return names


def links(text):
    """(line number, target) of each link and picture."""
    for number, line in enumerate(prose(text), 1):
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            yield number, target
