"""A table of calls to a Kubernetes API, and what comes back, reduced to what ichor rests on.

The same table runs against the real kube-apiserver and against the model that the simulator and
the lab share. A call may name what an earlier answer held: `{name.field.field}`.
"""

import http.client
import json
import re
import time
import urllib.parse

APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
JSON = "application/json"

SPACE = "/api/v1/namespaces/table"
MAPS = f"{SPACE}/configmaps"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
FOOS = "/apis/table.example.org/v1/namespaces/table/foos"
CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
SETTLES_S = 300  # ends as soon as it holds


def config_map(name, labels=None, **data):
    metadata = {"name": name, "namespace": "table"}
    if labels:
        metadata["labels"] = labels
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def with_version(thing, version):
    return {**thing, "metadata": {**thing["metadata"], "resourceVersion": version}}


def foo(name, **spec):
    return {"apiVersion": "table.example.org/v1", "kind": "Foo",
            "metadata": {"name": name, "namespace": "table"}, "spec": spec}


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def secret(name, **data):
    return {"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {"name": name, "namespace": "table"}, "data": data}


CRD = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "foos.table.example.org"},
    "spec": {
        "group": "table.example.org", "scope": "Namespaced",
        "names": {"kind": "Foo", "plural": "foos", "singular": "foo", "listKind": "FooList"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
            "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}],
    },
}


def apply_path(path, manager, **more):
    return path + "?" + urllib.parse.urlencode({"fieldManager": manager, **more})


def watch_path(path, **query):
    """`{name.field}` stays as it is until the answer is there."""
    return path + "?" + urllib.parse.urlencode({"watch": "1", "timeoutSeconds": "4", **query},
                                               safe="{} ", quote_via=urllib.parse.quote)


# name, method, path, body, content type
CALLS = (
    ("ready", "GET", "/readyz", None, JSON),
    ("no such path", "GET", "/apis/nothing.example.org/v1/things", None, JSON),
    ("no such namespace to write to", "POST", "/api/v1/namespaces/absent/configmaps",
     {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}, JSON),
    # Namespaces.
    ("dry run of a namespace", "PATCH",
     apply_path("/api/v1/namespaces/table", "one", dryRun="All"), namespace("table"), APPLY),
    ("a dry run leaves nothing", "GET", SPACE, None, JSON),
    ("apply a namespace", "PATCH", apply_path(SPACE, "one"), namespace("table"), APPLY),
    ("apply it again", "PATCH", apply_path(SPACE, "one"), namespace("table"), APPLY),
    ("create what exists", "POST", "/api/v1/namespaces", namespace("table"), JSON),
    # Objects and versions.
    ("create", "POST", MAPS, config_map("a", x="1"), JSON),
    ("create again", "POST", MAPS, config_map("a", x="1"), JSON),
    ("create without a name", "POST", MAPS,
     {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "table"}}, JSON),
    ("create with a generated name", "POST", MAPS,
     {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "made-"}}, JSON),
    ("create a name that is not allowed", "POST", MAPS, config_map("A_b"), JSON),
    ("create of another namespace", "POST", MAPS,
     {"apiVersion": "v1", "kind": "ConfigMap",
      "metadata": {"name": "b", "namespace": "default"}}, JSON),
    ("create in a dry run", "POST", MAPS + "?dryRun=All", config_map("dry"), JSON),
    ("not created by it", "GET", f"{MAPS}/dry", None, JSON),
    ("get", "GET", f"{MAPS}/a", None, JSON),
    ("get what is not there", "GET", f"{MAPS}/absent", None, JSON),
    ("replace with an old version", "PUT", f"{MAPS}/a",
     with_version(config_map("a", x="2"), "1"), JSON),
    ("replace", "PUT", f"{MAPS}/a",
     with_version(config_map("a", x="2"), "{get.metadata.resourceVersion}"), JSON),
    ("replace with the version of before", "PUT", f"{MAPS}/a",
     with_version(config_map("a", x="3"), "{get.metadata.resourceVersion}"), JSON),
    ("replace what is not there", "PUT", f"{MAPS}/absent", config_map("absent"), JSON),
    ("replace under another name", "PUT", f"{MAPS}/a", config_map("other"), JSON),
    # Patches.
    ("merge patch", "PATCH", f"{MAPS}/a", {"data": {"y": "1", "x": None}}, MERGE),
    ("merge patch of nothing new", "PATCH", f"{MAPS}/a", {"data": {"y": "1"}}, MERGE),
    ("strategic patch", "PATCH", f"{MAPS}/a", {"data": {"z": "1"}}, STRATEGIC),
    ("JSON patch", "PATCH", f"{MAPS}/a",
     [{"op": "replace", "path": "/data/z", "value": "2"}], JSON_PATCH),
    ("JSON patch whose test fails", "PATCH", f"{MAPS}/a",
     [{"op": "test", "path": "/data/z", "value": "9"}], JSON_PATCH),
    ("merge patch of what is not there", "PATCH", f"{MAPS}/absent", {"data": {}}, MERGE),
    ("a patch of an unknown type", "PATCH", f"{MAPS}/a", {"data": {}}, "application/x-nothing"),
    # Server-side apply and field managers.
    ("apply as one", "PATCH", apply_path(f"{MAPS}/s", "one"), config_map("s", k="1", m="1"),
     APPLY),
    ("apply without a manager", "PATCH", f"{MAPS}/s", config_map("s", k="1"), APPLY),
    ("apply the same value as two", "PATCH", apply_path(f"{MAPS}/s", "two"),
     config_map("s", k="1"), APPLY),
    ("apply another value as three", "PATCH", apply_path(f"{MAPS}/s", "three"),
     config_map("s", k="3"), APPLY),
    ("apply it in a dry run as three", "PATCH", apply_path(f"{MAPS}/s", "three", dryRun="All"),
     config_map("s", k="3"), APPLY),
    ("force it as three", "PATCH", apply_path(f"{MAPS}/s", "three", force="true"),
     config_map("s", k="3"), APPLY),
    ("one has lost the field", "PATCH", apply_path(f"{MAPS}/s", "one"),
     config_map("s", k="1", m="1"), APPLY),
    ("one leaves the field to three", "PATCH", apply_path(f"{MAPS}/s", "one"),
     config_map("s", m="1"), APPLY),
    ("one removes its other field", "PATCH", apply_path(f"{MAPS}/s", "one"), config_map("s"),
     APPLY),
    ("what is left", "GET", f"{MAPS}/s", None, JSON),
    ("apply with an old version", "PATCH", apply_path(f"{MAPS}/s", "one"),
     with_version(config_map("s"), "1"), APPLY),
    ("apply under another name", "PATCH", apply_path(f"{MAPS}/s", "one"), config_map("t"), APPLY),
    ("apply a Secret", "PATCH", apply_path(f"{SPACE}/secrets/key", "one"),
     secret("key", token="dmFsdWU="), APPLY),
    ("apply a Secret that is not base64", "PATCH", apply_path(f"{SPACE}/secrets/bad", "one"),
     secret("bad", token="%%%"), APPLY),
    ("change the type of a Secret", "PATCH", apply_path(f"{SPACE}/secrets/key", "one"),
     {**secret("key", token="dmFsdWU="), "type": "example.org/other"}, APPLY),
    # Lists and selectors.
    ("label one", "POST", MAPS, config_map("l1", {"app": "l", "tier": "x"}), JSON),
    ("label two", "POST", MAPS, config_map("l2", {"app": "l"}), JSON),
    ("list by label", "GET", MAPS + "?labelSelector=app%3Dl", None, JSON),
    ("list by absent label", "GET", MAPS + "?labelSelector=app%3Dl%2C%21tier", None, JSON),
    ("list by name", "GET", MAPS + "?fieldSelector=metadata.name%3Dl1", None, JSON),
    ("list by a field that is no selector", "GET", MAPS + "?fieldSelector=data.x%3D1", None, JSON),
    ("list by a broken selector", "GET", MAPS + "?labelSelector=%3D%3D%3D", None, JSON),
    ("a page", "GET", MAPS + "?labelSelector=app%3Dl&limit=1", None, JSON),
    ("the next page", "GET",
     MAPS + "?labelSelector=app%3Dl&limit=1&continue={a page.metadata.continue}", None, JSON),
    ("a page by a broken token", "GET", MAPS + "?limit=1&continue=nonsense", None, JSON),
    # Watches.
    ("before the watch", "GET", MAPS + "?labelSelector=app%3Dw", None, JSON),
    ("watched one", "POST", MAPS, config_map("w1", {"app": "w"}), JSON),
    ("watched change", "PATCH", f"{MAPS}/w1", {"data": {"n": "1"}}, MERGE),
    ("watched label", "PATCH", f"{MAPS}/w1", {"metadata": {"labels": {"app": "off"}}}, MERGE),
    ("watched again", "PATCH", f"{MAPS}/w1", {"metadata": {"labels": {"app": "w"}}}, MERGE),
    ("watched delete", "DELETE", f"{MAPS}/w1", None, JSON),
    ("watch", "WATCH", watch_path(
        MAPS, labelSelector="app=w",
        resourceVersion="{before the watch.metadata.resourceVersion}"), None, JSON),
    ("watch from the first version", "WATCH", watch_path(MAPS, resourceVersion="1"), None, JSON),
    ("watch from a broken version", "WATCH", watch_path(MAPS, resourceVersion="abc"), None, JSON),
    ("watch what is not served", "WATCH",
     watch_path("/apis/nothing.example.org/v1/things"), None, JSON),
    # Deletes.
    ("delete of another uid", "DELETE", f"{MAPS}/s",
     {"preconditions": {"uid": "00000000-0000-0000-0000-000000000000"}}, JSON),
    ("delete of its uid", "DELETE", f"{MAPS}/s",
     {"preconditions": {"uid": "{what is left.metadata.uid}"}}, JSON),
    ("delete again", "DELETE", f"{MAPS}/s", None, JSON),
    ("delete in a dry run", "DELETE", f"{MAPS}/a?dryRun=All", None, JSON),
    ("delete of another uid in a dry run", "DELETE", f"{MAPS}/a?dryRun=All",
     {"preconditions": {"uid": "00000000-0000-0000-0000-000000000000"}}, JSON),
    ("it is still there", "GET", f"{MAPS}/a", None, JSON),
    # Custom resources.
    ("objects of a kind to come", "PATCH", apply_path(f"{FOOS}/f", "one"), foo("f", a=1), APPLY),
    ("apply a CRD", "PATCH", apply_path(f"{CRDS}/foos.table.example.org", "one"), CRD, APPLY),
    ("until it is Established", "UNTIL", f"{CRDS}/foos.table.example.org", "Established", JSON),
    ("until it is served", "SERVED", FOOS, None, JSON),
    ("an object of it", "PATCH", apply_path(f"{FOOS}/f", "one"), foo("f", a=1), APPLY),
    ("list objects of it", "GET", FOOS, None, JSON),
    ("status is not a resource of its own", "PATCH", apply_path(f"{FOOS}/f/status", "one"),
     foo("f"), APPLY),
    ("no such resource of its group", "GET", FOOS.replace("foos", "bars"), None, JSON),
    ("the CRD again", "PATCH", apply_path(f"{CRDS}/foos.table.example.org", "one"), CRD, APPLY),
    # Certificate requests.
    ("approve what is not there", "PUT", f"{CSRS}/absent/approval",
     {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
      "metadata": {"name": "absent"},
      "spec": {"request": "", "signerName": "kubernetes.io/kubelet-serving",
               "usages": ["server auth"]}}, JSON),
    # Empty maps.
    ("one keeps an empty map", "PATCH", apply_path(f"{MAPS}/e", "one"), config_map("e"), APPLY),
    ("two fills it", "PATCH", apply_path(f"{MAPS}/e", "two"), config_map("e", k="1"), APPLY),
    ("two fills it by force", "PATCH", apply_path(f"{MAPS}/e", "two", force="true"),
     config_map("e", k="1", m="1"), APPLY),
    ("one keeps what is full now", "PATCH", apply_path(f"{MAPS}/e", "one"), config_map("e"),
     APPLY),
    ("two takes one value out", "PATCH", apply_path(f"{MAPS}/e", "two"), config_map("e", k="1"),
     APPLY),
    ("two empties it", "PATCH", apply_path(f"{MAPS}/e", "two"), config_map("e"), APPLY),
    # What is not allowed in an object.
    ("a namespace's name is a label", "POST", "/api/v1/namespaces", namespace("a.b"), JSON),
    ("a generated name that is not allowed", "POST", MAPS,
     {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "A_"}}, JSON),
    ("apply a name that is not allowed", "PATCH", apply_path(f"{MAPS}/A_b", "one"),
     config_map("A_b"), APPLY),
    ("a label that is not allowed", "POST", MAPS, config_map("bad", {"app": "a b"}), JSON),
    ("a label's name that is not allowed", "PATCH", f"{MAPS}/a",
     {"metadata": {"labels": {"a b": "c"}}}, MERGE),
    ("a key that is not allowed", "POST", MAPS, config_map("bad", **{"a/b": "1"}), JSON),
    ("data that is no text", "POST", MAPS, config_map("bad", x=1), JSON),
    ("apply data that is no text", "PATCH", apply_path(f"{MAPS}/bad", "one"),
     config_map("bad", x=1), APPLY),
    ("create a Secret that is not base64", "POST", f"{SPACE}/secrets", secret("bad", token="%%%"),
     JSON),
    ("replace a Secret by what is not base64", "PUT", f"{SPACE}/secrets/key",
     secret("key", token="%%%"), JSON),
    ("patch a Secret with what is not base64", "PATCH", f"{SPACE}/secrets/key",
     {"data": {"token": "%%%"}}, MERGE),
    ("patch the type of a Secret", "PATCH", f"{SPACE}/secrets/key",
     {"type": "example.org/other"}, MERGE),
    ("a Secret of text", "POST", f"{SPACE}/secrets",
     {**secret("text"), "stringData": {"token": "value"}}, JSON),
    # Requests that are not allowed.
    ("no such resource", "GET", "/api/v1/nothings", None, JSON),
    ("no such version", "GET", "/apis/apps/v2/deployments", None, JSON),
    ("no such resource of a group", "GET", "/apis/apps/v1/nothings", None, JSON),
    ("no such subresource", "GET", f"{MAPS}/a/scale", None, JSON),
    ("no status of its own", "GET", f"{MAPS}/a/status", None, JSON),
    ("list from a broken version", "GET", MAPS + "?resourceVersion=abc", None, JSON),
    ("list by an empty term", "GET", MAPS + "?labelSelector=app%3Dl%2C", None, JSON),
    ("list by a value that is no label", "GET", MAPS + "?labelSelector=app%3D-", None, JSON),
    ("list by a broken field selector", "GET", MAPS + "?fieldSelector=metadata.name", None, JSON),
    ("list Secrets by type", "GET", f"{SPACE}/secrets?fieldSelector=type%3DOpaque", None, JSON),
    ("JSON patch of what is not there", "PATCH", f"{MAPS}/a",
     [{"op": "remove", "path": "/data/absent"}], JSON_PATCH),
    ("JSON patch of no operation", "PATCH", f"{MAPS}/a",
     [{"op": "nothing", "path": "/data/z"}], JSON_PATCH),
    ("JSON patch that is none", "PATCH", f"{MAPS}/a", {"data": {}}, JSON_PATCH),
    # Bodies that are none.
    ("a body that is not JSON", "POST", MAPS, "{", JSON),
    ("a body of another kind", "POST", MAPS, namespace("x"), JSON),
    ("a method that is not served", "POST", f"{MAPS}/a", config_map("a"), JSON),
)


def filled(text, answers):
    def value(match):
        name, *path = match.group(1).split(".")
        found = answers[name]
        for key in path:
            found = found[key]
        return str(found)

    return re.sub(r"\{([a-z][a-zA-Z ]*(?:\.[a-zA-Z]+)+)\}", value, text)


class Server:
    """One API: how to reach it, and what it answered so far."""

    def __init__(self, host, port, context):
        self.host, self.port, self.context = host, port, context
        self.answers = {}

    def send(self, method, path, body, kind):
        connection = http.client.HTTPSConnection(self.host, self.port, context=self.context,
                                                 timeout=60)
        try:
            text = body if isinstance(body, str) or body is None else json.dumps(body)
            headers = {"Content-Type": kind} if text is not None else {}
            connection.request(method, filled(path, self.answers),
                               filled(text, self.answers) if text else text, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def call(self, name, method, path, body, kind):
        """What the table compares of one call."""
        if method == "WATCH":
            status, text = self.send("GET", path, None, kind)
            if status != 200:
                return refused(status, text)
            return [status, events_of(text)]
        if method == "UNTIL":
            return self.until(path, lambda status, text: has_condition(text, body), body)
        if method == "SERVED":
            return self.until(path, lambda status, text: status == 200, "served")
        status, text = self.send(method, path, body, kind)
        if status >= 400:
            return refused(status, text)
        try:
            document = json.loads(text)
        except ValueError:
            return [status, text.strip()]
        self.answers[name] = document
        return [status, summary(document)]

    def until(self, path, holds, what):
        ends = time.monotonic() + SETTLES_S
        while time.monotonic() < ends:
            if holds(*self.send("GET", path, None, JSON)):
                return [what]
            time.sleep(0.2)
        return [f"not {what}"]

    def run(self):
        return {row[0]: self.call(*row) for row in CALLS}


def has_condition(text, condition):
    conditions = json.loads(text).get("status", {}).get("conditions") or []
    return any(one["type"] == condition and one["status"] == "True" for one in conditions)


def refused(status, text):
    """Code, reason and, of a conflict between managers, the fields it names."""
    try:
        document = json.loads(text)
    except ValueError:
        return [status]
    causes = document.get("details", {}).get("causes", []) if isinstance(document, dict) else []
    fields = sorted(one["field"] for one in causes
                    if one.get("reason") == "FieldManagerConflict")
    return [status, document.get("reason"), *([fields] if fields else [])]


def is_of_a_controller(thing):
    """kube-controller-manager makes one in each namespace; the model has none of it."""
    return thing["metadata"]["name"] == "kube-root-ca.crt"


def summary(document):
    if document.get("kind", "").endswith("List"):
        metadata = document["metadata"]
        return {"kind": document["kind"], "more": bool(metadata.get("continue")),
                "names": sorted(item["metadata"]["name"] for item in document["items"]
                                if not is_of_a_controller(item))}
    metadata = document.get("metadata", {})
    seen = {key: document[key] for key in ("kind", "data", "type") if key in document}
    if document.get("kind") == "Status":
        return {"kind": "Status", "status": document.get("status")}
    if "generateName" not in metadata:
        seen["name"] = metadata.get("name")
    else:
        seen["generated"] = metadata["name"].startswith(metadata["generateName"])
    seen["labels"] = {key: value for key, value in metadata.get("labels", {}).items()
                      if not key.startswith("kubernetes.io/")}
    seen["versioned"] = bool(metadata.get("resourceVersion"))
    seen["identified"] = bool(metadata.get("uid"))
    return seen


def events_of(text):
    found = []
    for line in text.splitlines():
        event = json.loads(line)
        thing = event["object"]
        if event["type"] == "ERROR":
            found.append(["ERROR", thing.get("code"), thing.get("reason")])
        elif event["type"] != "BOOKMARK" and not is_of_a_controller(thing):
            metadata = thing["metadata"]
            found.append([event["type"], metadata.get("generateName", metadata["name"])])
    return found
