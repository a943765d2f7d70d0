"""What nodes are made of: programs, the root file system and images, built once and cached.

The programs come from tools/real-tools, with pinned versions and checksums. This file puts them
together in ~/.cache/ichor/real-talos-KEY, where KEY is a hash of every recipe and source involved:
a change anywhere gives a new folder, and a folder with a stamp is complete.
"""

import dataclasses
import fcntl
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

TALOS = os.environ.get("REAL_TALOS", "1.12.6")  # or 1.14.1
KUBERNETES = "1.35.4"
ETCD = "3.6.8"
PAUSE = ("3.10", "3.10.1")  # what containerd and Talos ask for
TOOLS = (f"talosctl-{TALOS}", f"kubectl-{KUBERNETES}", f"machined-{TALOS}", "containerd-2.1.6",
         "runc-1.3.4", f"etcd-{ETCD}", f"kubernetes-{KUBERNETES}", "cni-plugins-1.9.1")
OWN_SOURCES = ("capshim.c", "pause.c", "pieces.py")

# Folders of the node's root file system, as far as container mode needs them.
FOLDERS = """boot/EFI dev etc/cni/net.d etc/containerd etc/cri/conf.d/hosts etc/iscsi
etc/kubernetes/manifests etc/nvme etc/selinux/targeted/contexts/files etc/ssl/certs mnt opt/cni/bin
opt/containerd/bin opt/containerd/lib proc root run sys system tmp usr/bin usr/etc usr/lib/firmware
usr/lib/modules usr/libexec/kubernetes usr/local/lib/kubelet/credentialproviders usr/local/share
usr/share/spdx usr/share/zoneinfo/Etc var .extra""".split()

# Files that Talos mounts its own version over, so that they only have to be there.
PLACEHOLDERS = """cri/conf.d/01-registries.part cri/conf.d/20-customization.part
cri/conf.d/base-spec.json cri/conf.d/cri.toml extensions.yaml hostname hosts
iscsi/initiatorname.iscsi machine-id nvme/hostid nvme/hostnqn resolv.conf
selinux/targeted/contexts/files/file_contexts ssl/certs/ca-certificates.crt""".split()

# From the Talos sources: file there, place on the node.
TALOS_FILES = {
    "hack/containerd.toml": "etc/containerd/config.toml",
    "hack/cri-containerd.toml": "etc/cri/containerd.toml",
    "hack/cri-plugin.part": "etc/cri/conf.d/00-base.part",
    "hack/nfsmount.conf": "etc/nfsmount.conf",
    "hack/zoneinfo/Etc/UTC": "usr/share/zoneinfo/Etc/UTC",
}

# From 1.14 on the kubelet's container gets /sys/fs/cgroup without what is mounted below it, which
# is all of cgroup v1.
KUBELET = """#!/bin/sh
for place in /sys/fs/cgroup/*; do
    name=${place##*/}
    [ -e "$place/cgroup.procs" ] && continue
    [ "$name" = systemd ] && name=none,name=systemd
    mount -t cgroup -o "$name" cgroup "$place"
done
exec /usr/local/bin/kubelet.real "$@"
"""


def load_real_tools():
    loader = importlib.machinery.SourceFileLoader("real_tools", str(ROOT / "tools/real-tools"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("real_tools", loader))
    sys.modules["real_tools"] = module  # dataclasses look their module up
    loader.exec_module(module)
    return module


real_tools = load_real_tools()


@dataclasses.dataclass(frozen=True)
class Pieces:
    """Where the parts of a node are, once build() is through."""

    home: pathlib.Path

    capshim = property(lambda self: self.home / "bin/capshim")
    rootfs = property(lambda self: self.home / "rootfs")
    images = property(lambda self: self.home / "images")
    complete = property(lambda self: (self.home / "stamp").exists())


def program(tool, name=None):
    """A program of tools/real-tools; the tool's first one unless named."""
    first = real_tools.binary(real_tools.find(tool))
    return first.parent / name if name else first


def is_typed():
    """Whether nodes of this release take typed documents for what cluster.* was before."""
    return tuple(map(int, TALOS.split("."))) >= (1, 14, 0)


def key(tools=TOOLS, sources=tuple(HERE / name for name in OWN_SOURCES)):
    """A hash of all recipes and sources that something is made of."""
    digest = hashlib.sha256()
    for tool in tools:
        digest.update(real_tools.recipe(real_tools.find(tool)).encode())
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def pieces():
    return Pieces(real_tools.CACHE.parent / f"real-talos-{key()}")


def missing_tools(tools=TOOLS):
    return [tool for tool in tools if not real_tools.complete(real_tools.find(tool))]


def build_tools(tools, say):
    """Builds those that are missing and tells how long each took."""
    for tool in missing_tools(tools):
        began = time.monotonic()
        subprocess.run([str(ROOT / "tools/real-tools"), tool], stdout=subprocess.DEVNULL,
                       check=True)
        say(f"built {tool}", time.monotonic() - began)


def assemble_once(home, assemble, say):
    """Lets `assemble` fill the folder, unless it is complete. Two callers do it once."""
    home.parent.mkdir(parents=True, exist_ok=True)
    with open(home.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / "stamp").exists():
            began = time.monotonic()
            shutil.rmtree(home, ignore_errors=True)
            (home / "bin").mkdir(parents=True)
            assemble()
            (home / "stamp").write_text(home.name + "\n")
            say(f"assembled {home}", time.monotonic() - began)


def build(say):
    """Builds what is missing and tells how long each part took."""
    build_tools(TOOLS, say)
    result = pieces()
    assemble_once(result.home, lambda: assemble(result), say)
    return result


def assemble(result):
    compile_c(result, "capshim", "-pthread")
    make_rootfs(result.rootfs)
    make_images(result)


def compile_c(result, name, *flags):
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", *flags, "-o",
                    str(result.home / "bin" / name), str(HERE / f"{name}.c")], check=True)


def talos_sources():
    """The unpacked sources of Talos; they hold the configs that its containerd starts with."""
    module = real_tools.folder(real_tools.find(f"machined-{TALOS}")) / "module"
    listed = subprocess.run(
        [real_tools.go_program(), "mod", "download", "-json",
         f"github.com/siderolabs/talos@v{TALOS}"], cwd=module, check=True, capture_output=True,
        env=real_tools.go_environment(2))
    return pathlib.Path(json.loads(listed.stdout)["Dir"])


def make_rootfs(root):
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True)
    for link, target in (("bin", "usr/bin"), ("sbin", "usr/bin"), ("lib", "usr/lib"),
                         ("etc/localtime", "/usr/share/zoneinfo/Etc/UTC")):
        (root / link).symlink_to(target)
    install(program(f"machined-{TALOS}"), root / "usr/bin/init")
    for name in ("poweroff", "shutdown", "dashboard"):
        os.link(root / "usr/bin/init", root / "usr/bin" / name)
    for path in (program("containerd"), program("containerd", "containerd-shim-runc-v2"),
                 program("runc"), pathlib.Path("/bin/busybox")):
        install(path, root / "usr/bin" / path.name)
    for name in real_tools.find("cni-plugins").binaries:
        install(program("cni-plugins", name), root / "opt/cni/bin" / name)
    sources = talos_sources()
    for name, place in TALOS_FILES.items():
        install(sources / name, root / place, 0o644)
    for name in PLACEHOLDERS:
        (root / "etc" / name).touch()
    (root / "etc/os-release").write_text(os_release())


def os_release():
    return f'NAME="Talos"\nID=talos\nVERSION_ID=v{TALOS}\nPRETTY_NAME="Talos (v{TALOS})"\n'


def install(source, target, mode=0o755):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def make_images(result):
    """The images of a control plane, under the names and tags that a node asks for."""
    make_etcd_images(result)
    scratch = result.home / "image"
    for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler"):
        install(program("kubernetes", name), scratch / "usr/local/bin" / name)
        (scratch / "tmp").mkdir()
        write_image(result.images, name, f"v{KUBERNETES}", scratch)
    lay_out_kubelet(scratch)
    write_image(result.images, "siderolabs/kubelet", f"v{KUBERNETES}", scratch)


def make_etcd_images(result):
    """etcd's, and that of the process that holds the namespaces of a pod."""
    scratch = result.home / "image"
    install(program("etcd"), scratch / "usr/local/bin/etcd")
    (scratch / "tmp").mkdir()
    write_image(result.images, "etcd", f"v{ETCD}", scratch)
    compile_c(result, "pause")
    for tag in PAUSE:
        install(result.home / "bin/pause", scratch / "pause")
        write_image(result.images, "pause", tag, scratch, ["/pause"])


def lay_out_kubelet(scratch):
    for folder in ("etc", "run", "tmp", "usr/bin", "var"):
        (scratch / folder).mkdir(parents=True)
    for link, target in (("bin", "usr/bin"), ("sbin", "usr/bin"),
                         ("var/run", "../run")):  # Talos mounts the node's /run at /var/run
        (scratch / link).symlink_to(target)
    # The kubelet looks its own user up.
    (scratch / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n")
    (scratch / "etc/group").write_text("root:x:0:\n")
    kubelet = scratch / "usr/local/bin/kubelet"
    install(program("kubernetes", "kubelet"), kubelet.with_name("kubelet.real"))
    kubelet.write_text(KUBELET)
    kubelet.chmod(0o755)
    install(pathlib.Path("/bin/busybox"), scratch / "usr/bin/busybox")
    for name in "mount umount nsenter sh find stat df du".split():
        (scratch / "usr/bin" / name).symlink_to("busybox")


def write_image(images, name, tag, content, entrypoint=()):
    """One OCI layout with one layer that holds `content`, which is used up.

    The layer is not compressed: it travels within this machine, and four nodes unpack it on two
    cores.
    """
    layout = images / f"{name.replace('/', '+')}@{tag}"
    blobs = layout / "blobs/sha256"
    blobs.mkdir(parents=True)
    layer = add_blob(blobs, write_layer(blobs, content), "application/vnd.oci.image.layer.v1.tar")
    config = {"architecture": "amd64", "os": "linux",
              "config": {"Env": ["PATH=/usr/local/bin:/usr/bin:/bin"],
                         **({"Entrypoint": entrypoint} if entrypoint else {})},
              "rootfs": {"type": "layers", "diff_ids": [layer["digest"]]}}
    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                "config": add_json(blobs, config, "application/vnd.oci.image.config.v1+json"),
                "layers": [layer]}
    index = {"schemaVersion": 2,
             "manifests": [add_json(blobs, manifest, manifest["mediaType"])]}
    (layout / "index.json").write_text(json.dumps(index))
    (layout / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}\n')
    shutil.rmtree(content)


def write_layer(blobs, content):
    """A tar that is the same for the same content."""
    def plain(entry):
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = ""
        return entry

    with tarfile.open(blobs / "layer", "w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(content.rglob("*")):
            tar.add(path, path.relative_to(content).as_posix(), recursive=False, filter=plain)
    return blobs / "layer"


def add_json(blobs, value, kind):
    path = blobs / "json"
    path.write_text(json.dumps(value))
    return add_blob(blobs, path, kind)


def add_blob(blobs, path, kind):
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    size = path.stat().st_size
    path.rename(blobs / digest)
    return {"mediaType": kind, "digest": f"sha256:{digest}", "size": size}
