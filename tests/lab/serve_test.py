#!/usr/bin/env python3
"""The pages, the event stream and the metrics of `ichor serve` during and after a run on a lab, and
what happens to those who should not see them.

Usage: serve_test.py ICHOR PROFILE
"""

import http.client
import json
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.dont_write_bytecode = True

import one_lab  # noqa: E402
import side_by_side  # noqa: E402

ICHOR, PROFILE = (os.path.abspath(word) for word in sys.argv[1:3])
LIMIT_S = 240
METRICS_PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/guide/metrics.md"
# A name as an attacker may choose it; it must be shown as text.
HOSTILE = "<script>\"'><img-src=x-onerror=alert(1)>"


class Server:
    """`ichor serve` and a client that has its token."""

    def __init__(self, *flags, folder=None):
        self.process = subprocess.Popen(
            [ICHOR, "serve", "--listen", "127.0.0.1:0", "-o", "json", *flags], cwd=folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.told = json.loads(self.process.stdout.readline())
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{64})", self.told["url"])
        self.port, self.token = int(found[1]), found[2]
        self.cookie = self.root = None

    def ask(self, path, method="GET", headers=None, host=None, body=None):
        """Status, headers and body of one request, without any proof of our own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        reply = connection.getresponse()
        text = reply.read().decode()
        connection.close()
        return reply.status, reply.headers, text

    def enter(self):
        """As a browser does with the printed URL."""
        status, headers, _ = self.ask("/?token=" + self.token)
        assert status == 303, status
        self.cookie = headers["Set-Cookie"].split(";")[0]
        self.root = headers["Location"]
        return headers["Set-Cookie"]

    def page(self, path, status=200):
        got, headers, text = self.ask(self.root + path, headers={"Cookie": self.cookie})
        assert got == status, (path, got, text)
        return headers, text

    def page_with(self, path, text):
        """A page when it has a text: what was read of a journal may be a moment old."""
        deadline = time.monotonic() + LIMIT_S
        while True:
            got, _, page = self.ask(self.root + path, headers={"Cookie": self.cookie})
            if got == 200 and text in page:
                return page
            assert time.monotonic() < deadline, (path, got, page)

    def bearer(self, path):
        return self.ask(path, headers={"Authorization": "Bearer " + self.token})

    def raw(self, data, seconds=30):
        """All that comes back for some bytes, until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as client:
            client.sendall(data)
            got = b""
            while piece := client.recv(65536):
                got += piece
            return got

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


def events_of(text):
    """The events of a stream: type, id and data of each."""
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line[:1] not in ":")
        if "event" in fields:
            yield fields["event"], fields["id"], json.loads(fields["data"])


class Serve(one_lab.OneLab):
    ichor = ICHOR
    profile = PROFILE

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = Server("-p", PROFILE, "--lab-state", cls.lab)
        cls.set_cookie = cls.server.enter()

    @classmethod
    def tearDownClass(cls):
        cls.server.process.kill()
        cls.server.process.wait()
        super().tearDownClass()

    def test_1_a_cluster_without_a_run(self):
        self.assertRegex(self.set_cookie, r"; HttpOnly; SameSite=Strict$")
        self.assertIn("no run has worked on reference yet", self.server.page("")[1])
        self.assertIn("0 of 6 nodes running", self.server.page("")[1])

    def test_2_a_run_is_followed_while_it_happens(self):
        run = subprocess.Popen([ICHOR, "up", "-p", PROFILE, "--lab-state", self.lab, "-q"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.server.page_with("clusters/reference/", "in progress")
        page = self.server.page("clusters/reference/runs/1")[1]
        stream = re.search(r'data-stream="([^"]+)"', page)[1]
        # Ends with the run, so this reads all of it.
        status, headers, text = self.server.ask(stream, headers={"Cookie": self.server.cookie})
        self.assertEqual((status, headers["Content-Type"]), (200, "text/event-stream"))
        self.assertEqual(run.wait(timeout=LIMIT_S), 0)
        events = list(events_of(text))
        self.assertEqual(events[-1][0], "end")
        records = [data for kind, _, data in events if kind == "record"]
        self.assertGreater(len(records), 10)
        self.assertEqual(records[-1]["kind"], "run-ended")
        self.assertEqual([int(number) for kind, number, _ in events if kind == "record"],
                         [one["seq"] for one in records])

    def test_3_pages_of_a_run_that_ended(self):
        page = self.server.page_with("", "6 of 6 nodes running")
        self.assertIn('<span class="chip good">exit 0</span>', page)
        _, page = self.server.page("clusters/reference/")
        self.assertEqual(page.count('<td class="stage running">'), 6)
        self.assertIn("talosconfig", page)
        _, page = self.server.page("clusters/reference/runs/1")
        self.assertIn("Bootstrap: done after", page)
        self.assertNotIn("<script", page)
        headers, page = self.server.page("clusters/reference/runs/1/report")
        self.assertIn("<svg", page)
        self.assertNotIn("script", headers["Content-Security-Policy"])
        _, text = self.server.page("clusters/reference/runs/1/events")
        self.assertEqual(next(events_of(text))[2]["kind"], "run-started")
        self.server.page("clusters/reference/runs/2", 404)

    def test_4_every_reply_forbids_what_a_page_needs_not(self):
        for path in ("", "live.js", "metrics", "clusters/reference/", "nothing"):
            headers, _ = self.server.page(path, 404 if path == "nothing" else 200)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Cache-Control"], "no-store")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")
            self.assertNotIn("Access-Control-Allow-Origin", headers)
            self.assertNotIn("Set-Cookie", headers)
        headers, page = self.server.page("")
        policy = headers["Content-Security-Policy"]
        for rule in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'",
                     "base-uri 'none'", "form-action 'none'"):
            self.assertIn(rule, policy)
        self.assertEqual(re.findall(r"<script[^>]*>", page),
                         [f'<script src="{self.server.root}live.js" defer>'])
        self.assertNotIn(self.server.token, page)

    def test_5_metrics_are_those_of_the_guide(self):
        status, headers, text = self.server.bearer("/metrics")
        self.assertEqual(status, 200)
        self.assertTrue(headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        seen = {}
        for line in text.splitlines():
            if not line.startswith("#"):
                name, labels = re.match(r"(\w+)(?:\{(.*)\})? \S+$", line).groups()
                seen[name] = set(re.findall(r'(\w+)="', labels or ""))
        listed = {}
        for line in METRICS_PAGE.read_text("utf-8").splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if line.startswith("| `ichor_"):
                listed[cells[0].strip("`")] = (cells[1], set(re.findall(r"`(\w+)`", cells[2])))
        self.assertEqual(seen, {name: labels for name, (_, labels) in listed.items()})
        for name, (kind, _) in listed.items():
            self.assertIn(f"# TYPE {name} {kind}\n", text)
        self.assertIn('ichor_run_exit_code{cluster="reference"} 0\n', text)
        self.assertIn('ichor_mutations_total{cluster="reference",outcome="done"} 7\n', text)
        self.assertIn('ichor_node_stage{cluster="reference",node="cp1",stage="running"} 1\n', text)

    def test_6_who_has_no_token_sees_nothing(self):
        own = {"Cookie": self.server.cookie}
        root = self.server.root
        host = f"127.0.0.1:{self.server.port}"
        cases = [
            (401, "/", {}), (401, root, {}), (401, "/metrics", {}), (401, "/live.js", {}),
            (401, "/?token=" + "0" * 64, {}), (401, "/metrics?token=" + self.server.token, {}),
            (401, "/metrics", {"Authorization": "Bearer " + "0" * 64}),
            (401, root, {"Cookie": "ichor=" + self.server.token}),
            (401, "/0000000000000000/", own),
            (403, root, {**own, "Origin": "http://evil.example"}),
            (403, root, {**own, "Origin": "null"}),
            (403, root, {**own, "Sec-Fetch-Site": "cross-site"}),
            (403, root, {**own, "Sec-Fetch-Site": "same-site"}),
            (200, root, {**own, "Origin": "http://" + host, "Sec-Fetch-Site": "same-origin"}),
        ]
        for wanted, path, headers in cases:
            status, _, text = self.server.ask(path, headers=headers)
            self.assertEqual(status, wanted, (path, headers))
            self.assertEqual("reference" in text, wanted == 200, (path, headers))
        for name in ("evil.example", f"evil.example:{self.server.port}", "127.0.0.1", "[::1]:1"):
            self.assertEqual(self.server.ask(root, headers=own, host=name)[0], 421, name)

    def test_7_nothing_can_be_sent(self):
        own = {"Cookie": self.server.cookie}
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
            self.assertEqual(self.server.ask(self.server.root, method, own)[0], 405, method)
        self.assertEqual(self.server.ask(self.server.root, "POST", own, body=b"x=1")[0], 413)
        status, headers, text = self.server.ask(self.server.root, "HEAD", own)
        self.assertEqual((status, text), (200, ""))
        self.assertGreater(int(headers["Content-Length"]), 1000)

    def test_8_paths_are_names_and_never_files(self):
        for path in ("../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%", "//etc/passwd",
                     "clusters/../../etc/passwd", "clusters/reference/../../../etc/passwd",
                     "clusters/%2e%2e/", "%00",
                     "clusters/reference/runs/1/../../../../journal.db", "%5c..%5c"):
            _, text = self.server.page(path, 404)
            self.assertNotIn("root:", text)

    def test_9_slow_greedy_and_broken_clients(self):
        self.assertIn(b" 431 ", self.server.raw(b"GET / HTTP/1.1\r\nX: " + b"a" * 30_000)[:20])
        self.assertIn(b" 431 ", self.server.raw(b"GET /" + b"a" * 30_000)[:20])
        self.assertIn(b" 400 ", self.server.raw(b"\x16\x03\x01\x00\xa5 hello\r\n\r\n")[:20])
        self.assertIn(b" 400 ", self.server.raw(b"GET / HTTP/1.1\nHost : x\n\n\r\n\r\n")[:20])
        two = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n\r\n".encode() * 2
        self.assertEqual(self.server.raw(two).count(b"HTTP/1.1 "), 1)
        # Slow loris: a byte now and then on more connections than there are.
        slow = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(200)]
        for client in slow:
            client.sendall(b"GET / HTTP/1.1\r\n")
        began = time.monotonic()
        self.assertIn("6 of 6 nodes running", self.server.page("")[1])
        self.assertLess(time.monotonic() - began, 5)
        slow[-1].settimeout(20)
        self.assertEqual(slow[-1].recv(1), b"", "a head that never ends is cut off in ten seconds")
        for client in slow:
            client.close()
        self.assertIsNone(self.server.process.poll())
        self.assertIn("6 of 6 nodes running", self.server.page("")[1])

    def test_a_a_stream_for_each_page_is_bounded(self):
        streams = []
        for _ in range(20):
            client = socket.create_connection(("127.0.0.1", self.server.port), timeout=30)
            client.sendall(f"GET {self.server.root}events HTTP/1.1\r\nHost: 127.0.0.1:"
                           f"{self.server.port}\r\nCookie: {self.server.cookie}\r\n\r\n".encode())
            streams.append((client, client.recv(12)))
        self.assertEqual([said for _, said in streams].count(b"HTTP/1.1 200"), 16)
        self.assertEqual([said for _, said in streams].count(b"HTTP/1.1 503"), 4)
        self.assertIn("6 of 6 nodes running", self.server.page("")[1])
        for client, _ in streams:
            client.close()

    def test_c_a_socket_is_private_and_goes_with_the_server(self):
        path = self.folder.name + "/pages.sock"
        other = Server("--socket", path, "-p", PROFILE, "--lab-state", self.lab)
        self.addCleanup(other.process.kill)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(30)
            client.connect(path)
            client.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            got = b""
            while piece := client.recv(65536):
                got += piece
        self.assertTrue(got.startswith(b"HTTP/1.1 200 OK\r\n"), got[:100])
        self.assertIn(b'ichor_build_info{version="', got)
        code, out, err = other.stop()
        self.assertEqual(code, 130, err)
        self.assertFalse(os.path.exists(path))
        self.assertNotIn(other.token, out + err)

    def test_d_a_token_file_is_made_for_prometheus(self):
        path = self.folder.name + "/token"
        flags = ("--token-file", path, "-p", PROFILE, "--lab-state", self.lab)
        tokens = []
        for _ in range(2):
            server = Server(*flags)
            tokens.append(server.token)
            self.assertEqual(server.bearer("/metrics")[0], 200)
            self.assertEqual(server.stop(signal.SIGTERM)[0], 143)
        self.assertEqual(tokens[0], tokens[1])
        self.assertEqual(pathlib.Path(path).read_text("ascii").strip(), tokens[0])
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)

    def test_e_other_addresses_and_taken_ports_are_refused(self):
        def refused(place):
            return subprocess.run([ICHOR, "serve", "-p", PROFILE, "--listen", place],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  timeout=30, check=False)
        for place in ("0.0.0.0:8470", "192.0.2.1:8470", "[::]:8470", "example.org:8470"):
            done = refused(place)
            self.assertEqual(done.returncode, 64, place)
            self.assertIn("serves on 127.0.0.1", done.stderr)
        taken = refused(f"127.0.0.1:{self.server.port}")
        self.assertEqual(taken.returncode, 1)
        self.assertIn("--listen 127.0.0.1:0", taken.stdout)


class Repository(unittest.TestCase):
    def test_every_cluster_of_a_repository_has_its_page(self):
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(PROFILE).read_text("utf-8")
            for name in ("infra", "apps"):
                os.mkdir(f"{folder}/{name}")
                pathlib.Path(f"{folder}/{name}/ichor.yaml").write_text(
                    text.replace("name: reference", f"name: {name}"), "utf-8")
            os.mkdir(f"{folder}/{HOSTILE}")
            pathlib.Path(f"{folder}/{HOSTILE}/ichor.yaml").write_text(f"{HOSTILE}: [", "utf-8")
            server = Server(folder=folder)
            self.addCleanup(server.process.kill)
            server.enter()
            first = server.page("")[1]
            self.assertIn("3 clusters, no run in progress", first)
            self.assertIn("Cluster infra", server.page("clusters/infra/")[1])
            path = "clusters/" + urllib.parse.quote(HOSTILE, safe="") + "/"
            for page in (first, server.page(path)[1]):
                self.assertIn("&lt;script&gt;", page)
                self.assertNotIn("<script>", page)
                self.assertNotIn("<img", page)
            self.assertIn(f'{{cluster="{HOSTILE}"}} 0'.replace('>"', '>\\"', 1),
                          server.bearer("/metrics")[2])
            self.assertEqual(server.stop()[0], 130)

    def test_a_damaged_journal_is_said_and_not_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(PROFILE).read_text("utf-8")
            pathlib.Path(folder + "/ichor.yaml").write_text(text, "utf-8")
            state = pathlib.Path(folder + "/.ichor/reference")
            state.mkdir(parents=True, mode=0o700)
            state.parent.chmod(0o700)
            (state / "journal.db").write_bytes(b"not a journal" * 1000)
            (state / "journal.db").chmod(0o600)
            server = Server(folder=folder)
            self.addCleanup(server.process.kill)
            server.enter()
            self.assertIn("unreadable", server.page("")[1])
            self.assertIn('ichor_cluster_readable{cluster="reference"} 0\n',
                          server.bearer("/metrics")[2])
            self.assertEqual(server.stop()[0], 130)


if __name__ == "__main__":
    side_by_side.main()
