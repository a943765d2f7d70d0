"""The real programs of the bed, from the cache of tools/real-tools."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/real"))

import pieces  # noqa: E402

RECIPES = pieces.real_tools
ICHOR = pathlib.Path(os.environ.get("ICHOR", ROOT / "build/ichor")).resolve()
SKIPPED = 77

CONTROL_PLANE = ("etcd", "kubernetes", "kwok", "kubectl", "coredns")
HELM = ("helm-3.22.0", "kustomize", "kubeconform", "cilium-chart", "cert-manager-chart")
FLUX = ("source-controller", "kustomize-controller", "helm-controller", "flux-operator",
        "flux-manifests")
SECRETS = ("sops", "age")
BED = (*CONTROL_PLANE, *HELM, *FLUX, *SECRETS)


def missing(wanted=BED):
    """Those that are not built."""
    return [name for name in wanted if not RECIPES.complete(RECIPES.find(name))]


def skip_reason(wanted=BED):
    """Why the tests cannot run here; empty if they can."""
    if not os.access(ICHOR, os.X_OK):
        return f"{ICHOR} is not built"
    absent = missing(wanted)
    return f"not built: {' '.join(absent)}; tools/real-tools builds them" if absent else ""


program = pieces.program  # NAME of a tool, and of one of its programs unless it is the first


def files(name):
    """The folder of a module's files."""
    return RECIPES.binary(RECIPES.find(name))


def build(wanted=BED):
    """Builds what is missing, which takes long the first time."""
    subprocess.run([str(ROOT / "tools/real-tools"), *wanted], check=True,
                   stdout=subprocess.DEVNULL)
