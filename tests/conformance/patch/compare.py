"""Patches a config with ichor and with talosctl and tells how the two differ."""

import concurrent.futures
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import talos  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


class Bench:
    def __init__(self, version):
        self.talosctl = talos.talosctl(version)
        self.version = version
        self.refused_by_both = 0

    def compare_all(self, pairs):
        """compare() of many, two at a time, in order."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            yield from pool.map(lambda pair: self.compare(*pair), pairs)

    def patch(self, base, patches):
        """Both programs' outputs; None for one that refused. And what each said."""
        with tempfile.TemporaryDirectory() as folder:
            return self.patch_in(pathlib.Path(folder), base, patches)

    def patch_in(self, home, base, patches):
        config = home / "config.yaml"
        config.write_text(base)
        words = []
        for index, text in enumerate(patches):
            path = home / f"patch{index}.yaml"
            path.write_text(text)
            words += ["--patch", f"@{path}"]
        target = home / "out.yaml"
        theirs = talos.run([self.talosctl, "machineconfig", "patch", config, *words, "-o", target])
        ours = talos.run([talos.ichor(), "machineconfig", "patch", config, *words, "--output", "-",
                          "--talos-version", self.version])
        if ours.returncode not in (0, 1):
            raise AssertionError(f"ichor ended with {ours.returncode}: {ours.stderr}")
        return (ours.stdout if ours.returncode == 0 else None,
                target.read_text() if theirs.returncode == 0 and target.exists() else None,
                ours.stderr, theirs.stderr)

    def compare(self, base, patches):
        """Lines that tell how the two differ; none if they do not."""
        ours, theirs, our_words, their_words = self.patch(base, patches)
        if ours is None and theirs is None:
            self.refused_by_both += 1
            return []
        if ours is None:
            return [f"only ichor refuses: {our_words.strip()[:300]}"]
        if theirs is None:
            return [f"only talosctl refuses: {their_words.strip()[:300]}"]
        return list(talos.differences(talos.documents(ours), talos.documents(theirs)))
