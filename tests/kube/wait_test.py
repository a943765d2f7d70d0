"""`ichor wait` on objects of all kinds, and what waiting costs."""

import os
import time

import support

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


class WaitForObjects(support.KubeTest):
    def test_goes_by_the_rules_of_their_kinds(self):
        bed = self.make_bed("objects")
        bed.start()
        bed.kubectl("apply", "-f", "-", text=OBJECTS)
        for thing in ("Deployment/web", "deployment.apps/web", "deployments.v1.apps/web",
                      "StatefulSet/db", "Job/once", "Pod/alone", "Service/web"):
            run = bed.ichor("wait", "object", thing, "--timeout", "60s")
            self.assert_done(run)
        run = bed.ichor("wait", "object", "Namespace/default", "--timeout", "5s")
        self.assert_done(run)
        run = bed.ichor("wait", "object", "PersistentVolumeClaim/never", "--timeout", "2s")
        self.assertEqual(run.code, 4, run.explain())
        run = bed.ichor("wait", "object", "Deployment/absent", "--timeout", "2s")
        self.assertEqual(run.code, 4, run.explain())
        run = bed.ichor("wait", "object", "Teapot/short", "--timeout", "2s")
        self.assertEqual(run.code, 1, run.explain())

    def test_ends_as_soon_as_it_holds(self):
        bed = self.make_bed("soon")
        bed.start()
        process = bed.start_ichor("wait", "object", "ConfigMap/late", "--for", "exists",
                                  "--timeout", "60s")
        time.sleep(3)  # it must wait by then, whatever the load
        self.assertIsNone(process.poll())
        bed.kubectl("create", "configmap", "late")
        began = time.monotonic()
        output, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, output + errors)
        print(f"    seen {time.monotonic() - began:.2f} s after kubectl", flush=True)
        deleted = bed.start_ichor("wait", "object", "ConfigMap/late", "--for", "deleted",
                                  "--timeout", "60s")
        time.sleep(1)
        bed.kubectl("delete", "configmap", "late")
        output, errors = deleted.communicate(timeout=30)
        self.assertEqual(deleted.returncode, 0, output + errors)


class WaitingIsCheap(support.KubeTest):
    """100 nodes, 2,000 pods, 60 s: less than 1 % of a core."""

    SECONDS = 60
    BAR = 0.01

    def test_with_a_hundred_nodes_and_two_thousand_pods(self):
        bed = self.make_bed("load")
        nodes = {f"n{number:03}": f"192.168.23.{number}" for number in range(100)}
        bed.start(nodes=nodes)
        for name in nodes:
            bed.nodes.mark(name, "ready")
        bed.nodes.mark("n042", "lost")
        bed.kubectl("apply", "-f", "-", text=LOAD)
        ready = "/apis/apps/v1/namespaces/default/deployments/load"
        self.eventually(lambda: bed.api.get(ready)["status"].get("readyReplicas", 0) >= 2000,
                        "2,000 pods run", 400)
        process = bed.start_ichor("wait", "nodes", "--timeout", f"{self.SECONDS + 30}s")
        time.sleep(10)  # its start is not what is measured
        before = cpu_seconds(process.pid)
        time.sleep(self.SECONDS)
        used = cpu_seconds(process.pid) - before
        print(f"    ichor wait nodes: {used / self.SECONDS:.4%} of a core over {self.SECONDS} s "
              "with 100 nodes and 2,000 pods", flush=True)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4, output[-2000:] + errors[-2000:])
        self.assertIn("n042", output)
        self.assertLess(used / self.SECONDS, self.BAR)


def cpu_seconds(pid):
    """User and system time of a process and of the children it has waited for."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(") ")[2].split()
    return sum(int(field) for field in fields[11:15]) / CLOCK_TICKS


LOAD = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: load, namespace: default}
spec:
  replicas: 2000
  selector: {matchLabels: {app: load}}
  template:
    metadata: {labels: {app: load}}
    spec:
      tolerations: [{operator: Exists}]
      containers: [{name: pause, image: pause}]
"""

TEMPLATE = """
    metadata: {labels: {app: NAME}}
    spec:
      tolerations: [{operator: Exists}]
      containers: [{name: main, image: main}]
"""

OBJECTS = f"""
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template: {TEMPLATE.replace('NAME', 'web')}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: db}}
spec:
  serviceName: db
  selector: {{matchLabels: {{app: db}}}}
  template: {TEMPLATE.replace('NAME', 'db')}
---
apiVersion: batch/v1
kind: Job
metadata: {{name: once}}
spec:
  template: {TEMPLATE.replace('NAME', 'once')}      restartPolicy: Never
---
apiVersion: v1
kind: Pod
metadata: {{name: alone}}
spec:
  tolerations: [{{operator: Exists}}]
  containers: [{{name: main, image: main}}]
---
apiVersion: v1
kind: Service
metadata: {{name: web}}
spec: {{selector: {{app: web}}, ports: [{{port: 80}}]}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: never}}
spec: {{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}}}
"""
