#!/usr/bin/env python3
"""A real node of Talos 1.14 that runs an old config takes what `ichor migrate` makes of it, and
then derives the same from it. Usage as of bring_up.py; REAL_TALOS must be 1.14.1 or later.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import bring_up  # noqa: E402
import cluster as clusters  # noqa: E402
import pieces  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
CONTRACT = "v1.13"
SETTLE_S = 30

# What a node reports rather than derives, or what is another in every config.
LEFT_OUT = ("Status", "MachineConfig", "MountRequest", "Lifecycle", ".perf.talos.dev")
LEFT_OUT_TYPES = {
    "Namespaces.meta.cosi.dev", "ResourceDefinitions.meta.cosi.dev",
    "Services.v1alpha1.talos.dev",
    # Certificates are made again when the config changes, by the same CA.
    "KubernetesDynamicCerts.secrets.talos.dev", "KubernetesSecrets.secrets.talos.dev",
    # Whether a server answers just now.
    "DNSUpstreams.net.talos.dev", "Endpoints.kubernetes.talos.dev",
}
IN_A_FILE = "a typed config says in a file that anonymous requests are refused"
CERTIFICATES = "the API server of a typed config sees the node's CA certificates"
PROXY = "kube-proxy of a typed config reads a file with the same settings; here it is disabled"
# Lines of differences(), and why they are none.
EXPLAINED = {
    r"(APIServerConfigs|StaticPods)\S* \S*kube-apiserver\S*: "
    r"(\"--anonymous-auth=false\" -> null|null -> \"--authentication-config=.*)": IN_A_FILE,
    r"APIServerConfigs\S* \S+useAuthenticationConfig: false -> true": IN_A_FILE,
    r"AuthenticationConfigs\S* authentication-config: null -> "
    r"\{\"config\": \{\"anonymous\": \{\"enabled\": false\},.*": IN_A_FILE,
    r"APIServerConfigs\S* \S+extraVolumes.*ca-roots.*": CERTIFICATES,
    r"StaticPods\S* kube-apiserver.spec\S*olume(s|Mounts)\S*: null -> .*ca-roots.*": CERTIFICATES,
    r"BootstrapManifestsConfigs\S* manifests.proxy(Args|Config)\S*: .*": PROXY,
}
# Annotations and labels that count the versions of what a static pod was rendered from.
VERSIONS = ("talos.dev/config-version", "talos.dev/secrets-version",
            "talos.dev/config-file-version")


class OldCluster(clusters.Cluster):
    """Nodes of Talos 1.14 with configs of an older contract."""

    def __init__(self, name, control_planes, workers=0):
        super().__init__(name, control_planes, workers)
        shutil.rmtree(self.home / "patches")
        shutil.copytree(HERE / "patches", self.home / "patches")
        typed = (HERE / "patches-typed/controlplane/kubernetes.yaml").read_text()
        image = typed[typed.index("cluster:"):]
        (self.home / "patches/controlplane/etcd.yaml").write_text(image)

    def profile_text(self):
        return super().profile_text().replace("  kubernetes_version:",
                                              f"  contract: {CONTRACT}\n  kubernetes_version:")


def comparable(value):
    """Without versions; lists whose order means nothing by what their items are called."""
    if isinstance(value, dict):
        return {key: comparable(inner) for key, inner in value.items() if key not in VERSIONS}
    if isinstance(value, list):
        items = [comparable(inner) for inner in value]
        texts = bool(items) and all(isinstance(item, str) for item in items)
        if texts and any(item.startswith("--") for item in items):
            return {item: item for item in items}
        if items and all(isinstance(item, dict) and "name" in item for item in items):
            return {item["name"]: item for item in items}
        return items
    return value


def with_one_encryption(spec):
    """The secrets of Kubernetes with the key for etcd where a typed config has it."""
    spec = dict(spec)
    old = spec.pop("secretboxEncryptionSecret", "")
    if old:
        spec["etcdEncryptionConfig"] = {"resources": [{
            "providers": [{"secretbox": {"keys": [{"name": "key2", "secret": old}]}},
                          {"identity": {}}],
            "resources": ["secrets"]}]}
    return spec


def values_of(text):
    """The JSON values of a text that holds one after the other."""
    decoder, values = json.JSONDecoder(), []
    text = text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        values.append(value)
        text = text[end:].strip()
    return values


def differences(before, after, path=""):
    """Where two trees differ, as lines."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(set(before) | set(after), key=str):
            yield from differences(before.get(key), after.get(key), f"{path}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after)):
            yield from differences(one, other, f"{path}[{index}]")
    elif before != after:
        yield f"{path}: {json.dumps(before)[:300]} -> {json.dumps(after)[:300]}"


class AnOldConfig(bring_up.RealNodes):
    def talosctl(self, cluster, *arguments):
        spec = cluster.control_planes[0]
        return cluster.talosctl("-n", spec.address, "-e", spec.address, *arguments)

    def derived(self, cluster):
        """{(type, id): spec} of what the node makes of its config."""
        listed = self.talosctl(cluster, "get", "rd", "-o", "json")
        self.assertEqual(listed.returncode, 0, listed.stdout)
        found = {}
        for definition in values_of(listed.stdout):
            kind = definition["spec"]["type"]
            if kind in LEFT_OUT_TYPES or any(word in kind for word in LEFT_OUT):
                continue
            space = definition["spec"]["defaultNamespace"]
            shown = self.talosctl(cluster, "get", kind, "--namespace", space, "-o", "json")
            if shown.returncode != 0:
                continue
            for one in values_of(shown.stdout):
                spec = one.get("spec")
                if kind == "KubernetesRootSecrets.secrets.talos.dev":
                    spec = with_one_encryption(spec)
                found[kind, one["metadata"]["id"]] = comparable(spec)
        return found

    def test_means_the_same_after_its_migration(self):
        cluster = OldCluster("migrated", 1)
        self.addCleanup(lambda: cluster.remove(failed=self.has_failed()))
        cluster.boot()
        run = cluster.up()
        self.assertEqual(run.code, 0, run.explain())
        before = self.derived(cluster)
        own = self.talosctl(cluster, "get", "machineconfig", "v1alpha1", "-o", "jsonpath={.spec}")
        self.assertEqual(own.returncode, 0, own.stdout)
        old, new = cluster.home / "old.yaml", cluster.home / "new.yaml"
        old.write_text(own.stdout)
        done = subprocess.run(
            [clusters.ICHOR, "migrate", "--to", "v1.14", old, "--output", new],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("not proved", done.stdout + done.stderr)
        self.assertIn("kind: KubeAPIServerConfig", new.read_text())
        applied = self.talosctl(cluster, "apply-config", "-f", str(new), "--mode", "no-reboot")
        self.assertEqual(applied.returncode, 0, applied.stdout)
        time.sleep(SETTLE_S)
        after = self.derived(cluster)
        cluster.keep("derived resources", len(before))
        different = [f"{kind} {name}{line}" for kind, name in sorted(set(before) | set(after))
                     for line in differences(before.get((kind, name)), after.get((kind, name)))]
        explained = {line: rule for line in different for rule in EXPLAINED
                     if re.fullmatch(rule, line, re.S)}
        self.maxDiff = None
        self.assertEqual([line for line in different if line not in explained], [])
        self.assertEqual(set(EXPLAINED) - set(explained.values()), set(), "no longer different")
        self.assertGreater(len(before), 100)
        # ichor sees that the node runs another config than it sent; the others see a sound node.
        health = cluster.ichor("health")
        self.assertEqual(health.code, 5, health.explain())
        self.assertIn("O4", [event.get("id") for event in health.events])
        done = cluster.talosctl_health()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(cluster.kubernetes_nodes(), {"cp1": True})
        self.assertEqual(cluster.complaints(), [])


if __name__ == "__main__":
    if not pieces.is_typed():
        sys.exit("REAL_TALOS must name Talos 1.14.1 or later")
    sys.exit(bring_up.main(sys.argv[1:], __name__))
