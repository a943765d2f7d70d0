"""What the servers of real nodes say about the calls that ichor made.

apid and machined write a line for every call: the code, the method, the time it took, and the
client's headers. A request that a server cannot handle ends there as a panic, Internal, Unknown or
Unimplemented, and ichor may take that for "not served" and go on in another way, so that nothing
else shows the mistake. So every test reads these lines at its end.
"""

import re

CALL = re.compile(r"(?P<code>\w+) \[(?P<method>/[\w.]+/\w+)\]")
BAD_CODES = {"Internal", "Unknown", "Unimplemented"}
# Not "oops=panic" and its like of a kernel's command line.
PANIC = re.compile(r"(?<![=\w.])panic(?![=_])|segfault|nil pointer|runtime error", re.IGNORECASE)
CLIENT = "user-agent=ichor"

# What a node may say to ichor, and why.
EXPECTED = [
    # (code, method, part of the line, reason)
]


def is_expected(line, call):
    return any(code == call["code"] and method == call["method"] and text in line
               for code, method, text, _ in EXPECTED)


def complaints(text):
    """The lines of a log that ichor must not cause."""
    found = []
    for line in text.splitlines():
        call = CALL.search(line)
        ours = CLIENT in line
        bad = call and ours and call["code"] in BAD_CODES and not is_expected(line, call)
        # A panic of a call is logged with it or, by the kernel, on the console.
        if bad or (PANIC.search(line) and (ours or not call)):
            found.append(line)
    return found


def calls(text):
    """How often ichor made each call, by method."""
    counts = {}
    for line in text.splitlines():
        call = CALL.search(line)
        if call and CLIENT in line:
            counts[call["method"]] = counts.get(call["method"], 0) + 1
    return counts
