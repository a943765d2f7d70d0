"""The model of Kubernetes answers as the real kube-apiserver does: one table of calls for both."""

import base64
import json
import pathlib
import ssl
import subprocess
import tempfile
import urllib.parse

import yaml

import calls
import control_plane
import processes
import support
import tools

PROFILE = tools.ROOT / "examples/reference/ichor.yaml"

# Where the model may differ, and why.
DIFFERENCES = {}


def context_of(kubeconfig):
    """Host, port and TLS context of a kubeconfig."""
    document = yaml.safe_load(pathlib.Path(kubeconfig).read_text())
    cluster = document["clusters"][0]["cluster"]
    user = document["users"][0]["user"]
    context = ssl.create_default_context(
        cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
    with tempfile.NamedTemporaryFile("wb") as pair:
        pair.write(base64.b64decode(user["client-certificate-data"]) + b"\n")
        pair.write(base64.b64decode(user["client-key-data"]))
        pair.flush()
        context.load_cert_chain(pair.name)
    server = urllib.parse.urlsplit(cluster["server"])
    return server.hostname, server.port, context


class SameCalls(support.KubeTest):
    NEEDS = ("etcd", "kubernetes")

    def real_answers(self, folder):
        running = processes.Processes(folder)
        self.addCleanup(running.stop_all)
        plane = control_plane.ControlPlane(folder, running)
        plane.start()
        return calls.Server(*context_of(plane.kubeconfig)).run()

    def model_answers(self, folder):
        lab = str(folder / "lab")
        ichor = str(tools.ICHOR)
        subprocess.run([ichor, "lab", "start", "-p", str(PROFILE), "--state", lab,
                        "--time-scale", "60", "--detach"], check=True, stdout=subprocess.DEVNULL)
        self.addCleanup(lambda: subprocess.run([ichor, "lab", "stop", "--state", lab],
                                               check=False, stdout=subprocess.DEVNULL))
        up = subprocess.run([ichor, "up", "-p", str(PROFILE), "--lab-state", lab, "-o", "json"],
                            check=False, capture_output=True, text=True)
        self.assertIn(up.returncode, (0, 6), up.stdout[-2000:])
        kubeconfig = next(pathlib.Path(lab).rglob("kubeconfig"))
        return calls.Server(*context_of(kubeconfig)).run()

    def test_the_model_answers_as_the_real_server_does(self):
        # It goes last: the lab is stopped by what lies in it.
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "real").mkdir()
        real = self.real_answers(folder / "real")
        model = self.model_answers(folder)
        different = {row: (real[row], model[row]) for row in real if real[row] != model[row]}
        unexplained = {row: pair for row, pair in different.items() if row not in DIFFERENCES}
        for row, (theirs, ours) in unexplained.items():
            print(f"    {row}\n      real:  {json.dumps(theirs)}\n      model: {json.dumps(ours)}")
        print(f"    {len(real)} calls, {len(different)} differ, {len(DIFFERENCES)} of them listed",
              flush=True)
        self.assertFalse(unexplained)
        self.assertFalse([row for row in DIFFERENCES if row not in different],
                         "no longer different: take it off the list")
