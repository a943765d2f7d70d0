"""Two network namespaces with a cable between them: machines of a lab and strangers in one, and a
desk for ichor in the other. Needs root."""

import json
import os
import pathlib
import random
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time

NETWORK = "192.168.20.0/22"
DESK = "192.168.20.2"
KEEPER = "192.168.20.3"  # no program listens there
PORT = 50000
MACS = {f"cp{i}": f"52:54:00:16:07:0{i}" for i in (1, 2, 3)}
MACS |= {f"w{i}": f"52:54:00:16:07:1{i}" for i in (1, 2, 3)}
HOMES = {"cp1": "192.168.22.101", "cp2": "192.168.22.102", "cp3": "192.168.22.103",
         "w1": "192.168.22.111", "w2": "192.168.22.112", "w3": "192.168.22.113"}
VIP = "192.168.22.100"
# An image without extensions.
SCHEMATIC = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba"


def missing():
    """Why the bed cannot be made here; empty if it can."""
    if os.geteuid() != 0:
        return "it needs root for network namespaces"
    absent = [tool for tool in ("ip", "nft", "unshare", "nsenter", "openssl")
              if shutil.which(tool) is None]
    if absent:
        return "these programs are missing: " + ", ".join(absent)
    done = subprocess.run(["unshare", "--net", "true"], check=False, stderr=subprocess.DEVNULL)
    return "" if done.returncode == 0 else "network namespaces cannot be made here"


OTHER_CLUSTER = """
name: other
network:
  api_endpoint: https://{home}:6443
  node_cidr: {network}
  gateway: 192.168.23.254
  pod_cidr: 10.42.0.0/16
  service_cidr: 10.43.0.0/16
talos:
  version: v1.12.6
  kubernetes_version: v1.35.2
nodes:
  controlplane:
    assignments:
      - {{name: cp9, ip: {home}, mac: "52:54:00:16:09:01", interface: eth0, disk: /dev/sda}}
"""
# Where machines boot by DHCP in the test of two networks, and their neighbours of IPv6.
BOOT_NETWORK = "10.66.0.0/24"
SIX_NETWORK = "fd00:20::/120"


def profile(name, leases=None, scan=None):
    """Six nodes that are known by their MACs; `leases` are where they boot, for the lab, and `scan`
    is where else they are looked for."""
    def node(which):
        place = f", dhcp_ip: {leases[which]}" if leases else ""
        return (f"      - {{name: {which}, ip: {HOMES[which]}{place}, mac: \"{MACS[which]}\", "
                "interface: eth0, disk: /dev/sda}\n")
    return (f"name: {name}\n"
            "network:\n"
            f"  api_endpoint: https://{VIP}:6443\n"
            f"  node_cidr: {NETWORK}\n" +
            (f"  scan: [{scan}]\n" if scan else "") +
            "  gateway: 192.168.23.254\n"
            "  pod_cidr: 10.42.0.0/16\n"
            "  service_cidr: 10.43.0.0/16\n"
            "  nameservers: [1.1.1.1]\n"
            "  ntp: [time.cloudflare.com]\n"
            "talos:\n"
            "  version: v1.12.6\n"
            "  kubernetes_version: v1.35.2\n"
            f"  factory: {{schematic_id: {SCHEMATIC}}}\n"
            f"  vip: {{ip: {VIP}, interface: eth0}}\n"
            "nodes:\n"
            "  controlplane:\n    assignments:\n" +
            "".join(node(n) for n in ("cp1", "cp2", "cp3")) +
            "  worker:\n    assignments:\n" +
            "".join(node(n) for n in ("w1", "w2", "w3")))


class Namespace:
    """Lives as long as the process that it was made for."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "100000"])
        own = os.readlink("/proc/self/ns/net")
        for _ in range(500):
            try:
                if os.readlink(f"/proc/{self.holder.pid}/ns/net") != own:
                    break
            except OSError:
                pass
            time.sleep(0.01)
        else:
            raise RuntimeError("the namespace was not made")

    def command(self, *words):
        return ["nsenter", "-t", str(self.holder.pid), "-n", *words]

    def run(self, *words):
        subprocess.run(self.command(*words), check=True)

    def end(self):
        self.holder.kill()
        self.holder.wait()


class Bed:
    """The two namespaces, the cable, a lab, and whoever else is asked for."""

    def __init__(self, ichor, folder):
        self.ichor = ichor
        self.folder = pathlib.Path(folder)
        self.lab_side, self.desk_side = Namespace(), Namespace()
        self.lab = self.other_lab = None
        self.strangers = []
        lab, desk = self.lab_side, self.desk_side
        lab.run("ip", "link", "add", "ichor-lab0", "type", "veth", "peer", "name", "desk0", "netns",
                str(desk.holder.pid))
        for side, device in ((lab, "ichor-lab0"), (desk, "desk0")):
            side.run("ip", "link", "set", "lo", "up")
            side.run("ip", "link", "set", device, "up")
        desk.run("ip", "address", "add", f"{DESK}/22", "dev", "desk0")
        # A device without any address loses its routes, and all machines may be down at once.
        lab.run("ip", "address", "add", f"{KEEPER}/22", "dev", "ichor-lab0")

    def lose_packets(self, percent):
        """In both directions."""
        rules = "table inet loss {\n"
        for hook in ("input", "output"):
            rules += (f"  chain {hook} {{ type filter hook {hook} priority 0; "
                      f"numgen random mod 100 < {percent} drop; }}\n")
        rules += "}\n"
        subprocess.run(self.desk_side.command("nft", "-f", "-"), input=rules, text=True, check=True)

    def attach(self, desk, keeper):
        """One more network on the cable: ADDRESS/LENGTH of either side."""
        self.desk_side.run("ip", "address", "add", desk, "dev", "desk0", *self.at_once(desk))
        self.lab_side.run("ip", "address", "add", keeper, "dev", "ichor-lab0",
                          *self.at_once(keeper))

    @staticmethod
    def at_once(address):
        """No other machine is asked whether it has this address."""
        return ["nodad"] if ":" in address else []

    def start_other_cluster(self, scale=60):
        """A cluster of another CA: one node of Talos, as another operator brought it up."""
        folder = self.folder / "other"
        folder.mkdir()
        (folder / "ichor.yaml").write_text(OTHER_CLUSTER.format(home=self.spare[0],
                                                                network=NETWORK))
        words = self.lab_side.command(self.ichor, "lab", "start", "-p", str(folder / "ichor.yaml"),
                                      "--state", str(folder / "lab"), "--time-scale", str(scale),
                                      "--real-addresses", "ichor-lab0")
        self.other_lab = subprocess.Popen(words, stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL)
        code, lines = self.run("up", "--only", "talos", limit=200, folder=folder)
        if code != 0:
            raise RuntimeError(f"the other cluster did not come up: {lines[-1]}")
        return self.spare[0]

    def start_lab(self, seed, scale=60, boot_network=None):
        """Six machines at addresses of their own choice."""
        chance = random.Random(seed)
        taken = set(HOMES.values()) | {DESK, KEEPER, VIP, "192.168.23.254"}
        free = [f"192.168.{20 + high}.{low}" for high in range(4) for low in range(1, 255)]
        free = [address for address in free if address not in taken]
        places = chance.sample(free, len(MACS) + 3)
        self.leases = dict(zip(MACS, places))
        if boot_network:
            hosts = chance.sample(range(10, 250), len(MACS))
            base = boot_network.rsplit(".", 1)[0]
            self.leases = {name: f"{base}.{host}" for name, host in zip(MACS, hosts)}
        self.spare = places[len(MACS):]
        file = self.folder / "lab.yaml"
        file.write_text(profile("lab", self.leases))
        (self.folder / "ichor.yaml").write_text(profile("scan", scan=boot_network))
        self.state = self.folder / f"lab-{seed}"
        words = self.lab_side.command(self.ichor, "lab", "start", "-p", str(file), "--state",
                                      str(self.state), "--time-scale", str(scale),
                                      "--real-addresses", "ichor-lab0")
        self.lab = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                    text=True)
        self.await_machines()

    def lab_nodes(self):
        done = subprocess.run([self.ichor, "lab", "status", "--state", str(self.state), "-o",
                               "json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return [line for line in lines if line["type"] == "lab-node"]

    def await_machines(self):
        for _ in range(300):
            if self.lab.poll() is not None:
                raise RuntimeError("the lab did not start: " + self.lab.stderr.read())
            nodes = self.lab_nodes()
            if len(nodes) == 6 and all(node["port"] == "maintenance" for node in nodes):
                return
            time.sleep(0.1)
        raise RuntimeError("the machines did not boot")

    def stop_lab(self):
        if self.lab is None:
            return
        self.lab.terminate()
        self.lab.wait()
        self.lab.stderr.close()
        self.lab = None

    def add_strangers(self):
        """A plain TLS server, an SSH server, and Talos under a CA that is not ours."""
        for kind, address in zip(("tls", "ssh", "talos"), self.spare):
            self.add_stranger(kind, address)

    def add_stranger(self, kind, address):
        length = 128 if ":" in address else 32
        self.lab_side.run("ip", "address", "add", f"{address}/{length}", "dev", "ichor-lab0",
                          *self.at_once(address))
        self.strangers.append(Stranger(kind, address, self.folder, self.lab_side))

    def run(self, *words, limit=120, folder=None):
        """ichor as against real machines; exit code and the lines of its output."""
        done = subprocess.run(self.desk_side.command(self.ichor, *words, "-q", "-o", "json"),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=limit, check=False, cwd=folder or self.folder)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def remove_strangers(self):
        for stranger in self.strangers:
            stranger.end()
            length = 128 if ":" in stranger.address else 32
            self.lab_side.run("ip", "address", "del", f"{stranger.address}/{length}", "dev",
                              "ichor-lab0")
        self.strangers = []

    def end(self):
        for stranger in self.strangers:
            stranger.end()
        self.stop_lab()
        if self.other_lab is not None:
            self.other_lab.terminate()
            self.other_lab.wait()
        self.desk_side.end()
        self.lab_side.end()


class Stranger:
    """A server at port 50000 that writes down what is sent to it. A process of its own, because a
    process has one network namespace."""

    def __init__(self, kind, address, folder, side):
        self.kind, self.address = kind, address
        self.log = pathlib.Path(folder) / f"{kind}-{address}.log"
        self.process = subprocess.Popen(
            side.command(sys.executable, __file__, kind, address, str(folder), str(self.log)),
            stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "listening\n":
            raise RuntimeError(f"the {kind} server did not start")

    def visits(self):
        """What came, one entry per connection."""
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def await_visits(self):
        """A visit is written down when it is over, and a lost packet may draw that out."""
        for _ in range(100):
            if visits := self.visits():
                return visits
            time.sleep(0.1)
        return []

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def make_certificates(folder, kind):
    """A CA and a server under it, as this kind of server shows them."""
    base = pathlib.Path(folder) / kind
    subject = "/O=talos" if kind == "talos" else "/CN=Some Company CA"
    name = "/CN=cp9" if kind == "talos" else "/CN=www.example.com"

    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, stderr=subprocess.DEVNULL)
    openssl("req", "-x509", "-newkey", "ed25519", "-nodes", "-days", "2", "-subj", subject,
            "-keyout", f"{base}-ca.key", "-out", f"{base}-ca.crt")
    openssl("req", "-newkey", "ed25519", "-nodes", "-subj", name, "-keyout", f"{base}.key", "-out",
            f"{base}.csr")
    openssl("x509", "-req", "-in", f"{base}.csr", "-days", "2", "-CA", f"{base}-ca.crt", "-CAkey",
            f"{base}-ca.key", "-CAcreateserial", "-out", f"{base}.crt")
    return f"{base}.crt", f"{base}.key", f"{base}-ca.crt"


def serve(kind, address, folder, log):
    """Never returns."""
    tls = None
    if kind != "ssh":
        certificate, key, authority = make_certificates(folder, kind)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        tls.set_alpn_protocols(["h2"])
        if kind == "talos":
            # Asked for and not demanded, so that what comes after the handshake can be read.
            tls.verify_mode = ssl.CERT_OPTIONAL
            tls.load_verify_locations(authority)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.create_server((address, PORT), family=family, backlog=64)
    print("listening", flush=True)
    lock = threading.Lock()

    def visit(connection):
        seen = {"handshake": False, "above_tls": 0, "certificate": False, "records": []}
        connection.settimeout(10)
        try:
            if tls is None:
                connection.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n")
                while data := connection.recv(4096):
                    # A TLS record of the kind handshake, or an alert.
                    seen["records"].append(data[:1].hex())
            else:
                with tls.wrap_socket(connection, server_side=True) as secure:
                    seen["handshake"] = True
                    seen["certificate"] = bool(secure.getpeercert())
                    while data := secure.recv(4096):
                        seen["above_tls"] += len(data)
        except (OSError, ssl.SSLError) as error:
            seen["error"] = str(error)
        with lock, open(log, "a", encoding="utf-8") as file:
            file.write(json.dumps(seen) + "\n")

    while True:
        connection, _ = listener.accept()
        threading.Thread(target=visit, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    serve(*sys.argv[1:5])
