"""measured.py REPORT PROGRAM [ARGUMENT...]: runs a program and writes "STATUS PEAK_KIB" to REPORT.

The kernel counts what a process took before it started a program as that program's own, so a test
that holds hundreds of megabytes cannot start what it measures. This small process can. It passes
SIGTERM on.
"""

import os
import signal
import sys

started = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
signal.signal(signal.SIGTERM, lambda *_: os.kill(started, signal.SIGTERM))
_, status, usage = os.wait4(started, 0)
with open(sys.argv[1], "w", encoding="ascii") as report:
    report.write(f"{status} {usage.ru_maxrss}")
