#!/usr/bin/env python3
"""git_server.py FOLDER ADDRESS PORT: serves the bare repositories of a folder over HTTP, read-only.

git's own http-backend does the work; this only calls it as a web server would.
"""

import http.server
import os
import subprocess
import sys
import urllib.parse


class GitServer(http.server.BaseHTTPRequestHandler):
    folder = ""

    def do_GET(self):
        self.call_git()

    def do_POST(self):
        self.call_git()

    def call_git(self):
        url = urllib.parse.urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        environment = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": self.folder, "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command, "PATH_INFO": url.path, "QUERY_STRING": url.query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(length),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""), "REMOTE_ADDR": "127.0.0.1"}
        done = subprocess.run(["git", "http-backend"], input=self.rfile.read(length),
                              env=environment, stdout=subprocess.PIPE, check=False)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
        self.send_response(int(fields.pop("Status", "200 OK").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main():
    GitServer.folder, address, port = sys.argv[1:]
    http.server.ThreadingHTTPServer((address, int(port)), GitServer).serve_forever()


if __name__ == "__main__":
    main()
