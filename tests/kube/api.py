"""A small client of the Kubernetes API for tests: JSON in, JSON out, one request at a time."""

import http.client
import json
import ssl
import urllib.parse

MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
REQUEST_LIMIT_S = 30


class ApiError(Exception):
    def __init__(self, code, path, text):
        super().__init__(f"{path}: {code} {text[:500]}")
        self.code = code


class Api:
    """Requests as one user, with that user's client certificate."""

    def __init__(self, port, authority, user):
        self.port = port
        self.context = ssl.create_default_context(cafile=authority.certificate("ca"))
        self.context.load_cert_chain(authority.certificate(user), authority.key(user))

    def request(self, method, path, body=None, kind="application/json"):
        """The answer, parsed; raises ApiError for any code from 400 on."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context,
                                                 timeout=REQUEST_LIMIT_S)
        try:
            text = json.dumps(body) if isinstance(body, (dict, list)) else body
            connection.request(method, path, text, {"Content-Type": kind})
            answer = connection.getresponse()
            content = answer.read().decode()
        finally:
            connection.close()
        if answer.status >= 400:
            raise ApiError(answer.status, path, content)
        return json.loads(content) if content.startswith(("{", "[")) else content

    def get(self, path):
        return self.request("GET", path)

    def find(self, path):
        """The object, or None if there is none."""
        try:
            return self.get(path)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def items(self, path, **query):
        suffix = "?" + urllib.parse.urlencode(query) if query else ""
        return self.get(path + suffix)["items"]

    def create(self, path, body):
        return self.request("POST", path, body)

    def merge(self, path, body):
        return self.request("PATCH", path, body, MERGE)

    def apply(self, path, body):
        """Server-side apply as the field manager `bed`."""
        return self.request("PATCH", path + "?fieldManager=bed&force=true", body, APPLY)

    def delete(self, path):
        return self.request("DELETE", path)

    def is_ready(self):
        try:
            return self.get("/readyz") == "ok"
        except (OSError, ApiError, http.client.HTTPException):
            return False


def condition(thing, kind):
    """The condition of that type, or an empty one."""
    conditions = thing.get("status", {}).get("conditions", [])
    return next((one for one in conditions if one["type"] == kind), {})


def is_true(thing, kind):
    return condition(thing, kind).get("status") == "True"
