#!/usr/bin/env python3
"""What of the harness can be tried without root, machines, QEMU or Go."""

import dataclasses
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "real"))

import debian  # noqa: E402
import vm_cluster  # noqa: E402
import vm_ground  # noqa: E402
import vm_lab  # noqa: E402
import vm_pieces  # noqa: E402
import vm_recording  # noqa: E402


class Packages(unittest.TestCase):
    def test_come_from_the_archive_that_is_neither_security_nor_updates(self):
        targets = ("mirror://x/debian-security bookworm-security\n"
                   "mirror://x/debian bookworm-updates\nmirror://x/debian bookworm\n")
        self.assertEqual(debian.mirror(targets), "mirror://x/debian")
        with self.assertRaises(debian.PackageError):
            debian.mirror("")

    def test_of_the_list_are_named_without_remarks(self):
        names = debian.read_list(debian.LIST)
        self.assertIn("xfsprogs", names)
        self.assertEqual([name for name in names if "#" in name or " " in name], [])
        self.assertEqual(len([name for name in names if debian.KERNEL.fullmatch(name)]), 1)

    def test_that_are_checked_are_those_that_are_installed(self):
        listed = set(debian.read_list(HERE / "packages.txt"))
        usual = set(debian.read_list(HERE.parents[1] / "tools/packages.txt")) | {"e2fsprogs"}
        self.assertEqual(set(vm_ground.PROGRAMS.values()) | {"ovmf"}, listed | (
            usual & set(vm_ground.PROGRAMS.values())))


class AMachine(unittest.TestCase):
    def test_is_kept_as_it_was_asked_for(self):
        spec = vm_cluster.machine(0, 2048)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "spec.json"
            path.write_text(json.dumps(dataclasses.asdict(spec)))
            self.assertEqual(vm_lab.MachineSpec.read(path), spec)

    def test_differs_from_others_in_all_that_it_is_known_by(self):
        one, other = (vm_cluster.machine(number, 2048) for number in (0, 1))
        for mark in ("name", "address", "mac", "uuid", "serial"):
            self.assertNotEqual(getattr(one, mark), getattr(other, mark), mark)
        self.assertEqual(one.uuid, vm_cluster.machine(0, 3072).uuid, "it is the same machine")

    def test_boots_from_its_disks_before_the_iso(self):
        spec = vm_cluster.machine(0, 2048)
        argv = vm_lab.qemu_command(spec, pathlib.Path("/x"), "tap0", pathlib.Path("/y.iso"))
        order = [word for word in argv if "bootindex" in word]
        self.assertEqual([word.rpartition("=")[2] for word in order], ["0", "1", "2"])
        self.assertIn("drive=iso", order[-1])
        self.assertIn(spec.uuid, argv)
        self.assertTrue(any(f"mac={spec.mac}" in word for word in argv))


class ADisk(unittest.TestCase):
    def test_is_known_by_what_is_written_and_where(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "disk"
            found = []
            for at, text in ((0, b""), (5 << 20, b"data"), (6 << 20, b"data"), (6 << 20, b"Data"),
                             (1 << 20, bytes(1 << 16))):
                with open(path, "wb") as file:
                    file.seek(at)
                    file.write(text)
                    file.truncate(1 << 30)
                found.append(vm_lab.fingerprint(path))
            self.assertEqual(len(set(found)), 4)
            self.assertEqual(found[0], found[-1], "zeros are a hole")


class ALab(unittest.TestCase):
    def test_knows_addresses_by_the_leases_of_dhcp(self):
        with tempfile.TemporaryDirectory() as folder:
            lab = vm_lab.VmLab("leases")
            lab.folder = pathlib.Path(folder)
            self.assertEqual(lab.leases(), {})
            (lab.folder / "leases").write_text(
                "1795099690 52:54:00:05:00:0b 10.5.0.142 talos-x *\nduid 00:01\n")
            self.assertEqual(lab.leases(), {"52:54:00:05:00:0b": "10.5.0.142"})

    def test_is_none_of_the_other_tier(self):
        self.assertNotEqual(vm_lab.VmLab("x").folder, vm_lab.labs.Lab("x").folder)
        self.assertNotEqual(vm_lab.VmLab("x").group, vm_lab.labs.Lab("x").group)
        # Whoever lists the namespaces of a lab by its prefix does not find ours.
        self.assertFalse(vm_lab.VmLab("x").group.startswith(vm_lab.labs.Lab("vm").group + "."))


class AConsole(unittest.TestCase):
    def test_tells_sequences_phases_and_tasks_of_every_boot(self):
        console = """\
[    0.000000] Linux version 6.18.15+deb13-cloud-amd64 (x) #1 SMP
[   81.840870] [talos] install sequence: 8 phase(s)
[   81.850286] [talos] phase install (2/8): 1 tasks(s)
[   81.850438] [talos] task install (1/1): starting
[   81.850986] [talos] task install (1/1): waiting for the image cache
[  134.3] [talos] task install (1/1): failed: no disks matched the expression: x
[  134.4] [talos] phase install (2/8): failed
[  134.5] [talos] install sequence: failed
[    0.000000] Linux version 6.18.15+deb13-cloud-amd64 (x) #1 SMP
[   21.1] [talos] initialize sequence: done: 1m0.250728228s
[   21.2] [talos] phase meta (4/9): done, 988.866167ms
"""
        self.assertEqual(vm_recording.lines_of(console), [
            "0\tboot", "81\tsequence\tinstall\tSTART", "81\tphase\tinstall\tSTART",
            "81\ttask\tinstall\tSTART",
            "134\ttask\tinstall\tFAILED: no disks matched the expression: x",
            "134\tphase\tinstall\tFAILED", "134\tsequence\tinstall\tFAILED",
            "0\tboot", "21\tsequence\tinitialize\tSTOP", "21\tphase\tmeta\tSTOP"])


class AnImage(unittest.TestCase):
    def test_is_made_by_a_profile_of_the_imager(self):
        assets = pathlib.Path("/assets")
        iso = vm_pieces.imager_profile(assets, "iso", ())
        uki = vm_pieces.imager_profile(assets, "uki", (vm_pieces.SECOND_MARK,))
        self.assertEqual(iso["output"]["isoOptions"], {"bootloader": "sd-boot"})
        self.assertNotIn("isoOptions", uki["output"])
        self.assertEqual(uki["customization"]["extraKernelArgs"][-1], vm_pieces.SECOND_MARK)
        self.assertNotIn(vm_pieces.SECOND_MARK, iso["customization"]["extraKernelArgs"])


if __name__ == "__main__":
    unittest.main()
