"""The repository of examples/gitops, made ready for a bed: its secrets, its addresses, its history.

What the example leaves to its user is put in: an age key, SOPS files encrypted to it by the real
sops, the bed's registry, git server and 1Password Connect.
"""

import os
import pathlib
import re
import shutil
import subprocess

import tools

EXAMPLE = tools.ROOT / "examples/gitops"
REGISTRY = "oci://registry.example.org/"
SECRET_VALUE = "correct-horse-battery-staple"  # must be seen in the API and nowhere else
CONNECT_TOKEN = "connect-token-of-the-test"
CONNECT_VALUE = "value-from-the-vault"

SECRETS = f"""\
apiVersion: v1
kind: Secret
metadata: {{name: cluster-secrets, namespace: flux-system}}
stringData: {{SECRET_DOMAIN: {SECRET_VALUE}}}
"""
APP_SECRET = f"""\
apiVersion: v1
kind: Secret
metadata: {{name: echo}}
stringData: {{password: {SECRET_VALUE}}}
"""


def private(path, text):
    """Writes a file that only its owner may read."""
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)


class Tree:
    """A work tree, and the bare repository that it is pushed to."""

    def __init__(self, folder, repositories):
        self.folder = folder / "tree"
        shutil.copytree(EXAMPLE, self.folder)
        self.bare = repositories / "home.git"
        self.age_key = folder / "age.key"
        self.make_age_key(self.age_key)

    # Secrets.

    def make_age_key(self, path):
        subprocess.run([str(tools.program("age", "age-keygen")), "-o", str(path)], check=True,
                       capture_output=True)

    def recipient(self, key):
        return re.search(r"public key: (\S+)", key.read_text())[1]

    def encrypt(self, path, text, key=None, fields=True):
        """Writes `text` encrypted by sops, its Secret values only or as a whole."""
        rule = ["--input-type", "binary"]
        if fields:
            rule = ["--encrypted-regex", "^(data|stringData)$"]
        done = subprocess.run(
            [str(tools.program("sops")), "encrypt", "--age", self.recipient(key or self.age_key),
             "--filename-override", str(path.name), *rule, "/dev/stdin"], input=text,
            capture_output=True, text=True, check=False, cwd=self.folder)
        if done.returncode != 0:
            raise RuntimeError(f"sops: {done.stderr}")
        path.write_text(done.stdout)

    def add_secrets(self):
        self.encrypt(self.folder / "bootstrap/secrets.sops.yaml", SECRETS)
        self.encrypt(self.folder / "bootstrap/deploy.key.sops", SECRET_VALUE, fields=False)
        private(self.folder / "connect.token", CONNECT_TOKEN + "\n")
        app = self.folder / "kubernetes/apps/default/echo/app"
        self.encrypt(app / "secret.sops.yaml", APP_SECRET)
        with open(app / "kustomization.yaml", "a") as file:
            file.write("  - ./secret.sops.yaml\n")

    # Addresses.

    def replace(self, path, old, new):
        file = self.folder / path
        text = file.read_text()
        if old not in text:
            raise RuntimeError(f"{path} has no {old!r}")
        file.write_text(text.replace(old, new))

    def use_registry(self, port):
        """Charts come from the bed's registry, which speaks plain HTTP."""
        local = f"oci://127.0.0.1:{port}/"
        for file in sorted(self.folder.glob("kubernetes/apps/*/*/app/ocirepository.yaml")):
            self.replace(file.relative_to(self.folder), f"  url: {REGISTRY}",
                         f"  insecure: true\n  url: {local}")
        for name in ("00-crds.yaml", "01-core.yaml.gotmpl"):
            path = f"bootstrap/helmfile.d/{name}"
            self.replace(path, REGISTRY, local)
            self.replace(path, "helmDefaults:\n", "helmDefaults:\n  plainHttp: true\n")

    def use_git(self, url):
        self.replace("kubernetes/apps/flux-system/flux-instance/app/helmrelease.yaml",
                     "https://git.example.org/home.git", url)

    # History.

    def git(self, *arguments):
        done = subprocess.run(["git", *arguments], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            raise RuntimeError(f"git {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def push(self, message):
        """Commits everything and pushes it; the revision."""
        if not self.bare.exists():
            self.git("init", "--quiet", "--initial-branch", "main")
            self.git("init", "--quiet", "--bare", "--initial-branch", "main", str(self.bare))
            (self.folder / ".gitignore").write_text(".ichor/\nconnect.token\n")
        self.git("add", "--all")
        self.git("-c", "user.name=bed", "-c", "user.email=bed@example.org", "commit", "--quiet",
                 "--allow-empty", "-m", message)
        self.git("push", "--quiet", str(self.bare), "main")
        return self.git("rev-parse", "HEAD").strip()
