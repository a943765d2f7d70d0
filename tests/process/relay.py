#!/usr/bin/env python3
"""A cable between two network namespaces that does what bad cables do.

Usage: relay.py PID-NEAR PID-FAR [--delay MS] [--jitter MS] [--reorder %] [--duplicate %]
                [--corrupt %] [--loss %] [--seed N]

Makes a tap device `cable` in the namespaces of both processes and carries frames between them until
it is ended. These kernels have no netem, so this is the netem of the tests. ARP passes unharmed:
what is tried is IP. Prints "ready" when frames can pass, and counts when it ends.
"""

import argparse
import ctypes
import fcntl
import heapq
import os
import random
import select
import signal
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
ETHERTYPE_IP = b"\x08\x00"


def enter(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/proc/{pid}/ns/net", "rb") as namespace:
        if libc.setns(namespace.fileno(), 0) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter the network of process {pid}")


def tap(pid, address):
    enter(pid)
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", b"cable", IFF_TAP | IFF_NO_PI))
    for words in (["addr", "add", address, "dev", "cable"], ["link", "set", "cable", "up"]):
        subprocess.run(["ip", *words], check=True)
    return device


class Cable:
    def __init__(self, options):
        self.options = options
        self.chance = random.Random(options.seed)
        self.waiting = []  # (when, order, device, frame)
        self.order = 0
        self.counts = {"frames": 0, "lost": 0, "duplicated": 0, "reordered": 0, "corrupted": 0}

    def strikes(self, what, percent):
        struck = self.chance.uniform(0, 100) < percent
        self.counts[what] += struck
        return struck

    def put(self, frame, device, now):
        """Decides what becomes of a frame on its way to `device`."""
        self.counts["frames"] += 1
        delay = 0.0
        if frame[12:14] == ETHERTYPE_IP:
            options = self.options
            if self.strikes("lost", options.loss):
                return
            delay = (options.delay + self.chance.uniform(-options.jitter, options.jitter)) / 1000
            if self.strikes("reordered", options.reorder):
                delay = 0.0
            if self.strikes("corrupted", options.corrupt):
                broken = bytearray(frame)
                broken[self.chance.randrange(34, len(broken))] ^= 1 << self.chance.randrange(8)
                frame = bytes(broken)
            if self.strikes("duplicated", options.duplicate):
                self.queue(now + max(delay, 0) * 1.5, device, frame)
        self.queue(now + max(delay, 0), device, frame)

    def queue(self, when, device, frame):
        self.order += 1
        heapq.heappush(self.waiting, (when, self.order, device, frame))

    def deliver(self, now):
        while self.waiting and self.waiting[0][0] <= now:
            _, _, device, frame = heapq.heappop(self.waiting)
            try:
                os.write(device, frame)
            except OSError:
                self.counts["lost"] += 1

    def run(self, near, far):
        other = {near: far, far: near}
        while True:
            now = time.monotonic()
            self.deliver(now)
            pause = max(self.waiting[0][0] - now, 0) if self.waiting else 1.0
            for device in select.select([near, far], [], [], pause)[0]:
                for _ in range(64):
                    try:
                        frame = os.read(device, 65536)
                    except BlockingIOError:
                        break
                    self.put(frame, other[device], time.monotonic())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("near", type=int)
    parser.add_argument("far", type=int)
    for name in ("delay", "jitter", "reorder", "duplicate", "corrupt", "loss"):
        parser.add_argument(f"--{name}", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    near = tap(options.near, "10.9.0.1/30")
    far = tap(options.far, "10.9.0.2/30")
    cable = Cable(options)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print("ready", flush=True)
    try:
        cable.run(near, far)
    finally:
        print(" ".join(f"{key}={value}" for key, value in cable.counts.items()), flush=True)


if __name__ == "__main__":
    main()
