"""A real Kubernetes control plane on the loopback: etcd, API server, controllers, scheduler."""

import api as apis
import pki
import processes
import tools

# Thousands of pods must not wait for the default limit of 20 requests a second.
UNTHROTTLED = ("--kube-api-qps", "300", "--kube-api-burst", "600")
SERVER_NAMES = ("IP:127.0.0.1", "DNS:localhost", "DNS:kubernetes.default.svc")


class ControlPlane:
    """Its programs, its certificates and its administrator's kubeconfig."""

    def __init__(self, folder, running):
        self.folder = folder
        self.running = running
        self.authority = pki.Authority(folder / "pki")
        self.authority.sign("apiserver", "/CN=kube-apiserver", SERVER_NAMES)
        self.authority.sign("admin", "/O=system:masters/CN=admin")
        self.authority.make_key("accounts")
        self.port = processes.free_port()
        self.server = f"https://127.0.0.1:{self.port}"
        self.etcd_port, self.peer_port = processes.free_port(), processes.free_port()
        self.kubeconfig = self.authority.kubeconfig(folder / "admin.kubeconfig", self.server,
                                                    "admin")
        self.api = apis.Api(self.port, self.authority, "admin")

    def start(self):
        self.start_etcd()
        self.start_apiserver()
        self.start_controllers()

    def start_etcd(self):
        client = f"http://127.0.0.1:{self.etcd_port}"
        peer = f"http://127.0.0.1:{self.peer_port}"
        self.running.start(
            "etcd",
            [tools.program("etcd"), "--data-dir", self.folder / "etcd", "--unsafe-no-fsync",
             "--listen-client-urls", client, "--advertise-client-urls", client,
             "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
             "--initial-cluster", f"default={peer}", "--log-level", "warn"],
            lambda: processes.connects(self.etcd_port))

    def start_apiserver(self):
        pair, accounts = self.authority, self.authority.key("accounts")
        self.running.start(
            "kube-apiserver",
            [tools.program("kubernetes", "kube-apiserver"),
             "--etcd-servers", f"http://127.0.0.1:{self.etcd_port}",
             "--bind-address", "127.0.0.1", "--secure-port", self.port,
             # The service `kubernetes` must not point to a loopback address; it is not needed here.
             "--endpoint-reconciler-type", "none",
             "--service-cluster-ip-range", "10.43.0.0/16", "--allow-privileged",
             # Kubelets are one kwok on the loopback; their other addresses are the profile's.
             "--kubelet-preferred-address-types", "ExternalIP",
             "--authorization-mode", "Node,RBAC", "--client-ca-file", pair.certificate("ca"),
             "--tls-cert-file", pair.certificate("apiserver"),
             "--tls-private-key-file", pair.key("apiserver"),
             "--service-account-issuer", "https://kubernetes.default.svc",
             "--service-account-key-file", accounts,
             "--service-account-signing-key-file", accounts],
            self.api.is_ready)

    def stop_apiserver(self):
        self.running.stop("kube-apiserver")

    def start_controllers(self):
        self.running.start(
            "kube-controller-manager",
            [tools.program("kubernetes", "kube-controller-manager"),
             "--kubeconfig", self.kubeconfig, "--leader-elect=false", *UNTHROTTLED,
             "--bind-address", "127.0.0.1", "--secure-port", processes.free_port(),
             "--root-ca-file", self.authority.certificate("ca"),
             "--service-account-private-key-file", self.authority.key("accounts"),
             "--cluster-signing-cert-file", self.authority.certificate("ca"),
             "--cluster-signing-key-file", self.authority.key("ca")],
            self.has_default_account)
        self.running.start(
            "kube-scheduler",
            [tools.program("kubernetes", "kube-scheduler"), "--kubeconfig", self.kubeconfig,
             "--leader-elect=false", *UNTHROTTLED, "--bind-address", "127.0.0.1",
             "--secure-port", processes.free_port()],
            lambda: True)

    def has_default_account(self):
        """The controllers work: one of the last things they make is there."""
        return self.api.find("/api/v1/namespaces/default/serviceaccounts/default") is not None
