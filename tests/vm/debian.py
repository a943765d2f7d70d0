"""Packages of a newer Debian, unpacked into a folder. This machine's own packages stay as they are.

apt downloads and verifies them with the mirror and the keys that this machine uses already.
"""

import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SUITE = "trixie"
LIST = HERE / "guest-packages.txt"
KERNEL = re.compile(r"linux-image-[0-9.]+\S*-cloud-amd64")
# Of these only the files are wanted; what they depend on is for the machine that installs them.
ALONE = ("systemd-boot-efi",)
APT_CONF = """\
Dir::Etc::sourcelist "{home}/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "{home}/lists";
Dir::State::status "{home}/status";
Dir::Cache "{home}/cache";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
Debug::NoLocking "1";
"""


class PackageError(Exception):
    """Packages cannot be had here; the text says why."""


def read_list(path):
    lines = (line.partition("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]


def run(log, *argv, **options):
    """The output of a command, which is kept in `log`, too."""
    done = subprocess.run([str(part) for part in argv], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False, **options)
    with open(log, "a", encoding="utf-8") as file:
        file.write(done.stdout)
    if done.returncode != 0:
        tail = " / ".join(done.stdout.strip().splitlines()[-3:])
        raise PackageError(f"{argv[0]} failed ({done.returncode}), see {log}: {tail}")
    return done.stdout


def mirror(targets):
    """The archive among `apt-get indextargets` that is neither for security nor for updates."""
    for line in sorted(targets.splitlines()):
        where, _, codename = line.partition(" ")
        if re.fullmatch(r"[a-z]+", codename):
            return where
    raise PackageError("apt has no archive of Debian in its sources")


class Archive:
    """An apt of its own in a folder, which knows Debian SUITE and its backports only."""

    def __init__(self, home):
        self.home, self.log = home, home / "log"
        for place in ("lists/partial", "cache/archives/partial"):
            (home / place).mkdir(parents=True, exist_ok=True)
        (home / "status").touch()
        targets = run(self.log, "apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)",
                      "Created-By: Packages")
        where = mirror(targets)
        (home / "sources.list").write_text(
            f"deb {where} {SUITE} main\ndeb {where} {SUITE}-backports main\n")
        (home / "apt.conf").write_text(APT_CONF.format(home=home))

    def apt(self, *argv, **options):
        tool, *rest = argv
        return run(self.log, tool, "-c", self.home / "apt.conf", *rest, **options)

    def kernel(self, wanted):
        """The package of that name, or what the newest kernel of backports depends on."""
        known = self.apt("apt-cache", "pkgnames", "linux-image").split()
        if wanted in known:
            return wanted
        meta = self.apt("apt-cache", "show", f"linux-image-cloud-amd64/{SUITE}-backports")
        newest = KERNEL.search(meta)
        if not newest:
            raise PackageError(f"Debian {SUITE} has no {wanted} and nothing newer")
        return newest[0]

    def download(self, packages):
        """The files of these packages and of all that they depend on."""
        archives = self.home / "cache/archives"
        for old in archives.glob("*.deb"):
            old.unlink()
        self.apt("apt-get", "update", "-qq")
        kernels = [self.kernel(name) for name in packages if KERNEL.fullmatch(name)]
        others = [name for name in packages if not KERNEL.fullmatch(name) and name not in ALONE]
        self.apt("apt-get", "install", "-y", "-qq", "--download-only", *others)
        alone = [f"{name}/{SUITE}" for name in packages if name in ALONE]
        self.apt("apt-get", "download", "-qq", *kernels, *alone, cwd=archives)
        return sorted(archives.glob("*.deb"))


def unpack(packages, target):
    """Lays the packages out as an installed system would have them, without running anything."""
    for name in ("bin", "sbin", "lib", "lib64"):
        (target / "usr" / name).mkdir(parents=True)
        (target / name).symlink_to(f"usr/{name}")
    for package in packages:
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)],
                              stdout=subprocess.PIPE) as tar:
            subprocess.run(["tar", "-C", str(target), "-x", "--keep-directory-symlink"],
                           stdin=tar.stdout, check=True)
        if tar.returncode != 0:
            raise PackageError(f"{package} cannot be unpacked")
