#!/usr/bin/env python3
"""What of the bed can be tried without the Go programs: its servers, certificates and words."""

import http.client
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import bed as beds  # noqa: E402
import charts  # noqa: E402
import connect_server  # noqa: E402
import fake_nodes  # noqa: E402
import pki  # noqa: E402
import processes  # noqa: E402
import schemas  # noqa: E402

VAULTS = {"Home Lab": {"db": {"user": "u"}}}
HERE = pathlib.Path(__file__).resolve().parent


class Part(unittest.TestCase):
    def setUp(self):
        self.folder = processes.new_folder("part")
        self.running = processes.Processes(self.folder)
        self.addCleanup(lambda: subprocess.run(["rm", "-r", str(self.folder)], check=True))
        self.addCleanup(self.running.stop_all)

    def serve(self, script, *arguments):
        port = processes.free_port()
        self.running.start(script, [sys.executable, "-B", HERE / script, *arguments, port],
                           lambda: processes.connects(port))
        return port


class TheGitServer(Part):
    def test_is_cloned_from_and_refuses_a_push(self):
        work = self.folder / "work"
        for command in (["init", "-q", "-b", "main", str(work)],
                        ["-C", str(work), "-c", "user.name=a", "-c", "user.email=a@example.org",
                         "commit", "-q", "--allow-empty", "-m", "first"],
                        ["clone", "-q", "--bare", str(work), str(self.folder / "r/home.git")]):
            subprocess.run(["git", *command], check=True)
        port = self.serve("git_server.py", self.folder / "r", "127.0.0.1")
        url = f"http://127.0.0.1:{port}/home.git"
        subprocess.run(["git", "clone", "-q", url, str(self.folder / "clone")], check=True)
        push = subprocess.run(["git", "-C", str(self.folder / "clone"), "push", url, "main:other"],
                              capture_output=True, check=False)
        self.assertNotEqual(push.returncode, 0)


class TheConnectServer(Part):
    def ask(self, port, path, token="good"):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        found = answer.status, json.loads(answer.read())
        connection.close()
        return found

    def test_gives_a_field_to_who_has_the_token(self):
        data = self.folder / "data.json"
        data.write_text(json.dumps({"token": "good", "vaults": VAULTS}))
        port = self.serve("connect_server.py", data)
        self.assertEqual(self.ask(port, "/v1/vaults", "bad")[0], 401)
        code, vaults = self.ask(port, "/v1/vaults?filter=name%20eq%20%22Home%20Lab%22")
        self.assertEqual((code, vaults[0]["id"]), (200, connect_server.identifier("Home Lab")))
        items = f"/v1/vaults/{vaults[0]['id']}/items"
        item = self.ask(port, items + "?filter=title%20eq%20%22db%22")[1][0]["id"]
        self.assertEqual(self.ask(port, f"{items}/{item}")[1]["fields"][0]["value"], "u")
        self.assertEqual(self.ask(port, f"{items}/none")[0], 404)
        self.assertEqual(self.ask(port, "/v1/vaults/none")[0], 403)
        self.assertEqual(self.ask(port, "/v1/vaults?filter=name%20eq%20%22x%22")[1], [])


class Certificates(Part):
    def test_are_signed_by_their_authority_and_their_keys_are_private(self):
        authority = pki.Authority(self.folder / "pki")
        authority.sign("server", "/CN=server", ["IP:127.0.0.1"])
        pki.openssl("verify", "-CAfile", authority.certificate("ca"),
                    authority.certificate("server"))
        self.assertEqual(authority.key("server").stat().st_mode & 0o077, 0)
        self.assertEqual(
            authority.kubeconfig(self.folder / "config", "https://127.0.0.1:1", "server").stat()
            .st_mode & 0o077, 0)


class AProcess(Part):
    def test_that_ends_at_once_is_reported_with_its_last_words(self):
        with self.assertRaisesRegex(processes.BedError, "no such luck"):
            self.running.start("sad", ["sh", "-c", "echo no such luck; exit 1"], lambda: False)


class Stages(unittest.TestCase):
    def test_take_the_pods_in_trouble_out_of_those_that_run(self):
        found = {one["metadata"]["name"]: one for one in fake_nodes.stages(
            [fake_nodes.Trouble("app=csi", node="w1", reason="CrashLoopBackOff")])}
        keys = [part["key"] for part in found["pod-runs"]["spec"]["selector"]["matchExpressions"]]
        self.assertIn('if (.metadata.labels["app"] == "csi" and .spec.nodeName == "w1") '
                      'then "hit" else "well" end', keys)
        self.assertIn("CrashLoopBackOff",
                      found["pod-trouble-0"]["spec"]["next"]["statusTemplate"])


class AChart(unittest.TestCase):
    def test_is_published_under_its_name_and_version(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            archive = folder / "coredns.tgz"
            subprocess.run(["tar", "czf", str(archive), "-C", str(HERE / "charts"), "coredns"],
                           check=True)
            charts.publish(archive, folder / "images")
            layout = folder / "images/charts+coredns@0.1.0"
            digest = json.loads((layout / "index.json").read_text())["manifests"][0]["digest"]
            manifest = json.loads((layout / "blobs/sha256" / digest.split(":")[1]).read_text())
            self.assertEqual(manifest["layers"][0]["size"], archive.stat().st_size)


class ASchema(unittest.TestCase):
    def test_has_all_that_it_refers_to(self):
        definitions = {"a": {"$ref": "#/definitions/b"}, "b": {"x": {"$ref": "#/definitions/a"}},
                       "c": {}}
        self.assertEqual(sorted(schemas.reachable(definitions, "a")), ["a", "b"])


class ARun(unittest.TestCase):
    def test_has_a_summary_only_if_it_ends_with_one(self):
        summary = '{"type":"summary","ok":true}'
        self.assertEqual(beds.finished(0, f"x\n{summary}\n", "", 1.0).summary["ok"], True)
        self.assertEqual(beds.finished(0, f'{summary}\n{{"type":"x"}}\n', "", 1.0).summary, {})
        self.assertEqual(beds.finished(0, "", "", 1.0).summary, {})


if __name__ == "__main__":
    unittest.main()
