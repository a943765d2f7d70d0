"""The real programs of the bed, from the cache of tools/real-tools."""

import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ICHOR = pathlib.Path(os.environ.get("ICHOR", ROOT / "build/ichor")).resolve()
SKIPPED = 77

CONTROL_PLANE = ("etcd", "kubernetes", "kwok", "kubectl")
HELM = ("helm-3.22.0", "helm-4.3.1", "helmfile", "kustomize", "kubeconform", "cilium-chart",
        "cert-manager-chart")
FLUX = ("source-controller", "kustomize-controller", "flux-manifests")
SECRETS = ("sops", "age")
ALL = (*CONTROL_PLANE, *HELM, *FLUX, *SECRETS)


def load_recipes():
    """tools/real-tools as a module; it has no .py in its name."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("real_tools", str(ROOT / "tools/real-tools"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("real_tools", loader))
    sys.modules["real_tools"] = module
    loader.exec_module(module)
    return module


RECIPES = load_recipes()


def missing(wanted=ALL):
    """Those that are not built."""
    return [name for name in wanted if not RECIPES.complete(RECIPES.find(name))]


def skip_reason(wanted=ALL):
    """Why the tests cannot run here; empty if they can."""
    if not os.access(ICHOR, os.X_OK):
        return f"{ICHOR} is not built"
    absent = missing(wanted)
    return f"not built: {' '.join(absent)}; tools/real-tools builds them" if absent else ""


def program(name, binary=None):
    """The path of a program: the first of its recipe, or the named one."""
    path = RECIPES.binary(RECIPES.find(name))
    return path.with_name(binary) if binary else path


def files(name):
    """The folder of a module's files."""
    return RECIPES.binary(RECIPES.find(name))


def build(wanted=ALL):
    """Builds what is missing, which takes long the first time."""
    subprocess.run([str(ROOT / "tools/real-tools"), *wanted], check=True,
                   stdout=subprocess.DEVNULL)
