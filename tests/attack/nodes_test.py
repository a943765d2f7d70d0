#!/usr/bin/env python3
"""`ichor discover` on a node that is hostile: whatever it answers before anybody could trust it,
ichor says so, stays small and can be stopped.

Usage: nodes_test.py ICHOR
"""

import os
import pathlib
import sys
import tempfile
import unittest
import zlib

import support
from hostile_node import HostileNode, message

ICHOR = os.path.abspath(sys.argv[1])
PORT = 50000

PROFILE = """name: attack
network: {{api_endpoint: {address}, node_cidr: 127.0.0.0/8, gateway: 127.0.0.1}}
talos: {{version: v1.12.6}}
nodes:
  controlplane:
    assignments:
    - {{name: cp1, ip: {address}, interface: eth0, disk: /dev/sda}}
budgets: {{discover: {budget}, call: {call}, connect: {call}, poll: 1s}}
"""


def field(number, body):
    """A field of protobuf that holds bytes."""
    size, length = len(body), b""
    while size > 0x7f:
        length += bytes([size & 0x7f | 0x80])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + body


def bomb():
    """3 MB that gzip makes 3 GB of."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = bytes(1 << 20)
    return b"".join(squeeze.compress(block) for _ in range(3000)) + squeeze.flush()


def nested(depth):
    body = b""
    for _ in range(depth):
        body = field(1, body)
        if len(body) > 900_000:
            break
    return body


def forever(piece):
    while True:
        yield piece


def silent():
    """Takes the call and never answers."""
    while True:
        yield b""


SMALL = message(field(1, field(1, b"")))
# A resource whose metadata has half a million empty finalizers, within the limit of a message.
CROWDED = message(field(1, field(1, field(7, b"") * 500_000)))

ATTACKS = {
    "a compressed message": lambda: iter([message(BOMB, compressed=True)]),
    "a message of 32 MB": lambda: iter([message(field(1, field(1, bytes(32 << 20))))]),
    "a message that is announced and never ends": lambda: iter([b"\x00\x7f\xff\xff\xff"]),
    "a list of large messages": lambda: forever(CROWDED),
    "one crowded message": lambda: iter([CROWDED]),
    "a list without end": lambda: forever(SMALL * 1000),
    "a message that is nested deep": lambda: iter([message(nested(100_000))]),
    "no answer": silent,
}
BOMB = bomb()


class HostileNodes(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.address = support.loopback()
        self.certificate, self.key = support.issue(self.folder, self.address)
        self.set_budgets("100s", "10s")

    def set_budgets(self, budget, call):
        (self.folder / "ichor.yaml").write_text(
            PROFILE.format(address=self.address, budget=budget, call=call))

    def node(self, reply):
        node = HostileNode(self.address, PORT, self.certificate, self.key, reply)
        self.addCleanup(node.close)
        return node

    def discover(self):
        return support.Run(ICHOR, "discover", "-o", "json", "-p",
                           str(self.folder / "ichor.yaml"), cwd=self.folder)

    def test_every_reply_leaves_ichor_small_and_is_judged(self):
        for name, reply in ATTACKS.items():
            with self.subTest(name):
                node = self.node(reply)
                run = self.discover()
                # The first verdict on the node; it goes on asking until its budget is used up.
                run.wait_for_text('"type":"waiting"', '"type":"phase-failed"')
                _, end = run.terminate()
                node.close()
                self.assertTrue(node.asked.is_set(), end.text)
                self.assertRegex(
                    end.text,
                    '"type":"(waiting|phase-failed)".*"node":"cp1","phase":"discover"')
                self.assertGreater(end.code, 0, f"it crashed: {end.text}")
                self.assertLess(end.peak_mib, support.MEMORY_MAX_MIB, end.text)

    def test_a_compressed_message_is_refused_by_its_first_byte(self):
        self.set_budgets("10s", "10s")
        self.node(ATTACKS["a compressed message"])
        end = self.discover().end()
        self.assertGreater(end.code, 0, end.text)
        self.assertIn("compressed", end.text)
        self.assertLess(end.peak_mib, 100, end.text)

    def test_a_signal_ends_it_in_every_state(self):
        limit = support.term_limit(ICHOR)
        for name, reply in ATTACKS.items():
            with self.subTest(name):
                node = self.node(reply)
                run = self.discover()
                self.assertTrue(node.asked.wait(support.LIMIT_S))
                seconds, end = run.terminate()
                node.close()
                self.assertLess(seconds, limit, end.text)
                self.assertLess(end.peak_mib, support.MEMORY_MAX_MIB, end.text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
