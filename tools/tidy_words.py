"""The words that docs/STYLE.md bans, and where tools/tidy looks for them.

Looked at are documents, comments, our own string literals and the names of tests. Identifiers are
free, for `begun` and `told` are good names of variables. Exempt are texts that others dictate:
recordings, goldens of other programs, the history and what is listed in QUOTED.
"""

import fnmatch
import io
import re
import tokenize

# Files with words that are not ours to choose, and the files that list the banned words.
EXEMPT = ("CHANGELOG.md", "LICENSE", "docs/STYLE.md", "docs/measurements/*", "tools/go/*",
          "tools/tidy_words.py", "tools/tidy_test.py", "proto/*", "tests/regressions/*",
          "*/recordings/*", "*/recorded/*", "tests/conformance/patch/*", "sim/planted/*")

# Texts of other programs, and names that programs depend on.
QUOTED = re.compile(r"patch\.nobody|\$\{NOBODY\}|\blogs nobody\b")

BANNED = [
    (r"anew", "again"),
    (r"begun", "started"),
    (r"mend(?:s|ed|ing)?", "fix"),
    (r"shall", "must, or the present tense"),
    (r"told", "report, say or show, with the one who does it"),
    (r"tells? of", "report or show"),
    (r"nobody|somebody", "the program or person that does it"),
    (r"he|him|his|she|her|himself", "the program's name, or `it` and `they`"),
    (r"(?<!there )(?:is|are) no (?:\w+ ){0,2}(?:number|integer|id|name|address|range|file)s?",
     "`is not a …`"),
    (r"(?:come|comes|came) to nothing", "has no effect"),
    (r"by your word", "the flag that allows it"),
    (r"(?:is|are) there already", "already exists"),
]
PATTERN = re.compile("|".join(rf"(?P<w{at}>\b(?:{words})\b)" for at, (words, _) in
                              enumerate(BANNED)), re.IGNORECASE)

CPP_SUFFIXES = (".h", ".cc", ".inc", ".c")
PROSE_SUFFIXES = (".md", ".sh", ".yaml", ".yml", ".cmake", ".sql")
CPP_TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
FORMATTED = re.compile(r"(?<!\{)\{[^{}\n]*\}")  # what an f-string computes
PYTHON_TEST = re.compile(r"^\s*(?:def|class) (\w+)", re.MULTILINE)


def blanks(match: re.Match) -> str:
    return " " * len(match[0])


def words_of(name: str) -> str:
    """The words of an identifier in snake_case or CamelCase."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name).replace("_", " ")


def python_spans(text: str):
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in kinds:
                offset = starts[token.start[0] - 1] + token.start[1]
                yield offset, FORMATTED.sub(blanks, FORMATTED.sub(blanks, token.string))
    except (tokenize.TokenError, IndentationError):
        yield 0, text
    for match in PYTHON_TEST.finditer(text):
        if "test" in match[1].lower():
            yield match.start(1), words_of(match[1])


def spans(path: str, text: str, opaque: re.Pattern):
    """(offset, text) of everything in a file that people read."""
    is_python = path.endswith(".py") or text.startswith(("#!/usr/bin/python3",
                                                         "#!/usr/bin/env python3"))
    if path.endswith(CPP_SUFFIXES):
        for match in opaque.finditer(text):
            yield match.start(), match[0]
        for match in CPP_TEST.finditer(text):
            yield match.start(2), words_of(match[2])
    elif is_python:
        yield from python_spans(text)
    elif path.endswith(PROSE_SUFFIXES) or text.startswith("#!") or path == "Makefile":
        yield 0, text


def banned_words(path: str, text: str, opaque: re.Pattern):
    """(line, word, what to write instead) of every banned word or phrase in a file."""
    if any(fnmatch.fnmatchcase(path, pattern) for pattern in EXEMPT):
        return
    for offset, span in spans(path, text, opaque):
        for match in PATTERN.finditer(QUOTED.sub(blanks, span)):
            instead = BANNED[int(match.lastgroup[1:])][1]
            newlines = text.count("\n", 0, offset) + span.count("\n", 0, match.start())
            yield newlines + 1, match[0], instead


def rule_for(finding: type, opaque: re.Pattern):
    """The rule, as tools/tidy wants it. It hands in its own class and its pattern of strings."""
    def rule_words(tree):
        for file in tree.files.values():
            for line, word, instead in banned_words(file.path, file.text, opaque):
                yield finding(file.path, line, "word", f"{word} (write {instead})")
    return rule_words
