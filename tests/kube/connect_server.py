#!/usr/bin/env python3
"""connect_server.py FILE PORT: 1Password Connect's HTTP API, as far as reading a field needs it.

FILE is JSON: {"token": …, "vaults": {VAULT: {ITEM: {FIELD: VALUE}}}}. It is read for every request,
so a test can change it.
"""

import http.server
import json
import pathlib
import re
import sys
import urllib.parse

FILTER = re.compile(r'(?:name|title) eq "(.*)"')


def identifier(name):
    """Connect's ids are 26 letters and digits; ours are made of the name."""
    return (re.sub(r"[^a-z0-9]", "", name.lower()) + "x" * 26)[:26]


class Connect(http.server.BaseHTTPRequestHandler):
    file = pathlib.Path()

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path in ("/heartbeat", "/health"):
            return self.answer(200, {"name": "1Password Connect API", "version": "1.7.3"})
        data = json.loads(self.file.read_text())
        if self.headers.get("Authorization") != f"Bearer {data['token']}":
            return self.answer(401, {"status": 401, "message": "Invalid token signature"})
        wanted = FILTER.fullmatch(urllib.parse.parse_qs(url.query).get("filter", [""])[0])
        path = url.path.strip("/").split("/")
        return self.answer_path(path, wanted and wanted[1], data["vaults"])

    def answer_path(self, path, wanted, vaults):
        """/v1/vaults[/ID[/items[/ID]]]"""
        if path[:2] != ["v1", "vaults"] or len(path) > 5 or path[3:4] not in ([], ["items"]):
            return self.answer(404, {"status": 404, "message": "not found"})
        if len(path) == 2:
            return self.answer(200, [{"id": identifier(name), "name": name} for name in vaults
                                     if wanted in (None, name)])
        vault = next((name for name in vaults if identifier(name) == path[2]), None)
        if vault is None:
            return self.answer(403, {"status": 403, "message": "vault not accessible"})
        items = vaults[vault]
        if len(path) == 3:
            return self.answer(200, {"id": path[2], "name": vault})
        if len(path) == 4:
            return self.answer(200, [{"id": identifier(name), "title": name,
                                      "vault": {"id": path[2]}} for name in items
                                     if wanted in (None, name)])
        item = next((name for name in items if identifier(name) == path[4]), None)
        if item is None:
            return self.answer(404, {"status": 404, "message": "item not found"})
        fields = [{"id": name, "label": name, "type": "CONCEALED", "value": value}
                  for name, value in items[item].items()]
        return self.answer(200, {"id": path[4], "title": item, "vault": {"id": path[2]},
                                 "fields": fields})

    def answer(self, code, body):
        text = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def main():
    file, port = sys.argv[1:]
    Connect.file = pathlib.Path(file)
    http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Connect).serve_forever()


if __name__ == "__main__":
    main()
