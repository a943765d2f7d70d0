"""The root file system and the initramfs of a Talos machine, laid out as Talos' own build does it.

Talos' programs come from tools/real-tools; kernel, modules and the few other programs that machined
calls come from Debian. Talos' kernel has everything built in that Debian's has as a module, so
/init is a shell script that loads those modules and then becomes Talos' init.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "real"))

import pieces as node_pieces  # noqa: E402

LIBRARIES = "usr/lib/x86_64-linux-gnu"
LOADER = "ld-linux-x86-64.so.2"
LIBRARY = re.compile(r"/\S+\.so\S*")

# What machined, and what it starts, calls by name.
PROGRAMS = """/usr/bin/udevadm /usr/bin/kmod /usr/sbin/mkfs.xfs /usr/sbin/xfs_growfs
/usr/sbin/xfs_repair /usr/sbin/mkfs.vfat /usr/sbin/fsck.fat /usr/sbin/mkfs.ext4 /usr/sbin/e2fsck
/usr/sbin/resize2fs /usr/sbin/lvm /usr/sbin/dmsetup /usr/sbin/cryptsetup /usr/sbin/nft
/usr/sbin/xtables-nft-multi""".split()
INSTALLER_PROGRAMS = "/usr/sbin/mkfs.vfat /usr/sbin/mkfs.xfs".split()
# udevd opens it by name when it runs.
OPENED_LIBRARIES = ("libkmod.so.2",)

ALIASES = {"systemd-udevd": "udevadm", "modprobe": "kmod"}
ALIASES |= {f"{tool}{action}": "xtables-nft-multi" for tool in ("iptables", "ip6tables")
            for action in ("", "-save", "-restore")}

FOLDERS = """etc/lvm etc/udev/rules.d usr/lib/systemd/network usr/lib/udev usr/share/xfsprogs
boot/EFI""".split()
TALOS_FILES = {"hack/udevd/99-default.link": "usr/lib/systemd/network/99-default.link",
               "hack/lvm.conf": "etc/lvm/lvm.conf"}
CERTIFICATE_FOLDERS = """etc/pki usr/share/ca-certificates usr/local/share/ca-certificates
etc/ca-certificates""".split()

# Below lib/modules/VERSION/kernel.
MODULES = """arch/x86/crypto crypto lib net fs/xfs fs/fat fs/squashfs fs/overlayfs fs/nls fs/isofs
fs/efivarfs fs/configfs fs/fuse fs/netfs drivers/block drivers/cdrom drivers/md drivers/scsi
drivers/virtio drivers/ata drivers/nvme drivers/char drivers/net/wireguard drivers/net/vxlan
drivers/net/bonding drivers/net/*.ko* drivers/watchdog drivers/ptp drivers/net/phy
drivers/net/mdio""".split()
# What init and machined use before udev can load it.
EARLY_MODULES = """configfs efivarfs loop squashfs overlay virtio_blk virtio_net virtio_scsi sd_mod
sr_mod xfs vfat nls_cp437 nls_iso8859-1 nls_ascii iso9660 bridge br_netfilter veth nf_tables
dm_mod""".split()

INIT = """\
#!/bin/busybox sh
for module in /modules/*.ko; do /bin/busybox insmod "$module"; done
exec /init.talos
"""


def make_tree(root):
    """The folders that a merged /usr has links for."""
    for folder in ("usr/bin", "usr/lib", "usr/lib64"):
        (root / folder).mkdir(parents=True)
    for link, target in (("bin", "usr/bin"), ("sbin", "usr/bin"), ("usr/sbin", "bin"),
                         ("lib", "usr/lib"), ("lib64", "usr/lib64")):
        (root / link).symlink_to(target)


def libraries_of(stage, program):
    """The libraries that a program of the stage is linked with, as paths in the stage."""
    listed = subprocess.run(["chroot", str(stage), f"/lib64/{LOADER}", "--list", program],
                            check=True, capture_output=True, text=True).stdout
    return sorted({pathlib.Path(found) for found in LIBRARY.findall(listed)})


def install_with_libraries(stage, root, programs):
    (root / LIBRARIES).mkdir(parents=True, exist_ok=True)
    loader = root / "usr/lib64" / LOADER
    if not loader.is_symlink():
        loader.symlink_to(f"../lib/x86_64-linux-gnu/{LOADER}")
    for program in programs:
        node_pieces.install(stage / program[1:], root / "usr/bin" / pathlib.Path(program).name)
        for library in libraries_of(stage, program):
            node_pieces.install(stage / str(library)[1:], root / LIBRARIES / library.name)


def make_rootfs(root, stage):
    """Everything that Talos finds below / once its init has mounted the squashfs."""
    make_tree(root)
    for folder in (*node_pieces.FOLDERS, *FOLDERS):
        (root / folder).mkdir(parents=True, exist_ok=True)
    install_programs(root, stage)
    sources = node_pieces.talos_sources()
    for name, place in (node_pieces.TALOS_FILES | TALOS_FILES).items():
        node_pieces.install(sources / name, root / place, 0o644)
    for name in node_pieces.PLACEHOLDERS:
        if name != "hostname":  # made by machined itself on a machine
            (root / "etc" / name).touch()
    (root / "etc/localtime").symlink_to("/usr/share/zoneinfo/Etc/UTC")
    (root / "etc/os-release").write_text(node_pieces.os_release())
    certificates = sorted(pathlib.Path("/usr/share/ca-certificates/mozilla").glob("*.crt"))
    (root / "etc/ssl/certs/ca-certificates.crt").write_text(
        "".join(path.read_text() for path in certificates))
    for folder in CERTIFICATE_FOLDERS:
        (root / folder).symlink_to("/etc/ssl")
    install_modules(root, stage)


def install_programs(root, stage):
    programs = root / "usr/bin"
    node_pieces.install(node_pieces.program("machined"), programs / "init")
    for name in ("poweroff", "shutdown", "dashboard"):
        os.link(programs / "init", programs / name)
    for path in (node_pieces.program("containerd"),
                 node_pieces.program("containerd", "containerd-shim-runc-v2"),
                 node_pieces.program("runc")):
        node_pieces.install(path, programs / path.name)
    for name in node_pieces.real_tools.find("cni-plugins").binaries:
        node_pieces.install(node_pieces.program("cni-plugins", name), root / "opt/cni/bin" / name)
    install_with_libraries(stage, root, PROGRAMS)
    for name in OPENED_LIBRARIES:
        node_pieces.install((stage / LIBRARIES / name).resolve(), root / LIBRARIES / name)
    for name, target in ALIASES.items():
        (programs / name).symlink_to(target)
    shutil.copytree(stage / "usr/share/xfsprogs/mkfs", root / "usr/share/xfsprogs/mkfs")
    shutil.copytree(stage / "usr/lib/udev", root / "usr/lib/udev", symlinks=True,
                    dirs_exist_ok=True, ignore=shutil.ignore_patterns("hwdb.*"))


def kernel_version(stage):
    return next((stage / "usr/lib/modules").iterdir()).name


def install_modules(root, stage):
    version = kernel_version(stage)
    source, target = (top / "usr/lib/modules" / version for top in (stage, root))
    for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        node_pieces.install(source / name, target / name, 0o644)
    for pattern in MODULES:
        for path in (source / "kernel").glob(pattern):
            place = target / path.relative_to(source)
            if path.is_dir():
                shutil.copytree(path, place, dirs_exist_ok=True)
            else:
                node_pieces.install(path, place, 0o644)
    packed = [str(path) for path in target.rglob("*.ko.xz")]
    subprocess.run(["unxz", "-q", *packed], check=True)
    subprocess.run(["depmod", "-b", str(root), version], check=True)


def early_modules(root, version):
    """The files of EARLY_MODULES in the order in which they can be loaded."""
    found = []
    for module in EARLY_MODULES:
        shown = subprocess.run(["modprobe", "-d", str(root), "-S", version, "--show-depends",
                                module], check=True, capture_output=True, text=True).stdout
        for line in shown.splitlines():
            verb, _, path = line.partition(" ")
            if verb == "insmod" and path.strip() not in found:
                found.append(path.strip())
    return found


def make_initramfs(folder, root, stage, target):
    for name in ("bin", "modules", "dev", "proc", "sys", "root"):
        (folder / name).mkdir(parents=True)
    subprocess.run(["mksquashfs", str(root), str(folder / "rootfs.sqsh"), "-noappend", "-all-root",
                    "-comp", "zstd", "-Xcompression-level", "9", "-no-progress", "-quiet"],
                   check=True)
    node_pieces.install(stage / "usr/bin/busybox", folder / "bin/busybox")
    node_pieces.install(node_pieces.program("talos-init"), folder / "init.talos")
    for number, path in enumerate(early_modules(root, kernel_version(stage)), 100):
        node_pieces.install(pathlib.Path(path),
                            folder / "modules" / f"{number}-{pathlib.Path(path).name}", 0o644)
    (folder / "init").write_text(INIT)
    (folder / "init").chmod(0o755)
    with open(target, "wb") as file:
        subprocess.run(["sh", "-c", "find . | sort | cpio --reproducible -H newc -o --quiet "
                        "-R 0:0 | zstd -c -T2 -3"], cwd=folder, stdout=file, check=True)
