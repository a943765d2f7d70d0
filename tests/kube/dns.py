"""Cluster DNS: a real CoreDNS as a process, behind the ports of the pods that kwok plays.

kwok forwards port 53 of every pod of kube-system to it, so whoever asks a CoreDNS pod through the
API server's port forwarding is answered from the cluster's own Services.
"""

import processes
import tools

COREFILE = """\
.:{port} {{
  bind 127.0.0.1
  errors
  ready 127.0.0.1:{ready}
  kubernetes cluster.local {{
    kubeconfig {kubeconfig} bed
  }}
}}
"""


class Dns:
    def __init__(self, folder, running, plane):
        self.folder, self.running, self.plane = folder, running, plane
        self.port = processes.free_port()

    def start(self):
        ready = processes.free_port()
        corefile = self.folder / "Corefile"
        corefile.write_text(COREFILE.format(port=self.port, ready=ready,
                                            kubeconfig=self.plane.kubeconfig))
        self.running.start("coredns", [tools.program("coredns"), "-conf", corefile],
                           lambda: processes.connects(self.port))

    def stop(self):
        self.running.stop("coredns")

    def forwarding(self):
        """kwok's rule that leads to it."""
        return {"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "ClusterPortForward",
                "metadata": {"name": "dns"},
                "spec": {"selector": {"matchNamespaces": ["kube-system"]},
                         "forwards": [{"ports": [53], "target": {"address": "127.0.0.1",
                                                                 "port": self.port}}]}}
