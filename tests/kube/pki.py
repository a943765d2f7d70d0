"""The certificates of a bed's control plane, made by openssl. Keys are 0600."""

import base64
import os
import subprocess

DAYS = "3"


def openssl(*arguments, text=None):
    done = subprocess.run(["openssl", *map(str, arguments)], input=text, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


class Authority:
    """A certificate authority and what it signed, as NAME.crt and NAME.key in one folder."""

    def __init__(self, folder, certificate=None, key=None):
        """A new authority, or the one that is given in PEM."""
        self.folder = folder
        folder.mkdir(mode=0o700)
        if certificate:
            self.certificate("ca").write_text(certificate)
            self.key("ca").touch(mode=0o600)
            self.key("ca").write_text(key)
            return
        self.make_key("ca")
        openssl("req", "-x509", "-new", "-key", self.key("ca"), "-days", DAYS, "-out",
                self.certificate("ca"), "-subj", "/CN=bed")

    def key(self, name):
        return self.folder / f"{name}.key"

    def certificate(self, name):
        return self.folder / f"{name}.crt"

    def make_key(self, name):
        before = os.umask(0o077)
        try:
            openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.key(name))
        finally:
            os.umask(before)
        return self.key(name)

    def request(self, name, subject, names=()):
        """A signing request in PEM; `names` are its subject alternative names."""
        if not self.key(name).exists():
            self.make_key(name)
        extension = ["-addext", "subjectAltName=" + ",".join(names)] if names else []
        return openssl("req", "-new", "-key", self.key(name), "-subj", subject, *extension)

    def sign(self, name, subject, names=()):
        """A key and a certificate for clients and servers."""
        usage = "extendedKeyUsage=clientAuth,serverAuth\n"
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(
            usage + (f"subjectAltName={','.join(names)}\n" if names else ""))
        openssl("x509", "-req", "-days", DAYS, "-CA", self.certificate("ca"), "-CAkey",
                self.key("ca"), "-CAcreateserial", "-extfile", extensions, "-out",
                self.certificate(name), text=self.request(name, subject, names))

    def kubeconfig(self, path, server, user, context="bed"):
        """A kubeconfig of the client `user`, readable by its owner only."""
        def embedded(file):
            return base64.b64encode(file.read_bytes()).decode()

        text = KUBECONFIG.format(
            server=server, context=context, user=user, ca=embedded(self.certificate("ca")),
            certificate=embedded(self.certificate(user)), key=embedded(self.key(user)))
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        return path


KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: {context}
clusters:
  - name: {context}
    cluster: {{server: "{server}", certificate-authority-data: {ca}}}
contexts:
  - name: {context}
    context: {{cluster: {context}, user: {user}}}
users:
  - name: {user}
    user: {{client-certificate-data: {certificate}, client-key-data: {key}}}
"""
