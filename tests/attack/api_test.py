#!/usr/bin/env python3
"""`ichor wait` on a Kubernetes API server that is hostile: whatever it answers, ichor neither grows
nor crashes, cleans what it shows of it, and can be stopped.

Usage: api_test.py ICHOR
"""

import base64
import http.server
import json
import os
import pathlib
import ssl
import sys
import tempfile
import threading
import unittest

import support

ICHOR = os.path.abspath(sys.argv[1])

KUBECONFIG = """apiVersion: v1
kind: Config
current-context: a
clusters: [{{name: a, cluster: {{server: "https://{address}:{port}",
  certificate-authority-data: {ca}}}}}]
users: [{{name: a, user: {{token: t}}}}]
contexts: [{{name: a, context: {{cluster: a, user: a}}}}]
"""
ESCAPES = "\x1b]0;owned\x07\x1b[2J\u202e\u200b\U000e0041 shown"
RESOURCES = {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
    {"name": "nodes", "kind": "Node", "namespaced": False},
    {"name": "customresourcedefinitions", "kind": "CustomResourceDefinition"}]}


def page(items, more=""):
    return json.dumps({"kind": "List", "metadata": {"resourceVersion": "1", "continue": more},
                       "items": items}).encode()


def node(number, size=0):
    return {"metadata": {"name": f"n{number}", "uid": "u", "annotations": {"a": "x" * size}},
            "status": {"conditions": [{"type": "Ready", "status": "False", "message": ESCAPES}]}}


class Attack:
    """What the server answers to lists and watches; discovery and /readyz are as they should be."""

    def __init__(self, listing, watch=None, discovery=None):
        self.listing, self.watch, self.discovery = listing, watch, discovery


def nested(depth):
    return lambda request: b'{"items":' + b"[" * depth + b"]" * depth + b"}"


def endless_pages(request):
    request.server.pages += 1
    return page([node(request.server.pages * 100 + i, 20_000) for i in range(100)], "more")


def endless_watch(request):
    number = 0
    while True:
        number += 1
        yield json.dumps({"type": "ADDED", "object": node(number, 50_000)}).encode() + b"\n"


def one_line(request):
    while True:
        yield b"x" * 65536


WRONG_TYPES = json.dumps({"kind": 5, "metadata": 7, "items": [
    1, None, {"metadata": 3}, {"metadata": {"name": 4}, "status": [], "spec": "x"},
    {"metadata": {"name": "a", "managedFields": 1}, "status": {"conditions": {"a": 1}}}]}).encode()

ATTACKS = {
    "a list of 60 MB": Attack(lambda request: page([node(i, 600) for i in range(60_000)])),
    "a list of empty objects": Attack(lambda request: page([{}] * 2_000_000)),
    "JSON that is nested deep": Attack(nested(100_000)),
    "objects that are nested deep": Attack(
        lambda request: b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "pages without end": Attack(endless_pages),
    "wrong types everywhere": Attack(lambda request: WRONG_TYPES),
    "discovery of wrong types": Attack(lambda request: b"{}", discovery={
        "groupVersion": 4, "resources": [{"name": 1, "kind": []}, 7,
                                         {"name": "nodes", "kind": "Node", "namespaced": "no"}]}),
    "a watch without end": Attack(lambda request: page([]), endless_watch),
    "a watch of one line": Attack(lambda request: page([]), one_line),
    "a watch of wrong types": Attack(lambda request: page([]), lambda request: iter(
        [b'{"type":7,"object":[]}\n', b'{"type":"ERROR","object":5}\n',
         b'{"type":"ADDED","object":{"metadata":5}}\n'])),
    "an error that holds escape sequences": Attack(None),
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, status=200):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        attack, path = self.server.attack, self.path
        self.server.asked.set()
        try:
            if path.startswith("/readyz"):
                self.answer(b"ok")
            elif path in ("/api/v1", "/apis/apiextensions.k8s.io/v1"):
                self.answer(json.dumps(attack.discovery or RESOURCES).encode())
            elif path.startswith("/apis") and "/v1" not in path:
                group = {"kind": "APIGroup", "versions": [{"version": "v1"}]}
                self.answer(json.dumps(group).encode())
            elif "watch=1" in path and attack.watch:
                self.follow(attack.watch(self))
            elif "watch=1" in path:
                self.answer(b"")
            elif attack.listing is None:
                self.answer(json.dumps({"kind": "Status", "reason": "Invalid", "code": 400,
                                        "message": ESCAPES}).encode(), 400)
            else:
                self.answer(attack.listing(self))
        except OSError:
            self.close_connection = True

    def follow(self, lines):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for line in lines:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        self.wfile.write(b"0\r\n\r\n")


class HostileApis(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.address = support.loopback()
        self.certificate, self.key = support.issue(self.folder, self.address)

    def serve(self, attack):
        server = http.server.ThreadingHTTPServer((self.address, 0), Handler)
        server.daemon_threads = True
        server.attack, server.pages, server.asked = attack, 0, threading.Event()
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(self.certificate, self.key)
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        ca = base64.b64encode(self.certificate.read_bytes()).decode()
        (self.folder / "kubeconfig").write_text(KUBECONFIG.format(
            address=self.address, port=server.server_address[1], ca=ca))
        os.chmod(self.folder / "kubeconfig", 0o600)
        return server

    def wait_for(self, what, timeout, *more):
        return support.Run(ICHOR, "wait", what, "--kubeconfig", "kubeconfig", "--timeout", timeout,
                           *more, cwd=self.folder)

    def test_every_answer_leaves_ichor_small_and_alive(self):
        for name, attack in ATTACKS.items():
            for what in ("nodes", "crds"):
                with self.subTest(name, what=what):
                    server = self.serve(attack)
                    end = self.wait_for(what, "4s").end()
                    server.shutdown()
                    server.server_close()
                    self.assertTrue(server.asked.is_set(), end.text)
                    self.assertGreaterEqual(end.code, 0, f"it crashed: {end.text}")
                    self.assertLess(end.peak_mib, support.MEMORY_MAX_MIB, end.text)

    def test_what_it_says_is_shown_clean(self):
        for attack in ("an error that holds escape sequences", "a watch without end"):
            for form in ("table", "wide", "json", "yaml"):
                with self.subTest(attack, form=form):
                    server = self.serve(ATTACKS[attack])
                    end = self.wait_for("nodes", "2s", "-o", form).end()
                    server.shutdown()
                    server.server_close()
                    for bad in "\x1b\x07\u202e\u200b\U000e0041":
                        self.assertNotIn(bad, end.text)

    def test_a_signal_ends_it_in_every_state(self):
        limit = support.term_limit(ICHOR)
        for name, attack in ATTACKS.items():
            with self.subTest(name):
                server = self.serve(attack)
                run = self.wait_for("nodes", "5m")
                self.assertTrue(server.asked.wait(support.LIMIT_S))
                seconds, end = run.terminate()
                server.shutdown()
                server.server_close()
                self.assertLess(seconds, limit, end.text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
