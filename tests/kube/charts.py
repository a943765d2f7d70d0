"""Charts as an OCI registry serves them: Cilium's and cert-manager's own, and our small ones.

The registry is tests/real/registry.py; here its folder is filled. A chart in a registry is an image
whose only layer is the packed chart.
"""

import json
import pathlib
import shutil
import subprocess
import tarfile

import tools  # before what it makes known: tests/real

import pieces

HERE = pathlib.Path(__file__).resolve().parent
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.cncf.helm.config.v1+json"
CONTENT = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"


def package(chart, into, *arguments):
    """Packs a chart's folder; the path of the archive."""
    into.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([str(tools.program("helm")), "package", str(chart), "--destination",
                           str(into), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"helm package {chart}: {done.stderr}")
    return pathlib.Path(done.stdout.rpartition(": ")[2].strip())


def publish(archive, images):
    """Puts a packed chart into the registry's folder, as charts/NAME, its version as the tag."""
    with tarfile.open(archive) as packed:
        first = next(name for name in packed.getnames() if name.endswith("/Chart.yaml"))
        fields = dict(line.split(":", 1) for line in
                      packed.extractfile(first).read().decode().splitlines()
                      if line.startswith(("name:", "version:")))
    name, version = (fields[key].strip().strip("'\"") for key in ("name", "version"))
    layout = images / f"charts+{name}@{version}"
    blobs = layout / "blobs/sha256"
    shutil.rmtree(layout, ignore_errors=True)
    blobs.mkdir(parents=True)

    shutil.copyfile(archive, blobs / "chart")
    manifest = {
        "schemaVersion": 2, "mediaType": MANIFEST,
        "config": pieces.add_json(blobs, {"name": name, "version": version}, CONFIG),
        "layers": [pieces.add_blob(blobs, blobs / "chart", CONTENT)]}
    index = {"schemaVersion": 2, "manifests": [pieces.add_json(blobs, manifest, MANIFEST)]}
    (layout / "index.json").write_text(json.dumps(index))


def fill(images, work):
    """Publishes every chart of the bed."""
    packed = [package(tools.files("cilium-chart") / "install/kubernetes/cilium", work)]
    # The module has the chart as its release finds it: without its version.
    packed.append(package(tools.files("cert-manager-chart") / "deploy/charts/cert-manager", work,
                          "--version", "v1.21.2", "--app-version", "v1.21.2"))
    operator = work / "flux-operator"
    shutil.copytree(HERE / "charts/flux-operator", operator)
    shutil.copytree(tools.files("flux-manifests") / "config/crd/bases", operator / "crds")
    packed.append(package(operator, work))
    packed += [package(HERE / "charts" / name, work)
               for name in ("coredns", "flux-instance", "observability-crds")]
    for archive in packed:
        publish(archive, images)
