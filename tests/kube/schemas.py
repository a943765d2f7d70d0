"""JSON schemas for kubeconform, made from what the API server says of its kinds.

kubeconform's own schemas come from the network, which tests must not use.
"""

import json

# What the roots of the tree hold: (kind, its definition in the API server's document).
BUILT_IN = {kind: f"io.k8s.api.core.v1.{kind}" for kind in ("Namespace", "ConfigMap")}
KUSTOMIZATION = {
    "type": "object", "required": ["apiVersion", "kind", "metadata", "spec"],
    "properties": {
        "apiVersion": {"const": "kustomize.toolkit.fluxcd.io/v1"},
        "kind": {"const": "Kustomization"},
        "metadata": {"type": "object", "required": ["name"]},
        "spec": {"type": "object", "required": ["interval", "prune", "sourceRef"],
                 "properties": {"interval": {"type": "string"}, "prune": {"type": "boolean"},
                                "path": {"type": "string"}, "sourceRef": {"type": "object"}}}}}


def location(folder):
    """As kubeconform's -schema-location."""
    return f"{folder}/{{{{.ResourceKind}}}}.json"


def reachable(definitions, first):
    """A definition with all that it refers to."""
    found, left = {}, [first]
    while left:
        name = left.pop()
        if name not in found:
            found[name] = definitions[name]
            text = json.dumps(definitions[name])
            left += [part.split('"')[0] for part in text.split('"#/definitions/')[1:]]
    return found


def write(api, folder):
    folder.mkdir(exist_ok=True)
    definitions = api.get("/openapi/v2")["definitions"]
    for kind, name in BUILT_IN.items():
        schema = {"$ref": f"#/definitions/{name}", "definitions": reachable(definitions, name)}
        (folder / f"{kind.lower()}.json").write_text(json.dumps(schema))
    (folder / "kustomization.json").write_text(json.dumps(KUSTOMIZATION))
