"""Phase 0, when what it needs is missing, wrong, refused or owned by another user."""

import base64
import json

import processes
import support
import tree as trees


class SecretsTrouble(support.KubeTest):
    def setUp(self):
        self.bed = self.bed_with_tree("secrets")

    def test_a_wrong_sops_key_stops_it_before_anything_is_sent(self):
        other = self.bed.folder / "other.key"
        self.bed.tree.make_age_key(other)
        run = self.bed.ichor("phase", 0, environment={"SOPS_AGE_KEY_FILE": str(other)})
        self.assert_named(run, (1, 3, 5), "", "secrets.sops.yaml", "key")
        self.assertIsNone(self.bed.api.find(
            "/api/v1/namespaces/flux-system/secrets/cluster-secrets"))

    def test_a_connect_server_that_refuses_or_lacks_the_secret_is_named(self):
        trees.private(self.bed.tree.folder / "connect.token", "another-token\n")
        run = self.bed.ichor("phase", 0, "--timeout", "10s")
        self.assert_named(run, support.UNMET, "K4", "onepassword", "token")
        trees.private(self.bed.tree.folder / "connect.token", trees.CONNECT_TOKEN + "\n")
        trees.private(self.bed.folder / "connect.json",
                      json.dumps({"token": trees.CONNECT_TOKEN, "vaults": {"kubernetes": {}}}))
        run = self.bed.ichor("phase", 0, "--timeout", "10s")
        self.assert_named(run, support.UNMET, "K4", "connect", "item")
        self.bed.running.stop("connect")
        run = self.bed.ichor("phase", 0, "--timeout", "10s")
        self.assert_named(run, support.UNMET, "K4", "onepassword", str(self.bed.connect_port))

    def test_a_dry_run_shows_what_would_change_and_changes_nothing(self):
        before = support.versions(self.bed, "/api/v1/namespaces", "/api/v1/secrets")
        run = self.bed.ichor("phase", 0, "--dry-run", "--detailed-exitcode")
        self.assertEqual(run.code, 2, run.explain())
        self.assertTrue(run.of("object", object="Namespace/external-secrets", change="create"),
                        run.explain())
        self.assertEqual(support.versions(self.bed, "/api/v1/namespaces", "/api/v1/secrets"),
                         before)
        self.assert_secret_free(self.bed, run)


class OwnedByAnother(support.KubeTest):
    def test_a_field_is_not_taken_over_unless_asked_for(self):
        bed = self.bed_with_tree("owned")
        bed.kubectl("create", "namespace", "flux-system")
        bed.kubectl("apply", "--server-side", "--field-manager", "operator", "-f", "-", text=OTHER)
        run = bed.ichor("phase", 0)
        self.assert_named(run, support.FAILED, "K5", "cluster-secrets", "operator")
        path = "/api/v1/namespaces/flux-system/secrets/cluster-secrets"
        self.assertIn("operator", str(bed.api.get(path)["metadata"]["managedFields"]))
        self.assert_done(bed.ichor("phase", 0, "--force-conflicts"))
        self.assert_done(bed.ichor("phase", 0), mutations=0)


class AWebhook(support.KubeTest):
    def test_that_refuses_is_named_with_its_words(self):
        bed = self.bed_with_tree("webhook")
        port = processes.free_port()
        bed.plane.authority.sign("webhook", "/CN=webhook", ["IP:127.0.0.1"])
        bed.running.start(
            "webhook",
            ["python3", "-B", support.HERE / "webhook_server.py",
             bed.plane.authority.certificate("webhook"), bed.plane.authority.key("webhook"), port,
             "namespaces need a cost centre"], lambda: processes.connects(port))
        bed.api.create(
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            webhook(bed.plane.authority, port))
        run = bed.ichor("phase", 0, "--timeout", "20s")
        self.assert_named(run, support.UNMET, "K3", "Namespace", "namespaces need a cost centre")
        bed.api.delete("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/cost")
        self.assert_done(bed.ichor("phase", 0))


def webhook(authority, port):
    bundle = base64.b64encode(authority.certificate("ca").read_bytes()).decode()
    return {
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "cost"},
        "webhooks": [{
            "name": "cost.example.org", "admissionReviewVersions": ["v1"], "sideEffects": "None",
            "clientConfig": {"url": f"https://127.0.0.1:{port}/", "caBundle": bundle},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                       "resources": ["namespaces"]}]}]}


OTHER = """
apiVersion: v1
kind: Secret
metadata: {name: cluster-secrets, namespace: flux-system}
data: {SECRET_DOMAIN: YW5vdGhlci5leGFtcGxlLm9yZw==}
"""
