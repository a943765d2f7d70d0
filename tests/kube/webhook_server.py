#!/usr/bin/env python3
"""webhook_server.py CERTIFICATE KEY PORT MESSAGE: an admission webhook that refuses everything."""

import http.server
import json
import ssl
import sys


class Webhook(http.server.BaseHTTPRequestHandler):
    message = ""

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "response": {"uid": review["request"]["uid"], "allowed": False,
                         "status": {"code": 403, "message": self.message}}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


def main():
    certificate, key, port, Webhook.message = sys.argv[1:]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Webhook)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
