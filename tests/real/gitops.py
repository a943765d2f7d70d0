"""What GitOps needs on real nodes: images of Flux and CoreDNS, their charts, and a git server.

Flux' source-controller and kustomize-controller and CoreDNS are the real ones. There is no service
network on these nodes, so they get the address of the API server, and of each other.
"""

import pathlib
import shutil
import signal
import subprocess
import sys

import lab as labs
import pieces

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = ("helm-3.22.0", "source-controller", "kustomize-controller", "coredns", "flux-manifests")
IMAGES = {"source-controller": ("test", "manager"), "kustomize-controller": ("test", "manager"),
          "coredns": ("v1.13.2", "coredns")}  # tag, and the program's name in it
CRDS = ("source-controller", "kustomize-controller", "helm-controller")
GIT_PORT = 5001

CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: from-git, namespace: default}
data: {hello: world}
"""


class GitOps:
    """Everything in the cluster's home."""

    def __init__(self, cluster):
        self.cluster, self.home = cluster, cluster.home
        self.server = None

    def lay_out(self):
        """Charts with their values, CRDs, images and the repository."""
        api = self.cluster.control_planes[0].address
        shutil.copytree(HERE / "charts", self.home / "real-charts")
        (self.home / "dns.yaml").write_text(f"apiHost: {api}\n")
        (self.home / "flux.yaml").write_text(f"apiHost: {api}\ngit: {self.url}\n")
        manifests = pieces.program("flux-manifests") / "config/data/flux/v2.9.5"
        for name in CRDS:
            shutil.copyfile(manifests / f"{name}.yaml", self.home / "crds" / f"{name}.yaml")
        self.make_repository()

    def make_images(self, parts):
        """The lab's images, and those of the charts beside them; the folder."""
        images = self.home / "images"
        images.mkdir()
        for image in parts.images.iterdir():
            (images / image.name).symlink_to(image)
        for name, (tag, program) in IMAGES.items():
            scratch = self.home / "image"
            pieces.install(pieces.program(name), scratch / program)
            (scratch / "tmp").mkdir()
            pieces.write_image(images, name, tag, scratch)
        return images

    def make_repository(self):
        work = self.home / "repository"
        (work / "apps").mkdir(parents=True)
        (work / "apps/config-map.yaml").write_text(CONFIG_MAP)
        for command in (["init", "-q", "-b", "main", work], ["-C", work, "add", "--all"],
                        ["-C", work, "-c", "user.name=a", "-c", "user.email=a@example.org",
                         "commit", "-q", "-m", "first"],
                        ["clone", "-q", "--bare", work, self.home / "git/home.git"]):
            subprocess.run(["git", *map(str, command)], check=True)

    @property
    def url(self):
        return f"http://10.5.0.1:{GIT_PORT}/home.git"

    def start_git(self):
        self.server = subprocess.Popen(
            self.cluster.lab.inside(sys.executable, "-B", HERE.parent / "kube/git_server.py",
                                    self.home / "git", "10.5.0.1", GIT_PORT),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not labs.wait_until(lambda: self.cluster.lab.connects("10.5.0.1", GIT_PORT), 20):
            raise labs.LabError("the git server does not start")

    def stop_git(self):
        if self.server:
            self.server.send_signal(signal.SIGKILL)
            self.server.wait()
            self.server = None
