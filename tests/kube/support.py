"""What the tests of the phases share: a bed per test, and words for what must be seen."""

import json
import pathlib
import unittest

import api as apis
import bed as beds
import processes
import tools
import tree as trees

FAILED, OUT_OF_TIME = (1,), (4,)
UNMET = FAILED + OUT_OF_TIME
# How long a controller may take to notice something, on a machine that does much besides. A wait
# ends as soon as it holds, so a long one costs nothing.
SETTLES_S = 300


class KubeTest(unittest.TestCase):
    """A test with its own bed, which is gone afterwards, whatever happened.

    The example's phases 1 and 2 are helmfiles. With `helmfile` they stay so; else they are ichor's
    own lists of the same charts, which is quicker and needs one program less.
    """

    helmfile = False

    NEEDS = tools.BED  # what must be built
    maxDiff = None

    def make_bed(self, name, **options):
        bed = beds.Bed(name, **options)
        self.addCleanup(lambda: bed.remove(failed=self.has_failed()))
        return bed

    def bed_with_tree(self, name, troubles=(), **options):
        bed = self.make_bed(name, **options)
        bed.start(troubles)
        bed.start_repository()
        if not self.helmfile:
            bed.use_releases()
        return bed

    def has_failed(self):
        outcome = self._outcome.result
        return any(test is self for test, _ in [*outcome.failures, *outcome.errors])

    # What a run must say.

    def assert_done(self, run, **summary):
        self.assertEqual(run.code, 0, run.explain())
        self.assertTrue(run.summary.get("ok"), run.explain())
        for name, value in summary.items():
            self.assertEqual(run.summary.get(name), value, run.explain())

    def assert_named(self, run, codes, fault, thing, reason, kinds=("unmet", "finding")):
        """The run fails honestly: exit code, fault, object, reason, and what to do about it.

        `codes` is OUT_OF_TIME where waiting may help, FAILED where it does not, or UNMET: of a
        controller that tries for ever, and reports a failure each time, both are true.
        """
        self.assertIn(run.code, codes, run.explain())
        self.assertFalse(run.summary.get("ok"), run.explain())
        found = [event for kind in kinds for event in run.of(kind)]
        matching = [event for event in found
                    if fault in json.dumps(event.get("fault", event.get("id", "")))
                    and thing in json.dumps(event) and reason in json.dumps(event)]
        self.assertTrue(matching, f"no {fault} with {thing!r} and {reason!r}:\n{run.explain()}")
        self.assertTrue(all(event.get("fix") for event in matching), matching)

    def assert_secret_free(self, bed, *runs):
        """No value of a secret is in what was printed or in a file that was written."""
        written = [path for path in (bed.folder / "state").rglob("*") if path.is_file()]
        texts = {f"output of run {number}": run.output + run.errors
                 for number, run in enumerate(runs)}
        texts.update({str(path): path.read_text(errors="replace") for path in written})
        for value in (trees.SECRET_VALUE, trees.CONNECT_TOKEN, trees.CONNECT_VALUE):
            for where, text in texts.items():
                self.assertNotIn(value, text, where)
        for path in written:
            self.assertEqual(path.stat().st_mode & 0o077, 0, f"{path} is open to others")

    # What the cluster must be.

    def phases(self, bed, *numbers):
        """Runs phases that must succeed."""
        runs = [bed.ichor("phase", number) for number in numbers]
        for number, run in zip(numbers, runs):
            self.assertEqual(run.code, 0, f"phase {number}: {run.explain()}")
        return runs

    def eventually(self, holds, what, limit_s=SETTLES_S):
        self.assertTrue(processes.labs.wait_until(holds, limit_s),
                        f"not within {limit_s} s: {what}")

    def secret(self, bed, namespace, name):
        return bed.api.get(f"/api/v1/namespaces/{namespace}/secrets/{name}")


def versions(bed, *paths):
    """The resourceVersion of every object of these lists, by its name."""
    found = {}
    for path in paths:
        for thing in bed.api.items(path):
            meta = thing["metadata"]
            found[f"{path} {meta.get('namespace', '')}/{meta['name']}"] = meta["resourceVersion"]
    return found


def resting(bed, path):
    return all(apis.is_true(thing, "Ready") for thing in bed.api.items(path))


STATIC = ("/api/v1/namespaces", "/api/v1/secrets", "/api/v1/configmaps", "/api/v1/services",
          "/api/v1/serviceaccounts", "/apis/apps/v1/deployments", "/apis/apps/v1/daemonsets",
          "/apis/rbac.authorization.k8s.io/v1/clusterroles",
          "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
GITOPS = ("/apis/source.toolkit.fluxcd.io/v1/gitrepositories",
          "/apis/kustomize.toolkit.fluxcd.io/v1/kustomizations",
          "/apis/helm.toolkit.fluxcd.io/v2/helmreleases",
          "/apis/source.toolkit.fluxcd.io/v1/ocirepositories")
HERE = pathlib.Path(__file__).resolve().parent
