"""gen config of ichor and of talosctl with the same flags, secrets and contract."""

import base64
import concurrent.futures
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

import yaml
import talos

HERE = pathlib.Path(__file__).resolve().parent
SECRETS = talos.ROOT / "tests/golden/gen-config/secrets.yaml"
CONTRACTS = ("v1.8", "v1.9", "v1.10", "v1.11", "v1.12", "v1.13")
# Kubernetes and the installer that a release of Talos takes by default.
RELEASES = {
    12: ("1.35.2", "ghcr.io/siderolabs/installer:v1.12.6"),
    13: ("1.36.3", "ghcr.io/siderolabs/installer:v1.13.9"),
    14: ("1.37.0", "factory.talos.dev/metal-installer/"
         "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:v1.14.1"),
}
FILES = ("controlplane.yaml", "worker.yaml")
EMPTY_BESIDE_EXAMPLES = (".machine.registries: only ichor has {}",
                         ".cluster.extraManifests: only ichor has []",
                         ".cluster.inlineManifests: only ichor has []")


def certificate_facts(encoded):
    """What a client certificate says beside its key, serial and moment."""
    pem = base64.b64decode(encoded)
    text = subprocess.run(["openssl", "x509", "-noout", "-subject", "-issuer", "-dates", "-ext",
                           "extendedKeyUsage,keyUsage"], input=pem, capture_output=True,
                          check=True).stdout.decode()
    lines = [line.strip() for line in text.splitlines()]
    dates = dict(line.split("=", 1) for line in lines if line.startswith("not"))
    begin, end = [int(subprocess.run(["date", "-d", dates[name], "+%s"], capture_output=True,
                                     text=True, check=True).stdout)
                  for name in ("notBefore", "notAfter")]
    return [line for line in lines if not line.startswith("not")] + [end - begin]


def talosconfig(path):
    config = yaml.safe_load(path.read_text())
    for context in config["contexts"].values():
        context["crt"] = certificate_facts(context["crt"])
        del context["key"]
    return config


class Bench:
    def __init__(self, version):
        self.version, self.talosctl = version, talos.talosctl(version)

    def arguments(self, case, contract):
        minor = int(self.version.split(".")[1])
        endpoint = case.get("endpoint", "https://10.0.0.1:6443")
        flags = ["gen", "config", "demo", endpoint, "--with-secrets", SECRETS, "--talos-version",
                 contract]
        if not case.get("documented"):
            flags += ["--with-docs=false", "--with-examples=false"]
        own = list(case["flags"])
        # These come from the release of the tool, not from the contract.
        release = RELEASES[minor]
        own_release = contract == f"v1.{minor}" and minor >= 14
        if "--kubernetes-version" not in own and not own_release:
            flags += ["--kubernetes-version", release[0]]
        if "--install-image" not in own and not own_release:
            flags += ["--install-image", release[1]]
        if minor >= 13:  # it has no --persist any more
            own = [flag for flag in own if not flag.startswith("--persist")]
        return flags + own

    def compare(self, case, contract):
        with tempfile.TemporaryDirectory() as folder:
            home = pathlib.Path(folder)
            arguments = self.arguments(case, contract)
            theirs = talos.run([self.talosctl, *arguments, "--output", home / "theirs"])
            old = os.umask(0)
            try:
                ours = talos.run([talos.ichor(), *arguments, "--output", home / "ours"])
            finally:
                os.umask(old)
            if (ours.returncode == 0) != (theirs.returncode == 0):
                return [f"ichor {ours.returncode}: {ours.stderr.strip()[:200]}",
                        f"talosctl {theirs.returncode}: {theirs.stderr.strip()[:200]}"]
            if ours.returncode != 0:
                return []
            return list(self.differences(home / "ours", home / "theirs", contract))

    def refused(self, path):
        """What talosctl validate has against a config; empty if nothing."""
        checked = talos.run([self.talosctl, "validate", "--mode", "metal", "--config", path])
        return checked.stderr.strip() if checked.returncode != 0 else ""

    def secrets_differ(self, config):
        """Both take the same secrets out of a control plane's config, or refuse it."""
        found = []
        for program in (talos.ichor(), self.talosctl):
            target = config.with_name("secrets.yaml")
            done = talos.run([program, "gen", "secrets", "--force", "--from-controlplane-config",
                              config, "--output-file", target])
            found.append(yaml.safe_load(target.read_text()) if done.returncode == 0 else None)
        ours, theirs = found
        # Of a config without all of them talosctl gives what is there, and ichor refuses it.
        whole = theirs is not None and all(theirs["certs"].values())
        if ours is not None and theirs is not None:
            yield from talos.differences(ours, theirs, "secrets")
        elif ours is not None or whole:
            yield f"secrets: ichor {ours is not None}, talosctl {theirs is not None}"

    def differences(self, ours, theirs, contract):
        for name in FILES:
            one, other = [talos.documents((side / name).read_text()) for side in (ours, theirs)]
            found = list(talos.differences(one, other, name))
            # Talos 1.12 does not know what contract 1.13 leaves out and moves into documents.
            if contract == "v1.13" and self.version == "1.12.6":
                found = [line for line in found if ".machine.network" not in line
                         and "KubeSpanConfig" not in line]
            # Talos 1.14 writes no empty sections beside documentation, whatever the contract; the
            # releases of these contracts do, and so does ichor.
            if self.version.startswith("1.14.") and contract != "v1.14":
                found = [line for line in found if not line.endswith(EMPTY_BESIDE_EXAMPLES)]
            yield from found
            # What is asked for may be wrong in itself (--persist=false); then both are refused.
            refused = self.refused(ours / name)
            known = "KubeSpanConfig" in refused and self.version == "1.12.6"
            if refused and not known and not self.refused(theirs / name):
                yield f"{name}: talosctl validate: {refused[:300]}"
        yield from self.secrets_differ(theirs / "controlplane.yaml")
        yield from talos.differences(talosconfig(ours / "talosconfig"),
                                     talosconfig(theirs / "talosconfig"), "talosconfig")
        for name in (*FILES, "talosconfig"):
            mode = stat.S_IMODE((ours / name).stat().st_mode)
            if mode != 0o600:
                yield f"{name} has mode {mode:o}"


def pairs_of(version):
    """Cases with contracts: all cases with the contracts that every version knows, and those of a
    version's own file (cases-1.14.yaml) and its contract."""
    minor = int(version.split(".")[1])
    newer = [f"v1.{number}" for number in range(14, minor + 1)]
    for case in yaml.safe_load((HERE / "cases.yaml").read_text()):
        for contract in case.get("contracts", [*CONTRACTS, *newer]):
            yield case, contract
    for contract in newer:
        for case in yaml.safe_load((HERE / f"cases-{contract[1:]}.yaml").read_text()):
            yield case, contract


def main(version):
    bench = Bench(version)
    pairs = list(pairs_of(version))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda pair: bench.compare(*pair), pairs)
        for (case, contract), found in zip(pairs, results):
            if found:
                failed += 1
                print(f"{case['name']} ({contract}):", *found, sep="\n    ")
    print(f"{len(pairs)} gen config cases against talosctl {version}: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
