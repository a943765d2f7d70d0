#!/usr/bin/env python3
"""What `ichor migrate` makes is accepted by the real talosctl 1.14.1.

Three kinds of old configs: those of the example profiles, those of the talhelper projects, and
those that talosctl 1.13.9 makes of the patches in `patches`, which are written in the manner of
real repositories. Each is valid for its old release first. The result must be valid for talosctl
1.14.1, mostly typed documents, and proved by ichor to mean the same. The patches are migrated alone
as well; talosctl 1.14.1 applies them to a config of its own and validates it.

The first lines of a patch may say `# contract: v1.11` and `# role: controlplane`.
"""

import importlib.machinery
import importlib.util
import pathlib
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests/conformance"))
import talos  # noqa: E402

talos.reexec_with_yaml()
import yaml  # noqa: E402


def load_part(name):
    """A part of the conformance tests as a module."""
    loader = importlib.machinery.SourceFileLoader(
        "part", str(ROOT / "tests/conformance/parts-full.d" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("part", loader))
    loader.exec_module(module)
    return module


talhelper = load_part("65-talhelper")

ENDPOINT = "https://10.0.0.100:6443"
KUBERNETES = "v1.35.4"
# Sections that keep their old form, with the setting that ichor names.
STAYS = {"16-oidc-stays": "cluster.apiServer.extraArgs.oidc-issuer-url",
         "17-mounts-stay": "machine.kubelet.extraMounts"}
TYPED_MIN = 10  # documents of a worker whose kubelet keeps its old form, which has the fewest


class Migration:
    def __init__(self, work):
        self.work = work
        self.old, self.new = talos.talosctl("1.13.9"), talos.talosctl("1.14.1")
        self.secrets = work / "secrets.yaml"
        made = talos.run([talos.ichor(), "gen", "secrets", "-o", self.secrets])
        assert made.returncode == 0, made.stderr

    def validate(self, tool, config):
        done = talos.run([tool, "validate", "--mode", "metal", "-c", config])
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def judge(self, config, stays=None):
        """What is wrong with the migrated form of a config; empty: nothing."""
        result = config.with_suffix(".1.14.yaml")
        done = talos.run([talos.ichor(), "migrate", "--to", "v1.14", config, "--output", result,
                          "--kubernetes-version", KUBERNETES])
        if done.returncode != 0:
            return [f"ichor migrate ends with {done.returncode}: {done.stdout}{done.stderr}"]
        said = done.stdout + done.stderr
        found = re.findall(r"not proved to mean the same.*", said)
        if stays and stays not in said:
            found.append(f"{stays} is not named")
        wrong = self.validate(self.new, result)
        if wrong:
            found.append(f"talosctl 1.14.1: {wrong}")
        documents = [document for document in yaml.safe_load_all(result.read_text()) if document]
        typed = [document for document in documents if "kind" in document]
        if len(typed) < TYPED_MIN:
            found.append(f"only {len(typed)} documents")
        left = next((document for document in documents if "kind" not in document), {})
        if not stays and ("apiServer" in left.get("cluster", {}) or
                          "kubelet" in left.get("machine", {})):
            found.append("a section kept its old form")
        return found

    # The three kinds.

    def of_profile(self, profile):
        """The configs of an example, which are of its own contract."""
        out = self.work / profile.parent.name
        done = talos.run([talos.ichor(), "gen", "config", "--from", profile, "--with-secrets",
                          self.secrets, "--output-dir", out])
        if done.returncode != 0:
            return [(str(profile), [f"ichor gen config: {done.stdout}{done.stderr}"])]
        return [(f"{profile.parent.name}/{config.name}", self.judge_old(config))
                for config in sorted(out.glob("*.yaml"))]

    def judge_old(self, config, stays=None):
        wrong = self.validate(self.old, config)
        return [f"talosctl 1.13.9: {wrong}"] if wrong else self.judge(config, stays)

    def of_talhelper(self, project):
        """Of talhelper's own projects; they are for several releases."""
        copy = self.work / f"talhelper-{project.name}"
        shutil.copytree(project, copy)
        shutil.copyfile(self.secrets, copy / "talsecret.yaml")
        environment = talhelper.environment(project)
        talhelper.seal(copy, environment)
        out = copy / "out"
        done = talos.run([talos.ichor(), "gen", "config", "--from", copy / "talconfig.yaml",
                          "--with-secrets", self.secrets, "--output-dir", out], env=environment)
        if done.returncode != 0:
            return [(f"talhelper/{project.name}", [f"ichor: {done.stdout}{done.stderr}"])]
        results = []
        for config in sorted(out.glob("*.yaml")):
            name = f"talhelper/{project.name}/{config.name}"
            wrong = self.validate(self.new, config)
            text = config.read_text()
            stays = next((path for word, path in (("extraMounts", "machine.kubelet.extraMounts"),
                                                  ("extraVolumes", ".extraVolumes"))
                          if word in text), None)
            results.append((name, [f"talosctl 1.14.1 before: {wrong}"] if wrong
                            else self.judge(config, stays)))
        return results

    def generate(self, tool, contract, out):
        done = talos.run([tool, "gen", "config", "demo", ENDPOINT, "--with-secrets", self.secrets,
                          "--talos-version", contract, "--kubernetes-version", KUBERNETES[1:],
                          "--output-dir", out])
        assert done.returncode == 0, done.stderr

    def of_patch(self, patch):
        head = dict(re.findall(r"^# (contract|role): (\S+)$", patch.read_text(), re.M))
        contract = head.get("contract", "v1.13")
        roles = [head["role"]] if "role" in head else ["controlplane", "worker"]
        home = self.work / patch.stem
        self.generate(self.old, contract, home / "old")
        self.generate(self.new, "v1.14", home / "new")
        results = []
        for role in roles:
            config = home / f"{role}.yaml"
            done = talos.run([self.old, "machineconfig", "patch", home / "old" / f"{role}.yaml",
                              "--patch", f"@{patch}", "--output", config])
            name = f"{patch.stem}/{role}"
            if done.returncode != 0:
                results.append((name, [f"talosctl 1.13.9 patch: {done.stderr}"]))
                continue
            results.append((name, self.judge_old(config, STAYS.get(patch.stem))))
        results.append((f"{patch.stem} alone", self.judge_patch(patch, home, roles)))
        return results

    def judge_patch(self, patch, home, roles):
        result = home / "patch.yaml"
        done = talos.run([talos.ichor(), "migrate", "--to", "v1.14", patch, "--output", result])
        if patch.stem in STAYS:
            refused = done.returncode == 3 and STAYS[patch.stem] in done.stdout + done.stderr
            return [] if refused and not result.exists() else ["the patch is not refused"]
        if done.returncode != 0:
            return [f"ichor migrate ends with {done.returncode}: {done.stdout}{done.stderr}"]
        # What workers refuse is said; such a patch is for control planes from now on.
        if "is refused on workers" in done.stdout + done.stderr:
            roles = ["controlplane"]
        found = []
        for role in roles:
            config = home / f"patched-{role}.yaml"
            done = talos.run([self.new, "machineconfig", "patch", home / "new" / f"{role}.yaml",
                              "--patch", f"@{result}", "--output", config])
            wrong = done.stderr if done.returncode else self.validate(self.new, config)
            if wrong:
                found.append(f"talosctl 1.14.1, {role}: {wrong}")
        return found


def main():
    patches = sorted((HERE / "patches").glob("*.yaml"))
    projects = sorted(path for path in (ROOT / "tests/conformance/talhelper").iterdir()
                      if (path / "talconfig.yaml").exists())
    profiles = [ROOT / "examples/reference/ichor.yaml", ROOT / "examples/templates/ichor.yaml"]
    with tempfile.TemporaryDirectory() as folder:
        migration = Migration(pathlib.Path(folder))
        results = []
        for profile in profiles:
            results += migration.of_profile(profile)
        for project in projects:
            results += migration.of_talhelper(project)
        for patch in patches:
            results += migration.of_patch(patch)
    failed = [name for name, found in results if found]
    for name, found in results:
        print(f"{'WRONG ' if found else 'fine  '} {name}")
        print(*(f"    {line.strip()}" for line in found), sep="\n", end="\n" if found else "")
    print(f"{len(results)} results of {len(profiles)} profiles, {len(projects)} talhelper projects "
          f"and {len(patches)} patches; {len(failed)} are wrong")
    return 1 if failed or len(patches) < 20 or len(projects) < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
