"""The real control plane in the place of a lab's Kubernetes API.

ichor accepts an API server under the cluster's own Kubernetes CA only, and in a lab it dials only
what the lab bound. So a relay with a certificate of that CA takes the lab's place in its map of
addresses, and passes on what it receives to the real API server as that one's administrator.
"""

import asyncio
import base64
import contextlib
import json
import socket
import ssl
import threading
import urllib.parse

import pki
import yaml

PORT = 6443
PIECE = 65536


class StandIn:
    def __init__(self, folder, lab, state, profile, plane):
        kept = yaml.safe_load((state / "secrets.yaml").read_text())["certs"]["k8s"]
        self.authority = pki.Authority(
            folder, *(base64.b64decode(kept[part]).decode() for part in ("crt", "key")))
        self.plane = plane
        endpoint = yaml.safe_load(profile.read_text())["network"]["api_endpoint"]
        planned = urllib.parse.urlsplit(endpoint).hostname
        addresses = lab / "addresses.json"
        known = json.loads(addresses.read_text())
        # In the block of the lab, where no node is.
        own = known[planned].rsplit(".", 1)[0] + ".250"
        self.authority.sign("server", "/CN=kube-apiserver", (f"IP:{planned}", f"IP:{own}"))
        self.listener = socket.create_server((own, PORT))
        addresses.write_text(json.dumps(known | {planned: own}))
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.listener.close()

    def run(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.authority.certificate("server"), self.authority.key("server"))
        context.load_verify_locations(self.authority.certificate("ca"))
        context.verify_mode = ssl.CERT_REQUIRED
        self.loop.run_until_complete(
            asyncio.start_server(self.serve, sock=self.listener, ssl=context))
        self.loop.run_forever()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                self.loop.run_until_complete(task)
        self.loop.close()

    async def serve(self, reader, writer):
        pair = self.plane.authority
        towards = ssl.create_default_context(cafile=str(pair.certificate("ca")))
        towards.load_cert_chain(pair.certificate("admin"), pair.key("admin"))
        with contextlib.closing(writer), contextlib.suppress(OSError):
            answers, requests = await asyncio.open_connection(
                "127.0.0.1", self.plane.port, ssl=towards, server_hostname="127.0.0.1")
            with contextlib.closing(requests):
                pumps = [asyncio.ensure_future(pump(reader, requests)),
                         asyncio.ensure_future(pump(answers, writer))]
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
                for one in pumps:
                    one.cancel()


async def pump(source, target):
    """Passes bytes on until either end is gone."""
    with contextlib.suppress(OSError):
        while piece := await source.read(PIECE):
            target.write(piece)
            await target.drain()
