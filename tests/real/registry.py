#!/usr/bin/env python3
"""registry.py FOLDER ADDRESS PORT: a read-only image registry over OCI layouts.

FOLDER holds one layout per image, named NAME@TAG with "+" for the slashes of NAME. Byte ranges that
are open at the end are answered, because containerd resumes an interrupted pull with one; a
registry that cannot do that leaves the pull hanging for ever.
"""

import http.server
import json
import pathlib
import re
import shutil
import sys

ROUTE = re.compile(r"/v2/(?P<name>[\w./-]+)/(?P<kind>manifests|blobs)/(?P<what>[\w.:-]+)")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
RANGE = re.compile(r"bytes=(\d+)-(\d*)")


class Registry(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    images = pathlib.Path()

    def do_GET(self):
        self.answer(with_body=True)

    def do_HEAD(self):
        self.answer(with_body=False)

    def answer(self, with_body):
        path = self.path.partition("?")[0]
        if path.rstrip("/") == "/v2":
            return self.head(200, {"Content-Length": 0})
        route = ROUTE.fullmatch(path)
        if not route:
            return self.head(404, {"Content-Length": 0})
        digest = self.digest_of(route["name"], route["what"])
        blob = self.blob(digest)
        if not blob:
            return self.head(404, {"Content-Length": 0})
        kind = "application/octet-stream"
        if route["kind"] == "manifests":
            kind = "application/vnd.oci.image.manifest.v1+json"
        self.send_blob(blob, {"Content-Type": kind, "Docker-Content-Digest": digest}, with_body)

    def digest_of(self, name, what):
        """The digest itself, or that of a tag's manifest; empty if there is no such image."""
        if DIGEST.fullmatch(what):
            return what
        index = self.images / f"{name.replace('/', '+')}@{what}" / "index.json"
        return json.loads(index.read_text())["manifests"][0]["digest"] if index.exists() else ""

    def blob(self, digest):
        if not DIGEST.fullmatch(digest):
            return None
        name = digest.removeprefix("sha256:")
        return next(self.images.glob(f"*/blobs/sha256/{name}"), None)

    def send_blob(self, blob, headers, with_body):
        size = blob.stat().st_size
        first, last, status = 0, size - 1, 200
        wanted = RANGE.fullmatch(self.headers.get("Range", ""))
        if wanted:
            first, last = int(wanted[1]), min(int(wanted[2] or last), last)
            status = 206
            if first > last:
                return self.head(416, {"Content-Range": f"bytes */{size}", "Content-Length": 0})
            headers["Content-Range"] = f"bytes {first}-{last}/{size}"
        self.head(status, headers | {"Accept-Ranges": "bytes", "Content-Length": last - first + 1})
        if not with_body:
            return
        with open(blob, "rb") as file:
            file.seek(first)
            if last == size - 1:
                shutil.copyfileobj(file, self.wfile, 1 << 20)
            else:
                self.wfile.write(file.read(last - first + 1))

    def head(self, status, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()


def main():
    folder, address, port = sys.argv[1:]
    Registry.images = pathlib.Path(folder)
    http.server.ThreadingHTTPServer((address, int(port)), Registry).serve_forever()


if __name__ == "__main__":
    main()
