"""Runs the tests of the main module side by side: most of their time they wait for a lab."""

import concurrent.futures
import io
import sys
import unittest

AT_ONCE = 6


def stories():
    """What can run by itself: a class whose tests build on each other, else a single test."""
    module = sys.modules["__main__"]
    for suite in unittest.defaultTestLoader.loadTestsFromModule(module):
        tests = list(suite)
        in_order = tests and getattr(type(tests[0]), "in_order", False)
        yield from [tests] if in_order else [[test] for test in tests]


def run(tests):
    text = io.StringIO()
    result = unittest.TextTestRunner(stream=text, verbosity=2).run(unittest.TestSuite(tests))
    return result, text.getvalue()


def main():
    count, good = 0, True
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for done in concurrent.futures.as_completed([pool.submit(run, tests)
                                                     for tests in stories()]):
            result, text = done.result()
            print(text, file=sys.stderr, flush=True)
            count += result.testsRun
            good &= result.wasSuccessful()
    print(f"{count} tests: {'OK' if good else 'FAILED'}", file=sys.stderr)
    # No tests at all is a mistake of the file.
    sys.exit(0 if good and count else 1)
