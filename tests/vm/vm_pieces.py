"""What machines boot and are installed with, built once and cached.

The programs come from tools/real-tools and from Debian (debian.py). This file puts them together in
~/.cache/ichor/real-talos-vm-KEY: the ISO by Talos' own imager, and the images that a machine pulls,
among them two installers that differ in the kernel's command line.
"""

import dataclasses
import json
import pathlib
import shutil
import subprocess
import sys

import debian
import rootfs

import pieces as node_pieces

HERE = pathlib.Path(__file__).resolve().parent
TALOS = node_pieces.TALOS
KUBERNETES = node_pieces.KUBERNETES
# Building Kubernetes takes longer than all else, and most stories end before it begins.
KUBERNETES_TOOLS = tuple(tool for tool in node_pieces.TOOLS if tool.startswith("kube"))
TOOLS = (*(tool for tool in node_pieces.TOOLS if tool not in KUBERNETES_TOOLS),
         f"talos-init-{TALOS}", f"talos-installer-{TALOS}")
SOURCES = (*(HERE / name for name in ("debian.py", "rootfs.py", "vm_pieces.py",
                                      "guest-packages.txt")),
           *(node_pieces.HERE / name for name in ("pieces.py", "pause.c")))
CACHE = node_pieces.real_tools.CACHE.parent

INSTALLER = "siderolabs/installer"
SECOND = f"v{TALOS}-second"  # the tag of the other installer image
SECOND_MARK = "ichor.image=second"
# Talos wants "pti=on", and what comes later wins: page table isolation and the other mitigations
# cost an emulated processor more than anything else. Talos' own kernel panics on an oops. A busy
# machine can keep an emulated timer from ticking while the kernel tests it, and that is a panic.
KERNEL_ARGUMENTS = ("console=ttyS0", "oops=panic", "nopti", "mitigations=off", "no_timer_check",
                    "talos.dashboard.disabled=1")


@dataclasses.dataclass(frozen=True)
class VmPieces:
    """Where the parts of a machine are, once build() is through."""

    home: pathlib.Path

    iso = property(lambda self: self.home / "out/metal-amd64.iso")
    images = property(lambda self: self.home / "images")
    complete = property(lambda self: (self.home / "stamp").exists())


def tools(kubernetes):
    return TOOLS + KUBERNETES_TOOLS if kubernetes else TOOLS


def pieces(kubernetes=False):
    """With or without the images of Kubernetes; without, a node's boot does not end, because it
    waits for the kubelet."""
    return VmPieces(CACHE / f"real-talos-vm-{node_pieces.key(tools(kubernetes), SOURCES)}")


def packages():
    """Where Debian's packages are unpacked, once obtain() is through."""
    return CACHE / f"real-talos-vm-debian-{node_pieces.key((), (HERE / 'debian.py', debian.LIST))}"


def obtain(say, kubernetes=False):
    """Gets what comes from elsewhere: programs and packages. Without a way out this fails."""
    node_pieces.build_tools(tools(kubernetes), say)
    node_pieces.assemble_once(packages(), lambda: fetch(packages()), say)


def build(say, kubernetes=False):
    """Puts together what obtain() got, and tells how long it took."""
    result = pieces(kubernetes)
    make_images = node_pieces.make_images if kubernetes else node_pieces.make_etcd_images

    def fill():
        assemble(result, packages() / "stage")
        make_images(result)

    node_pieces.assemble_once(result.home, fill, say)
    return result


def fetch(home):
    files = debian.Archive(home / "apt").download(debian.read_list(debian.LIST))
    debian.unpack(files, home / "stage")
    # Which versions they are is part of every report about a machine.
    (home / "versions").write_text("".join(f"{path.name}\n" for path in files))
    shutil.rmtree(home / "apt/cache")


def assemble(result, stage):
    home = result.home
    rootfs.make_rootfs(home / "rootfs", stage)
    assets = home / "assets"
    assets.mkdir()
    rootfs.make_initramfs(home / "initramfs", home / "rootfs", stage, assets / "initramfs")
    boot = stage / "usr/lib/systemd/boot/efi"
    for source, name in ((next((stage / "boot").glob("vmlinuz-*")), "vmlinuz"),
                         (boot / "systemd-bootx64.efi", "systemd-boot.efi"),
                         (boot / "linuxx64.efi.stub", "systemd-stub.efi")):
        node_pieces.install(source, assets / name, 0o644)
    make_image(result, "iso", home / "out")
    for tag, marks in ((f"v{TALOS}", ()), (SECOND, (SECOND_MARK,))):
        make_image(result, "uki", home / tag, *marks)
        make_installer(result, stage, tag)
    for name in ("rootfs", "initramfs"):
        shutil.rmtree(home / name)


def imager_profile(assets, kind, marks):
    """What Talos' imager must make; JSON is YAML."""
    files = {"kernel": "vmlinuz", "initramfs": "initramfs", "sdStub": "systemd-stub.efi",
             "sdBoot": "systemd-boot.efi"}
    output = {"kind": kind, "outFormat": "raw"}
    if kind == "iso":
        output["isoOptions"] = {"bootloader": "sd-boot"}
    return {"arch": "amd64", "platform": "metal", "secureboot": False, "version": f"v{TALOS}",
            "customization": {"extraKernelArgs": [*KERNEL_ARGUMENTS, *marks]},
            "input": {part: {"path": str(assets / file)} for part, file in files.items()},
            "output": output}


def make_image(result, kind, target, *marks):
    """An ISO or a unified kernel image, by the real imager: the installer under another name."""
    target.mkdir(parents=True)
    imager = result.home / "bin/imager"
    if not imager.exists():
        imager.symlink_to(node_pieces.program("talos-installer"))
    profile = json.dumps(imager_profile(result.home / "assets", kind, marks))
    done = subprocess.run([str(imager), "-", "--output", str(target)], input=profile, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"imager: {kind} cannot be made: {done.stdout[-2000:]}")


def make_installer(result, stage, tag):
    content = result.home / "installer"
    rootfs.make_tree(content)
    for folder in "usr/install/amd64 usr/share/xfsprogs tmp proc sys dev var run boot etc".split():
        (content / folder).mkdir(parents=True)
    rootfs.install_with_libraries(stage, content, rootfs.INSTALLER_PROGRAMS)
    shutil.copytree(stage / "usr/share/xfsprogs/mkfs", content / "usr/share/xfsprogs/mkfs")
    node_pieces.install(node_pieces.program("talos-installer"), content / "usr/bin/installer")
    files = content / "usr/install/amd64"
    node_pieces.install(result.home / tag / "metal-amd64-uki.efi", files / "vmlinuz.efi", 0o644)
    node_pieces.install(result.home / "assets/systemd-boot.efi", files / "systemd-boot.efi", 0o644)
    node_pieces.write_image(result.images, INSTALLER, tag, content, ["/bin/installer"])
