"""A server that speaks just enough HTTP/2 to answer every gRPC call with something hostile.

The bytes of a reply come from a generator, so a reply may have any size or no end. The client's
flow control is kept, because a client may break off a server that ignores it.
"""

import socket
import ssl
import struct
import threading

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST, SETTINGS, PING, GOAWAY, WINDOW = 0, 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS, ACK = 1, 4, 1
PIECE = 16384


def literal(name, value):
    """A header as HPACK writes it without a table."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


RESPONSE = b"\x88" + literal(b"content-type", b"application/grpc")
TRAILERS = literal(b"grpc-status", b"0")


def message(body, compressed=False):
    """A message of gRPC in its frame."""
    return struct.pack(">BI", 1 if compressed else 0, len(body)) + body


class Stream:
    def __init__(self, number, window, pieces):
        self.number, self.window, self.pieces, self.rest = number, window, pieces, b""
        self.begun = False


class Connection:
    """One client: its frames are read by the same thread that answers."""

    def __init__(self, node, link):
        self.node, self.link = node, link
        self.input, self.streams = b"", {}
        self.window, self.initial = 65535, 65535

    def frame(self, kind, flags, stream, payload=b""):
        self.link.sendall(struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) +
                          struct.pack(">I", stream) + payload)

    def run(self):
        self.frame(SETTINGS, 0, 0)
        while len(self.input) < len(PREFACE):
            if not self.read():
                return
        self.input = self.input[len(PREFACE):]
        while True:
            while self.take_frame():
                pass
            if not self.send_some() and not self.read():
                return

    def read(self):
        data = self.link.recv(65536)
        self.input += data
        return bool(data)

    def take_frame(self):
        if len(self.input) < 9:
            return False
        size = int.from_bytes(self.input[:3], "big")
        if len(self.input) < 9 + size:
            return False
        kind, flags = self.input[3], self.input[4]
        number = int.from_bytes(self.input[5:9], "big") & 0x7fffffff
        payload = self.input[9:9 + size]
        self.input = self.input[9 + size:]
        if kind == SETTINGS and not flags & ACK:
            self.take_settings(payload)
        elif kind == WINDOW:
            self.widen(number, int.from_bytes(payload, "big"))
        elif kind == HEADERS:
            self.streams[number] = Stream(number, self.initial, self.node.reply())
            self.node.asked.set()
        elif kind == RST:
            self.streams.pop(number, None)
        elif kind == PING and not flags & ACK:
            self.frame(PING, ACK, 0, payload)
        return True

    def take_settings(self, payload):
        for at in range(0, len(payload), 6):
            name, value = struct.unpack(">HI", payload[at:at + 6])
            if name == 4:
                for stream in self.streams.values():
                    stream.window += value - self.initial
                self.initial = value
        self.frame(SETTINGS, ACK, 0)

    def widen(self, number, more):
        if number == 0:
            self.window += more
        elif number in self.streams:
            self.streams[number].window += more

    def send_some(self):
        """Sends one frame of the first stream that may; whether there was one."""
        for stream in list(self.streams.values()):
            if not stream.begun:
                stream.begun = True
                self.frame(HEADERS, END_HEADERS, stream.number, RESPONSE)
                return True
            if not stream.rest:
                stream.rest = next(stream.pieces, None)
            if stream.rest is None:
                del self.streams[stream.number]
                self.frame(HEADERS, END_HEADERS | END_STREAM, stream.number, TRAILERS)
                return True
            room = min(PIECE, self.window, stream.window)
            if room <= 0 or stream.rest == b"":
                continue
            piece, stream.rest = stream.rest[:room], stream.rest[room:]
            self.window -= len(piece)
            stream.window -= len(piece)
            self.frame(DATA, 0, stream.number, piece)
            self.node.sent += len(piece)
            return True
        return False


class HostileNode:
    """Serves until close(). `reply` gives the pieces of the answer to one call: bytes, or b"" to
    wait for ever."""

    def __init__(self, address, port, certificate, key, reply):
        self.reply = reply
        self.asked = threading.Event()
        self.sent = 0
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(certificate, key)
        self.tls.set_alpn_protocols(["h2"])
        self.listener = socket.create_server((address, port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                link, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(link,), daemon=True).start()

    def serve(self, link):
        try:
            with self.tls.wrap_socket(link, server_side=True) as secure:
                Connection(self, secure).run()
        except (OSError, ssl.SSLError):
            pass

    def close(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes who waits in accept()
        except OSError:
            pass
        self.listener.close()
