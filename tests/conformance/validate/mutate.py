"""Random machine configs: a rich valid one with a few changes that follow the schema."""

import copy
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = HERE.parents[2] / "src" / "machineconfig" / "schema"

KEY = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

# A few values for each shape of src/machineconfig/schema.h: good ones, and ones at the edge.
VALUES = {
    "text": ["a", "10.0.0.1", "", "eth0", "x y", "https://x", "a-b.c", KEY, 5, True],
    "flag": [True, False, "yes", "maybe", 1],
    "int64": [0, 1, -1, 70000, "5", 1.5, "x"],
    "int32": [0, 1000, -1, 2147483648],
    "uint8": [0, 1, 255, 256, -1],
    "uint16": [0, 1, 65535, 65536, "x"],
    "uint32": [0, 100, 1500, 4294967296, -1],
    "uint64": [0, 4096, -1, "x"],
    "duration": ["1m", "90s", "0s", "-5s", "1d", 5, ""],
    "url": ["https://10.0.0.1:6443", "udp://10.0.0.1:514", "tcp://x:1", "x", "", "https://:1"],
    "base64": ["LS0t", "LS0t", "", "x", "LS0"],
    "address": ["10.0.0.1", "fd00::1", "0.0.0.0", "x", "", "fe80::1%eth0"],
    "prefix": ["10.0.0.0/8", "fd00::/64", "10.0.0.5/24", "0.0.0.0/0", "10.0.0.1", "x", ""],
    "address_port": ["10.0.0.1:5", "[fd00::1]:5", "10.0.0.1", "x:5", ""],
    "hex_bytes": ["2e:3c:4d:5e:6f:70", "2e3c", "x", ""],
    "byte_size": ["1GB", "2GiB", "x", "", 1000],
    "size": ["1GB", "50%", "101%", "x", ""],
    "disk_size": ["1GB", 1000, "x"],
    "file_mode": [420, "0o644", "x"],
    "size_condition": [">= 1GB", "1GB", "!= 1GB", ""],
    "cel": ["true", "disk.size > 1u", "link.mtu > 1u", "1", "volume.size > 1u", ""],
    "port_range": [80, "80-90", "90-80", 70000],
    "argument": ["a", 5, True],
    "routing_table": ["main", "100", "x", ""],
    "free": [{"cpu": "1"}, {"a": 1}, {}, {"a": {"b": [1]}}, "x"],
}
ODD = [None, "", 0, -1, 1.5, True, "x", [], {}, [None], {"x": 1}, ["x"], "a" * 300]


def read_schema():
    objects, choices, documents = {}, {}, {}
    fields = None
    for path in sorted(SCHEMA.glob("*.inc")):
        for line in path.read_text().splitlines():
            words = line.split()
            if not words or line.startswith(("//", "R\"", ")")):
                continue
            if line.startswith("  "):
                since = [word for word in words if word.startswith("since=1.")]
                fields.append((words[0], words[1].rstrip("?"),
                               int(since[0].split(".")[1]) if since else 0))
            elif words[0] == "object":
                fields = objects.setdefault(words[1], [])
            elif words[0] == "document":
                fields = documents.setdefault(words[1], [])
                if "named" in words:
                    fields.append(("name", "text", 0))
                since = [word for word in words if word.startswith("since=1.")]
                fields.insert(0, ("", "", int(since[0].split(".")[1]) if since else 0))
            elif words[0] == "enum":
                choices[words[1]] = words[2:]
    return objects, choices, documents


OBJECTS, CHOICES, DOCUMENTS = read_schema()
# Configs by name, those of typed documents from the version on that has them.
RICH = {0: json.loads((HERE / "rich.json").read_text()),
        14: json.loads((HERE / "rich-1.14.json").read_text())}


def value_of(chance, shape, depth=0):
    """A value of a shape, mostly a good one."""
    if shape.startswith("["):
        count = chance.choice((0, 1, 1, 1, 2))
        return [value_of(chance, shape[1:-1], depth + 1) for _ in range(count)]
    if shape.startswith("{"):
        return {key: value_of(chance, shape[1:-1], depth + 1)
                for key in chance.sample(("a", "b.c/d", "e f"), chance.choice((0, 1, 1, 2)))}
    if shape in CHOICES:
        return chance.choice(CHOICES[shape] + (["x"] if chance.random() < 0.2 else []))
    if shape in OBJECTS:
        return object_of(chance, OBJECTS[shape], depth)
    # The good values stand first. Of many bad ones nothing can be learned but the first.
    values = VALUES[shape]
    return copy.deepcopy(chance.choice(values[:2] if chance.random() < 0.75 else values))


def object_of(chance, fields, depth=0):
    made = {}
    for key, shape, _ in fields:
        if not key:
            continue
        if chance.random() < (0.95 if key == "name" else 0.5 if depth < 3 else 0.2):
            made[key] = value_of(chance, shape, depth + 1)
    return made


def fields_of(shape):
    """The fields of an object, or of a typed document by its kind."""
    return OBJECTS.get(shape) or [field for field in DOCUMENTS.get(shape, []) if field[0]]


def places(node, shape, path=()):
    """Every object and list of a config, with what the schema says about it."""
    found = [(path, shape)]
    fields = fields_of(shape) if isinstance(node, dict) else []
    if fields:
        for key, inner, _ in fields:
            if key in node:
                found += places(node[key], inner, path + (key,))
    elif isinstance(node, dict) and shape.startswith("{"):
        for key in node:
            found += places(node[key], shape[1:-1], path + (key,))
    elif isinstance(node, list) and shape.startswith("["):
        for index in range(len(node)):
            found += places(node[index], shape[1:-1], path + (index,))
    return found


def at(node, path):
    for key in path:
        node = node[key]
    return node


def change(chance, root, shape):
    """Changes one place of a document; says what was done."""
    path, kind = chance.choice(places(root, shape)[1:] or [((), shape)])
    if not path:
        return "nothing"
    parent, key = at(root, path[:-1]), path[-1]
    node = parent[key]
    shown = ".".join(str(each) for each in path)
    what = chance.choice(
        ("remove", "odd", "value", "value", "add", "add", "add", "rename", "twice"))
    if what == "add" and isinstance(node, dict) and fields_of(kind):
        new, inner, _ = chance.choice(fields_of(kind))
        node[new] = value_of(chance, inner)
        return f"{shown}.{new} added"
    if what == "rename" and isinstance(parent, dict):
        parent[str(key) + "x"] = parent.pop(key)
        return f"{shown} renamed"
    if what == "twice" and isinstance(parent, list):
        parent.append(copy.deepcopy(node))
        return f"{shown} doubled"
    if what == "remove":
        del parent[key]
        return f"{shown} removed"
    if what == "odd":
        parent[key] = copy.deepcopy(chance.choice(ODD))
        return f"{shown} is odd"
    parent[key] = value_of(chance, kind)
    return f"{shown} has another value"


def make(chance, minor):
    """A config and what was done to it."""
    rich = {name: documents for since, some in RICH.items() if since <= minor
            for name, documents in some.items()}
    documents = copy.deepcopy(rich[chance.choice(sorted(rich))])
    done = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        if chance.random() < 0.35:
            kinds = sorted(kind for kind, fields in DOCUMENTS.items() if fields[0][2] <= minor)
            kind = chance.choice(kinds)
            head = {"apiVersion": "v1alpha1", "kind": kind}
            documents.append(head | object_of(chance, DOCUMENTS[kind]))
            done.append(f"{kind} added")
        elif len(documents) > 1 and chance.random() < 0.8:
            document = chance.choice(documents[1:])
            done.append(f"{document['kind']}: {change(chance, document, document['kind'])}")
        else:
            done.append(change(chance, documents[0], "Config"))
    return documents, ", ".join(done)
