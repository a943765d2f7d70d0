"""h2spec against a server of ours: which of its cases pass, and why the others cannot.

h2spec sends requests that are no gRPC calls. A gRPC server refuses those with its first frame, as
grpc-go does, so many of its cases meet a stream that has ended already.
"""

import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree

GROUPS = {"Generic": "generic", "Hypertext": "http2", "HPACK": "hpack"}
# For cases that must pass: only a server that does not answer at all takes so long.
PATIENCE_S = 60

NO_BODY = "a gRPC server's refusal is one HEADERS frame, and h2spec waits for DATA"
ENDED = ("the request is no gRPC call, so its stream was answered and is forgotten when the case "
         "continues; with a gRPC call it passes")
FORGOTTEN = "nghttp2 ignores frames on a stream that it has forgotten"
OLD_ID = "nghttp2 takes a lower stream identifier for that of a stream that has ended"
# Every case that does not pass, with the reason.
EXPECTED = {
    "generic/2/2": NO_BODY,
    "generic/2/3": NO_BODY,
    "http2/5.1/5": FORGOTTEN,
    "http2/5.1/6": FORGOTTEN,
    "http2/5.1/8": FORGOTTEN,
    "http2/5.1/9": FORGOTTEN,
    "http2/5.1/11": FORGOTTEN,
    "http2/5.1/12": FORGOTTEN,
    "http2/5.1.1/2": OLD_ID,
    "http2/5.1.2/1": "every request is refused at once, so there are never too many streams",
    "http2/6.1/2": FORGOTTEN,
    "http2/6.1/3": ENDED,
    "http2/6.5.3/1": NO_BODY,
    "http2/6.9/2": ENDED,
    "http2/6.9.1/1": NO_BODY,
    "http2/6.9.1/3": ENDED,
    "http2/6.9.2/1": NO_BODY,
    "http2/6.9.2/2": NO_BODY,
    "http2/8.1/1": ENDED,
    "http2/8.1.2.1/3": ENDED,
    "http2/8.1.2.6/1": ENDED,
    "http2/8.1.2.6/2": ENDED,
}


def all_cases(program):
    """{"http2/5.1/5": title} of every case that h2spec has."""
    shown = subprocess.run([program, "--dryrun"], capture_output=True, text=True, check=True)
    found, group, section = {}, "", ""
    for line in shown.stdout.splitlines():
        if line and not line.startswith(" "):
            group = GROUPS[re.split(r"\W", line)[0]]
        elif numbered := re.match(r"\s+((?:\d+\.)+) ", line):
            section = numbered[1].rstrip(".")
        elif case := re.match(r"\s+(\d+): (.*)", line):
            found[f"{group}/{section}/{case[1]}"] = case[2]
    return found


def play(program, host, port, cases, limit_s):
    """The titles of the cases that passed, with their section."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.xml"
        subprocess.run([program, "-t", "-k", "-h", host, "-p", str(port), "-o", str(limit_s), "-j",
                        report, *cases], stdout=subprocess.DEVNULL, check=False)
        return {(case.get("package"), case.get("classname"))
                for case in xml.etree.ElementTree.parse(report).iter("testcase") if len(case) == 0}


def judge(program, host, port):
    """Prints every case that is not as EXPECTED says, and gives their number."""
    titles = all_cases(program)
    wrong = [f"{case}: h2spec has no such case" for case in EXPECTED if case not in titles]
    passing = [case for case in titles if case not in EXPECTED]
    passed = play(program, host, port, passing, PATIENCE_S)
    passed |= play(program, host, port, sorted(EXPECTED), 1)
    for case, title in titles.items():
        good = (case.rpartition("/")[0], title) in passed
        if good and case in EXPECTED:
            wrong.append(f"{case} {title}: passes, so take it off the list ({EXPECTED[case]})")
        elif not good and case not in EXPECTED:
            wrong.append(f"{case} {title}: does not pass")
    for line in wrong:
        print(f"FAILED  {line}")
    for case, reason in EXPECTED.items():
        print(f"no      {case} {titles.get(case, '')}: {reason}")
    print(f"{len(titles)} cases, {len(EXPECTED)} of them cannot pass, {len(wrong)} wrong")
    return len(wrong)
