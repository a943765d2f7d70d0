#!/usr/bin/env python3
"""What of the harness can be tried without root, nodes or Go."""

import base64
import hashlib
import http.server
import json
import pathlib
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

sys.dont_write_bytecode = True

import cluster as clusters  # noqa: E402
import lab as labs  # noqa: E402
import pieces  # noqa: E402
import recording  # noqa: E402
import registry  # noqa: E402
import server_logs  # noqa: E402


class ANodeOnTheCommandLine(unittest.TestCase):
    def test_has_a_mac_made_of_its_address_unless_one_is_given(self):
        self.assertEqual(labs.NodeSpec.parse("cp1,10.5.0.2"),
                         labs.NodeSpec("cp1", "10.5.0.2", "02:00:0a:05:00:02"))
        self.assertEqual(labs.NodeSpec.parse("cp1,10.5.0.2,52:54:00:16:01:AA").mac,
                         "52:54:00:16:01:aa")

    def test_is_refused_when_it_would_not_work(self):
        for text in ("", "cp1", "cp1,10.5.0.300", "../cp1,10.5.0.2", "cp1,10.5.0.2,aa:bb"):
            with self.assertRaises(labs.LabError, msg=text):
                labs.NodeSpec.parse(text)


class TheLogOfAServer(unittest.TestCase):
    OURS = "(:authority=10.5.0.2:50000;content-type=application/grpc;user-agent=ichor)"
    THEIRS = OURS.replace("ichor", "grpc-go/1.79.3")

    def test_reports_our_calls_that_the_node_could_not_handle(self):
        bad = ("2026/11/17 10:00:00 Internal [/cosi.resource.State/Watch] 1ms stream runtime "
               f"error: invalid memory address or nil pointer dereference {self.OURS}")
        console = "[   12.3] init[173]: segfault at 8 ip 0000 sp 0000"
        kernel = "[   40.1] Kernel panic - not syncing: Attempted to kill init!"
        fine = ["[    0.0] Command line: panic=0 oops=panic kernel.panic_on_oops=1",
                f"2026/11/17 10:00:00 OK [/cosi.resource.State/Watch] 1ms stream {self.OURS}",
                f"NotFound [/cosi.resource.State/Get] 1ms unary doesn't exist {self.OURS}",
                f"Unimplemented [/machine.MachineService/Version] 1ms unary {self.THEIRS}"]
        self.assertEqual(server_logs.complaints("\n".join([bad, *fine, console, kernel])),
                         [bad, console, kernel])

    def test_counts_the_calls_by_method(self):
        text = f"OK [/cosi.resource.State/Get] 1ms unary {self.OURS}\n" * 3
        text += f"OK [/cosi.resource.State/Get] 1ms unary {self.THEIRS}\n"
        self.assertEqual(server_logs.calls(text), {"/cosi.resource.State/Get": 3})


class AProcessNote(unittest.TestCase):
    def test_does_not_take_another_process_of_that_number_for_it(self):
        with tempfile.TemporaryDirectory() as folder:
            note = pathlib.Path(folder) / "note.json"
            labs.remember(note, 1)
            self.assertEqual(labs.recall(note), 1)
            note.write_text(json.dumps({"pid": 1, "started": labs.start_time(1) + 1}))
            self.assertIsNone(labs.recall(note))
            note.write_text("half a rec")
            self.assertIsNone(labs.recall(note))


class ARun(unittest.TestCase):
    def test_takes_a_phase_from_its_first_start_to_its_last_end(self):
        run = clusters.Run(0, [
            {"type": "phase-started", "phase": "apply", "node": "cp1", "at": 1.0},
            {"type": "phase-started", "phase": "apply", "node": "cp2", "at": 2.0},
            {"type": "phase-done", "phase": "apply", "node": "cp1", "at": 3.0},
            {"type": "phase-done", "phase": "apply", "node": "cp2", "at": 5.5},
            {"type": "phase-started", "phase": "verify", "node": "cp1", "at": 6.0}], "", 7.0)
        self.assertEqual(run.steps(), {"apply": {"from": 1.0, "to": 5.5},
                                       "verify": {"from": 6.0, "to": None}})
        self.assertEqual(run.summary, {}, "a run that was killed has none")


class ARecording(unittest.TestCase):
    def test_has_the_events_that_talosctl_shows_on_two_lines_each(self):
        at = int.from_bytes(base64.b32hexdecode("D4CDR1N5D9PC73CF4SCG====")[:4], "big")
        text = """\
NODE       ID                     EVENT   ACTOR   SOURCE   MESSAGE
10.5.0.2   d4cdr1n5d9pc73cf4scg   talos/runtime/machine.MachineStatusEvent
           BOOTING                ready: false, unmet conditions: [services nodeReady]
10.5.0.2   d4cdr1n5d9pc73cf4sd0   talos/runtime/machine.ServiceStateEvent
           etcd                   RUNNING: Started task etcd (PID 2305) for container etcd
"""
        self.assertEqual(list(recording.parse(text)), [
            (at, "status", "BOOTING", "ready: false, unmet conditions: [services nodeReady]"),
            (at, "service", "etcd", "RUNNING: Started task etcd (PID) for container etcd")])

    def test_counts_from_the_first_event(self):
        lines = recording.lines_of(100, [(100, "sequence", "boot", "START")],
                                   [(101.5, "running", "ready")], [(100.25, "apply")])
        self.assertEqual(lines, ["0.2\tcall\tapply", "1.5\twatch\trunning\tready",
                                 "0\tsequence\tboot\tSTART"])

    def test_reads_a_watch_value_by_value(self):
        values, rest = recording.decode_stream('{"a": 1}\n{"a":\n 2} {"a"')
        self.assertEqual((values, rest), ([{"a": 1}, {"a": 2}], '{"a"'))
        spec = {"stage": "booting", "status": {"ready": False, "unmetConditions": [
            {"name": "services", "reason": "etcd not running"}]}}
        self.assertEqual(recording.status_text(spec), "services (etcd not running)")


class TheRegistry(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        images = pathlib.Path(folder.name) / "images"
        content = pathlib.Path(folder.name) / "content"
        (content / "usr").mkdir(parents=True)
        (content / "usr/file").write_text("0123456789" * 1000)
        pieces.write_image(images, "a/b", "v1", content, ["/usr/file"])
        handler = type("Quiet", (registry.Registry,),
                       {"images": images, "log_message": lambda *_: None})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}/v2/"

    def get(self, path, **headers):
        return urllib.request.urlopen(urllib.request.Request(self.url + path, headers=headers))

    def layer(self):
        manifest = json.loads(self.get("a/b/manifests/v1").read())
        return manifest["layers"][0]["digest"]

    def test_serves_an_image_whose_digests_are_right(self):
        reply = self.get("a/b/manifests/v1")
        body = reply.read()
        digest = "sha256:" + hashlib.sha256(body).hexdigest()
        self.assertEqual(reply.headers["Docker-Content-Digest"], digest)
        self.assertEqual(self.get(f"a/b/manifests/{digest}").read(), body)
        layer = self.layer()
        self.assertEqual("sha256:" + hashlib.sha256(self.get(f"a/b/blobs/{layer}").read())
                         .hexdigest(), layer)

    def test_goes_on_with_a_pull_that_was_interrupted(self):
        layer = self.layer()
        whole = self.get(f"a/b/blobs/{layer}").read()
        rest = self.get(f"a/b/blobs/{layer}", Range="bytes=700-")
        self.assertEqual((rest.status, rest.read()), (206, whole[700:]))
        part = self.get(f"a/b/blobs/{layer}", Range="bytes=5-9")
        self.assertEqual((part.headers["Content-Range"], part.read()),
                         (f"bytes 5-9/{len(whole)}", whole[5:10]))

    def test_says_no_to_what_it_does_not_have(self):
        for path, code in (("a/b/manifests/v2", 404), ("a/b/blobs/sha256:" + "0" * 64, 404),
                           ("a/b/blobs/../../index.json", 404)):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.get(path)
            self.assertEqual(refused.exception.code, code, path)
            refused.exception.close()
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.get(f"a/b/blobs/{self.layer()}", Range="bytes=999999-")
        self.assertEqual(refused.exception.code, 416)
        refused.exception.close()


if __name__ == "__main__":
    unittest.main()
