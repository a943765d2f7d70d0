#!/usr/bin/python3
"""Tests of tools/tidy: each builds a tree of a few files and says what must be found in it."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
LOADER = importlib.machinery.SourceFileLoader(
    "tidy", str(pathlib.Path(__file__).resolve().parent / "tidy"))
tidy = importlib.util.module_from_spec(importlib.util.spec_from_loader("tidy", LOADER))
sys.modules["tidy"] = tidy
LOADER.exec_module(tidy)

CMAKE = """\
ichor_library(base)
ichor_library(model DEPS base)
ichor_library(port DEPS model)
ichor_library(engine DEPS port
    TEST_DEPS sim)
ichor_library(os DEPS port)
ichor_library(journal DEPS port PACKAGES SQLite::SQLite3)
ichor_library(sim FOLDER sim DEPS engine LABEL sim)
"""

HEADER = "#pragma once\n"


def findings(files: dict) -> list:
    return tidy.check({"CMakeLists.txt": CMAKE, **files})


def rules(files: dict) -> list:
    return [finding.rule for finding in findings(files)]


def in_engine(code: str) -> list:
    return rules({"src/engine/run.cc": code})


def body(lines: int) -> str:
    """A function of so many lines."""
    return "int f() {\n" + "  g();\n" * (lines - 2) + "}\n"


class Includes(unittest.TestCase):
    def test_a_folder_sees_its_deps_and_theirs(self):
        self.assertEqual([], rules({
            "src/base/check.h": HEADER,
            "src/engine/run.cc": '#include "base/check.h"\n'}))

    def test_a_folder_does_not_see_what_stands_above_it(self):
        found = findings({"src/engine/run.h": HEADER, "src/model/node.cc": '#include "engine/run.h"\n'})
        self.assertEqual(["src/model/node.cc:1: include-direction: model must not include engine "
                          "(use a port, or change the list in CMakeLists.txt)"],
                         [str(finding) for finding in found])

    def test_adapters_do_not_see_each_other(self):
        self.assertEqual(["include-direction"], rules({
            "src/os/file.h": HEADER, "src/journal/store.cc": '#include "os/file.h"\n'}))

    def test_only_a_test_sees_the_test_deps(self):
        files = {"sim/clock.h": HEADER, "src/engine/run.h": HEADER, "sim/use.cc":
                 '#include "engine/run.h"\n#include "sim/clock.h"\n'}
        use = '#include "sim/clock.h"\n'
        self.assertEqual([], rules({**files, "src/engine/run_test.cc": use}))
        self.assertEqual(["include-direction"], rules({**files, "src/engine/run.cc": use}))

    def test_the_composition_root_sees_everything(self):
        self.assertEqual([], rules({
            "src/os/file.h": HEADER, "src/main.cc": '#include "os/file.h"\n'}))

    def test_paths_start_at_the_root(self):
        self.assertEqual(["include-path"], rules({
            "src/base/check.h": HEADER,
            "src/base/check.cc": '#include "check.h"\n',
            "src/base/use.cc": '#include "base/check.h"\n'}))

    def test_an_include_in_a_comment_is_none(self):
        self.assertEqual([], in_engine('// #include "none.h"\n/*\n#include "none.h"\n*/\n'))

    def test_a_library_declares_its_deps_after_them(self):
        found = tidy.check({"CMakeLists.txt": "ichor_library(a DEPS b)\nichor_library(b DEPS a)\n"})
        self.assertEqual(["library-table"], [finding.rule for finding in found])

    def test_nothing_is_built_on_an_adapter(self):
        cmake = CMAKE + "ichor_library(command DEPS engine journal)\n"
        found = tidy.check({"CMakeLists.txt": cmake})
        self.assertIn("sees the adapter journal", found[0].message)


class Libraries(unittest.TestCase):
    def test_each_outside_library_has_its_door(self):
        self.assertEqual([], rules({"src/journal/store.cc": "#include <sqlite3.h>\n"}))
        self.assertEqual(["library"], in_engine("#include <sqlite3.h>\n"))
        self.assertEqual(["library"], in_engine("#include <grpcpp/channel.h>\n"))
        self.assertEqual(["library"], in_engine('#include "machine/machine.grpc.pb.h"\n'))

    def test_the_pure_part_has_no_files_and_no_threads(self):
        for header in ("fstream", "filesystem", "thread", "mutex", "unistd.h", "sys/socket.h"):
            self.assertEqual(["pure"], in_engine(f"#include <{header}>\n"), header)
        self.assertEqual([], rules({"src/os/file.cc": "#include <fstream>\n"}))

    def test_a_test_may_read_golden_files(self):
        self.assertEqual([], rules({
            "src/engine/run.cc": "", "src/engine/run_test.cc": "#include <fstream>\n"}))


class Bans(unittest.TestCase):
    def test_each_ban_bites(self):
        for code in ("auto t = std::chrono::system_clock::now();", "steady_clock::now();",
                     "long t = time(nullptr);", "std::time(0);", "usleep(5);", "sleep(1);",
                     "std::this_thread::sleep_for(x);", "int i = rand();", "std::rand();",
                     "std::random_device d;", 'getenv("HOME");', "std::cout << 1;", 'printf("x");',
                     'std::fprintf(stderr, "x");', 'system("ls");', 'popen("ls", "r");',
                     "strcpy(a, b);", 'sprintf(a, "x");', "atoi(s);", "assert(x);",
                     "using namespace std;"):
            self.assertEqual(["ban"], in_engine(code + "\n"), code)

    def test_names_that_only_look_alike_pass(self):
        for code in ("co_await sleep_for(context, delay);", "clock.sleep(1);", "node->time(0);",
                     "Duration time() const;", "uptime(0);", "static_assert(x);", "random.next();",
                     "operand(1);", "fmt::format(x);", "std::snprintf(a, 2, b);",
                     "Subsystem system_of(x);", "model::system(x);", "int x = 1'000'000;"):
            self.assertEqual([], in_engine(code + "\n"), code)

    def test_comments_and_strings_pass(self):
        for code in ("// never call rand() or getenv(x)", "/* assert(x)\n   system(x) */",
                     'auto s = "time(0) \\" sleep(1)";', "char c = '\"'; // rand()",
                     'auto r = R"x(\nassert(true) " )" rand()\n)x";'):
            self.assertEqual([], in_engine(code + "\n"), code)

    def test_code_after_a_string_is_code_again(self):
        found = findings({"src/engine/run.cc": 'auto r = R"(\n)";\nint c = \'"\';\nrand();\n'})
        self.assertEqual([(4, "ban")], [(finding.line, finding.rule) for finding in found])

    def test_the_replacement_is_named(self):
        found = findings({"src/engine/run.cc": "rand();\n"})
        self.assertIn("use the Random of port/random.h instead", found[0].message)

    def test_the_named_folders_are_exempt(self):
        self.assertEqual([], rules({"src/os/clock.cc": "std::chrono::steady_clock::now();\n"}))
        self.assertEqual([], rules({"src/main.cc": 'getenv("HOME");\n'}))


class Words(unittest.TestCase):
    def words(self, path, text):
        return [(finding.line, finding.message) for finding in findings({path: text})
                if finding.rule == "word"]

    def test_comments_strings_and_names_of_tests_are_read(self):
        for code in ("// begun anew\n", '/* it was\n told */\n', 'auto s = "nobody listens";\n',
                     "TEST(Run, StartsAnew) {\n", "TEST_F(Run, is_mended_again) {\n",
                     "TYPED_TEST(Run, NobodyAsks) {\n", 'auto s = R"(he waits)";\n'):
            self.assertNotEqual([], self.words("src/engine/run.cc", code), code)

    def test_identifiers_are_free(self):
        for code in ("bool told = begun;\n", "nobody.mend();\n", "TEST(Run, HasANewBoot) {\n",
                     'auto s = "the operator";\n', "// shallow, the mendacious\n"):
            self.assertEqual([], self.words("src/engine/run.cc", code), code)

    def test_each_word_and_phrase_bites(self):
        for text in ("Nobody", "somebody's", "mends", "you shall", "is told", "tells of it",
                     "himself", "it is no whole number", "x is no IP address", "comes to nothing",
                     "by your word", "is there already"):
            self.assertEqual(1, len(self.words("docs/x.md", text + "\n")), text)

    def test_what_only_looks_alike_passes(self):
        for text in ("there is no address", "the number is not set", "a shell", "the anew1"):
            self.assertEqual([], self.words("docs/x.md", text + "\n"), text)

    def test_the_line_and_the_replacement_are_named(self):
        self.assertEqual([(2, "anew (write again)")],
                         self.words("src/engine/run.cc", "int x;\n// anew\n"))
        self.assertEqual([(3, "Anew (write again)")],
                         self.words("src/engine/run.cc", "int x;\n\nTEST(Run, AFewBeginAnew) {\n"))

    def test_python_is_read_by_its_tokens(self):
        self.assertEqual([1], [line for line, _ in self.words("tools/x.py", '"""Told."""\n')])
        self.assertEqual([2], [line for line, _ in self.words("tools/x.py", "told = 1\n# anew\n")])
        self.assertEqual([1], [line for line, _ in self.words("a_test.py", "def test_nobody():\n")])
        self.assertEqual([], self.words("tools/x.py", 'print(f"{told} of {told}")\n'))

    def test_what_others_dictate_is_exempt(self):
        self.assertEqual([], self.words("CHANGELOG.md", "begun anew\n"))
        self.assertEqual([], self.words("tests/x/recordings/a.yaml", "nobody\n"))
        self.assertEqual([], self.words("docs/x.md", "`patch.nobody`\n"))


class Layout(unittest.TestCase):
    def test_lines(self):
        self.assertEqual(["columns"], in_engine("x" * 101 + "\n"))
        self.assertEqual([], in_engine("ä" * 100 + "\n"))
        self.assertEqual(["tab"], in_engine("\tx;\n"))
        self.assertEqual(["white-space"], in_engine("x; \n"))
        self.assertEqual(["newline"], in_engine("x;"))
        self.assertEqual([], rules({"Makefile": "all:\n\ttrue\n"}))

    def test_golden_data_is_left_as_recorded(self):
        self.assertEqual([], rules({"tests/golden/stages.txt": "\tx " + "y" * 200}))

    def test_headers_have_pragma_once(self):
        self.assertEqual(["pragma-once"], rules({
            "src/base/a.h": "// #pragma once\n", "src/base/b.cc": '#include "base/a.h"\n'}))

    def test_unfinished_work_is_not_left_as_a_mark(self):
        self.assertEqual(["leftover"], in_engine("// TO" "DO: later\n"))
        self.assertEqual([], in_engine("// mktemp XX" "XXXX\n"))


class Length(unittest.TestCase):
    def test_files(self):
        self.assertEqual([], in_engine("x;\n" * 500))
        self.assertEqual(["length"], in_engine("x;\n" * 501))

    def test_functions(self):
        self.assertEqual([], in_engine(body(70)))
        self.assertEqual(["length"], in_engine(body(71)))
        two = body(60) + body(60)
        self.assertEqual([], in_engine("namespace a {\n" + two + "}  // namespace a\n"))

    def test_a_long_member_function_is_found_in_a_long_class(self):
        inner = "".join("  " + line + "\n" for line in body(80).splitlines())
        found = findings({"src/engine/run.cc": "class A {\n public:\n" + inner + "};\n"})
        self.assertEqual([(3, "src/engine/run.cc:f has 80 lines (use at most 70)")],
                         [(finding.line, finding.message) for finding in found])

    def test_a_long_block_is_reported_once_with_its_function(self):
        block = "  if (x) {\n" + "    g();\n" * 80 + "  }\n"
        self.assertEqual(["length"], in_engine("int f(int a,\n      int b) {\n" + block + "}\n"))

    def test_the_ratchet_lets_a_known_file_only_shrink(self):
        def with_lines(count, entry):
            return [finding.message for finding in findings({
                "src/engine/run.cc": "x;\n" * count, tidy.RATCHET: f"# why\n{entry}\n"})]
        self.assertEqual([], with_lines(600, "600 src/engine/run.cc"))
        self.assertEqual(["src/engine/run.cc grew from 600 to 601 lines"],
                         with_lines(601, "600 src/engine/run.cc"))
        self.assertEqual(["src/engine/run.cc shrank to 550 lines (write 550)"],
                         with_lines(550, "600 src/engine/run.cc"))
        self.assertEqual(["src/engine/run.cc shrank to 500 lines (remove its line)"],
                         with_lines(500, "600 src/engine/run.cc"))
        self.assertEqual(["src/engine/old.cc is gone (remove its line)"],
                         with_lines(1, "600 src/engine/old.cc"))


class Dead(unittest.TestCase):
    def test_a_header_needs_a_user_besides_its_own_files(self):
        own = {"src/base/a.h": HEADER, "src/base/a.cc": '#include "base/a.h"\n',
               "src/base/a_test.cc": '#include "base/a.h"\n'}
        self.assertEqual(["dead-header"], rules(own))
        self.assertEqual([], rules({**own, "src/base/b.cc": '#include "base/a.h"\n'}))

    def test_a_test_stands_beside_its_subject(self):
        subject = {"src/base/a.cc": "x;\n", "src/port/journal.h": HEADER,
                   "src/os/use.cc": '#include "port/journal.h"\n'}
        for test in ("src/base/a_test.cc", "src/base/a_hot_test.cc", "src/journal/journal_test.cc",
                     "src/model/model_test.cc"):
            self.assertEqual([], rules({**subject, test: "x;\n"}), test)
        for test in ("src/base/b_test.cc", "src/base/ab_test.cc", "src/model/a_test.cc"):
            self.assertEqual(["test-name"], rules({**subject, test: "x;\n"}), test)

    def test_a_source_belongs_to_a_library(self):
        self.assertEqual(["no-library"], rules({"src/util/a.cc": "x;\n"}))


class Paths(unittest.TestCase):
    def in_readme(self, text):
        return rules({"README.md": text + "\n", "src/base/a.cc": "x;\n", "tools/setup": "true\n"})

    def test_what_exists_may_be_named(self):
        for text in ("`src/base/a.cc`", "`src/base/`", "`src/base/a.cc:12`", "`base/a.cc`",
                     "`src/*/a.cc`", "`tools/setup --help`", "[a](src/base/a.cc)"):
            self.assertEqual([], self.in_readme(text), text)

    def test_what_does_not_exist_may_not(self):
        for text in ("`src/base/b.cc`", "`src/none/`", "`base/b.cc`", "`tools/none --help`",
                     "[b](src/base/b.cc)"):
            self.assertEqual(["path"], self.in_readme(text), text)

    def test_other_words_are_no_paths(self):
        for text in ("`build/ichor`", "`src/<folder>/x.cc`", "`a/b`", "`--seeds 1..200`",
                     "[site](https://example.org/a)", "`src/later.cc` <!-- tidy: absent -->"):
            self.assertEqual([], self.in_readme(text), text)

    def test_comments_are_checked_and_strings_are_not(self):
        self.assertEqual(["path"], in_engine("// See base/none.h.\n"))
        self.assertEqual([], in_engine("// One docs/PAGE.md for each.\n"))
        self.assertEqual([], in_engine('auto s = "base/none.h";  // real-base/none.h\n'))


if __name__ == "__main__":
    unittest.main()
