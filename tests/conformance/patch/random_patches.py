"""Random configs and patches, drawn from our own schema, with ichor and with talosctl.

A seed gives one config and one patch. What is drawn is mostly right and sometimes wrong: a value of
another type, an unknown key, a deletion of something that may not be there."""

import random
import re
import sys

import yaml
from compare import HERE, Bench
import talos

TABLES = talos.ROOT / "src/machineconfig/schema"

TEXTS = {
    "text": ["a", "b-1", "12", "true", "x y", "/dev/sda", ""],
    "flag": [True, False, "yes", "off"],
    "int64": [0, 1, 7445, -3],
    "int32": [0, 1000, -3],
    "uint8": [0, 1, 255], "uint16": [0, 80, 65535], "uint32": [0, 1400, 4294967295],
    "uint64": [0, 4096],
    "duration": ["90s", "1h", "0s", "1500ms", "2m30s"],
    "url": ["https://a.example", "http://b:80/p", "udp://10.0.0.1:514/", "https://c/x?y=z"],
    "base64": ["Zm9v", "YmFy", ""],
    "address": ["10.0.0.1", "fd00::1", "1.1.1.1"],
    "prefix": ["10.0.0.0/8", "192.168.1.5/24", "fd00::/64"],
    "address_port": ["10.0.0.1:80", "[fd00::1]:51820"],
    "hex_bytes": ["aa:bb:cc:dd:ee:ff", "00:01"],
    "byte_size": ["10GB", "1GiB", "500 MB"],
    "size": ["10GB", "50%", "1TiB"],
    "disk_size": ["10GB", "1234567891", "5 GiB"],
    "file_mode": [420, 384],
    "size_condition": [">= 10GB", "100GB", "< 1TB"],
    "cel": ["true", 'disk.transport == "nvme"'],
    "port_range": [80, "100-200"],
    "argument": ["a", "1", "x=y"],
    "routing_table": ["main", "100", "local"],
}


class Schema:
    def __init__(self, minor):
        self.objects, self.documents, self.enums = {}, {}, {}
        for path in sorted(TABLES.glob("*.inc")):
            self.read(path.read_text().split('R"(\n', 1)[1].split('\n)"')[0], minor)

    @staticmethod
    def known_words(words, minor):
        """Some words came (`>=1.13`) or went (`<1.13`) with a version."""
        for word in words:
            text, sign, version = re.fullmatch(r"([^<>]+)(>=|<)?(?:1\.(\d+))?", word).groups()
            known = not sign or (minor >= int(version)) == (sign == ">=")
            if known and "(" not in text:
                yield text

    def read(self, table, minor):
        fields = None
        for line in table.splitlines():
            words = line.split()
            if not words:
                continue
            since = re.search(r"since=1\.(\d+)", line)
            known = not since or int(since[1]) <= minor
            if line.startswith(" "):
                if known:
                    fields[words[0]] = words[1]
            elif words[0] == "enum":
                self.enums[words[1]] = list(self.known_words(words[2:], minor))
            elif words[0] == "object":
                fields = self.objects.setdefault(words[1], {})
            else:
                fields = {"name": "text"} if "named" in words else {}
                if known:
                    self.documents[words[1]] = fields


class Draw:
    def __init__(self, schema, seed):
        self.schema, self.random = schema, random.Random(seed)

    def value(self, type_name, depth, wild):
        chance = self.random
        if wild and chance.random() < 0.006:
            return chance.choice([["a"], {"a": "b"}, "word", 3, True])
        if type_name.startswith("["):
            count = chance.choice([0, 1, 1, 2])
            return [self.value(type_name[1:-1], depth + 1, wild) for _ in range(count)]
        if type_name.startswith("{"):
            return {chance.choice("abc"): self.value(type_name[1:-1], depth + 1, wild)
                    for _ in range(chance.choice([0, 1, 2]))}
        type_name = type_name.rstrip("?")
        if type_name == "free":
            return self.free(0)
        if type_name in TEXTS:
            return chance.choice(TEXTS[type_name])
        if type_name in self.schema.enums:
            return chance.choice(self.schema.enums[type_name])
        return self.object(self.schema.objects[type_name], depth + 1, wild)

    def free(self, depth):
        """Equal keys have equal types, because others cannot be merged."""
        made = {}
        for key in self.random.sample("abcde", self.random.choice([1, 2, 3])):
            made[key] = {"a": lambda: self.random.choice([1, 2, 0]), "b": lambda: "text",
                         "c": lambda: [1, "x"], "d": lambda: self.random.choice([True, False]),
                         "e": lambda: self.free(depth + 1) if depth < 2 else {"b": "end"}}[key]()
        return made

    def object(self, fields, depth, wild):
        share = 0.35 if depth < 3 else 0.25
        made = {}
        for key, type_name in fields.items():
            if self.random.random() < share:
                if wild and self.random.random() < 0.015:
                    made[key] = {"$patch": "delete"}
                else:
                    made[key] = self.value(type_name, depth, wild)
        if wild and self.random.random() < 0.003:
            made["unknownKey"] = 1
        return made

    def document(self, kind, wild):
        made = {"apiVersion": "v1alpha1", "kind": kind}
        made |= self.object(self.schema.documents[kind], 1, wild)
        if "name" in self.schema.documents[kind]:
            made["name"] = self.random.choice(["one", "two"])
        return made

    def config(self, wild):
        documents = []
        if self.random.random() < 0.7:
            main = self.object(self.schema.objects["Config"], 0, wild)
            main.pop("version", None)
            part = self.random.choice(["machine", "cluster"])
            if part not in main:
                type_name = self.schema.objects["Config"][part].rstrip("?")
                main[part] = self.object(self.schema.objects[type_name], 1, wild)
            documents.append(main)
        kinds = sorted(self.schema.documents)
        for kind in self.random.sample(kinds, self.random.choice([1, 2, 3, 5])):
            documents.append(self.document(kind, wild))
        return documents


def drawn(schema, seed):
    draw = Draw(schema, seed)
    base = draw.config(wild=False)
    patch = draw.config(wild=True)
    # Most patches find what they patch.
    for document in base:
        if draw.random.random() < 0.5 and "kind" in document:
            twin = draw.document(document["kind"], wild=True)
            if "name" in twin:
                twin["name"] = document["name"]
            key = (twin["kind"], twin.get("name"))
            patch = [d for d in patch if (d.get("kind"), d.get("name")) != key] + [twin]
    dump = lambda documents: yaml.safe_dump_all(documents, sort_keys=False)  # noqa: E731
    return dump(base), dump(patch)


def excused(found):
    """Where talosctl is wrong in a known way, whatever the patch."""
    text = "\n".join(found)
    return ("is not settable" in text or  # it cannot merge two disk sizes, addresses or users
            "panic" in text or "cannot deep copy" in text or
            # of a deletion from a document that is not there it makes an empty document
            ("only ichor refuses" in text and "to delete from" in text))


def main(version, first_seed, count):
    schema = Schema(int(version.split(".")[1]))
    bench = Bench(version)
    seeds = range(first_seed, first_seed + count)
    pairs = [drawn(schema, seed) for seed in seeds]
    failed = alike = excuses = 0
    results = bench.compare_all([(base, [patch]) for base, patch in pairs])
    for seed, (base, patch), found in zip(seeds, pairs, results):
        if found and excused(found):
            excuses += 1
        elif found:
            failed += 1
            print(f"seed {seed}:", *found[:5], sep="\n    ")
            print(f"    again: tests/conformance/patch/random_patches.py {version} {seed} 1")
            if count == 1:
                print(base, patch, sep="\n=== patch\n")
        else:
            alike += 1
    print(f"{count} random patches against talosctl {version}: {alike} alike "
          f"({bench.refused_by_both} refused by both), {failed} failed, "
          f"{excuses} where talosctl is wrong in a known way")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
