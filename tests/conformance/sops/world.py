"""The real sops and age beside ichor, in a folder of their own with keys of their own."""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
ICHOR = pathlib.Path(os.environ.get("ICHOR") or ROOT / "build" / "ichor").resolve()


def tool(name):
    built = subprocess.run([ROOT / "tools" / "real-tools", name], capture_output=True, text=True)
    if built.returncode != 0:
        print(f"{name} cannot be built here: {(built.stderr.splitlines() or ['no word why'])[-1]}")
        sys.exit(77)
    return pathlib.Path(built.stdout.split()[-1])


class World:
    """A folder with keys, and nothing of the user's around."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.sops, self.age = tool("sops"), tool("age")
        self.keygen = self.age.with_name("age-keygen")
        self.home = self.folder / "home"
        self.home.mkdir()
        self.keys, self.recipients = [], []
        for number in range(3):
            path = self.folder / f"key{number}.txt"
            subprocess.run([self.keygen, "-o", path], check=True, capture_output=True)
            shown = subprocess.run([self.keygen, "-y", path], check=True, capture_output=True)
            self.keys.append(path)
            self.recipients.append(shown.stdout.decode().strip())

    def run(self, argv, cwd=None, key=0, **variables):
        environment = {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}
        if key is not None:
            environment["SOPS_AGE_KEY_FILE"] = str(self.keys[key])
        environment.update(variables)
        return subprocess.run([str(word) for word in argv], cwd=cwd or self.folder,
                              env=environment, capture_output=True, stdin=subprocess.DEVNULL)

    def sops_encrypt(self, path, *flags, recipients=None, **options):
        age = ["--age", recipients or self.recipients[0]] if recipients != "" else []
        return self.run([self.sops, "encrypt", *age, *flags, path], **options)

    def sops_decrypt(self, path, *flags, **options):
        return self.run([self.sops, "decrypt", *flags, path], **options)

    def encrypt(self, path, *flags, recipients=None, **options):
        age = ["--age", recipients or self.recipients[0]] if recipients != "" else []
        return self.run([ICHOR, "secrets", "encrypt", path, *age, *flags], **options)

    def decrypt(self, path, *flags, **options):
        return self.run([ICHOR, "secrets", "decrypt", path, *flags], **options)

    def place(self, name, content):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path


class Different(Exception):
    pass


def good(done, what):
    if done.returncode != 0:
        raise Different(f"{what} failed ({done.returncode}): {done.stderr.decode()[-600:]}")
    return done.stdout


def same(left, right, what):
    if left != right:
        raise Different(f"{what}:\n--- sops\n{left.decode(errors='replace')}"
                        f"--- ichor\n{right.decode(errors='replace')}")
