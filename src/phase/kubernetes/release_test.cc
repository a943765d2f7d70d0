#include "phase/kubernetes/release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/kubernetes/crds_phase.h"
#include "phase/kubernetes/manifests.h"

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

WantedRelease wanted(const std::string& name, std::vector<std::string> needs = {}) {
  WantedRelease release;
  release.name = name;
  release.chart = "oci://host/charts/" + name;
  release.version = "1.0.0";
  release.needs = std::move(needs);
  return release;
}

KubeObject record(int revision, const std::string& status) {
  KubeObject secret{{"apiVersion", "v1"}, {"kind", "Secret"}};
  secret["metadata"]["name"] = "sh.helm.release.v1.a.v" + std::to_string(revision);
  secret["metadata"]["labels"] = {{"version", std::to_string(revision)}, {"status", status}};
  return secret;
}

TEST(Releases, AreInstalledOnlyWhereSomethingDiffers) {
  DeployedRelease deployed;
  EXPECT_THAT(reason_to_install(wanted("a"), deployed), HasSubstr("not installed"));
  deployed.there = true;
  deployed.status = "deployed";
  deployed.version = "v1.0.0";
  EXPECT_EQ(reason_to_install(wanted("a"), deployed), "");
  deployed.version = "0.9.0";
  EXPECT_THAT(reason_to_install(wanted("a"), deployed), HasSubstr("1.0.0 is wanted"));
  deployed.version = "1.0.0";
  deployed.values = KubeObject::parse(R"({"replicas":1})");
  EXPECT_THAT(reason_to_install(wanted("a"), deployed), HasSubstr("other values"));
  deployed.status = "pending-install";
  EXPECT_THAT(reason_to_install(wanted("a"), deployed), HasSubstr("pending-install"));
}

TEST(Releases, AreTheSameAfterFluxAddedTheDigestOfTheChart) {
  DeployedRelease deployed;
  deployed.there = true;
  deployed.status = "deployed";
  deployed.version = "1.0.0+8ae1a1b3d0ee";
  EXPECT_EQ(reason_to_install(wanted("a"), deployed), "");
  WantedRelease exact = wanted("a");
  exact.version = "1.0.0+0123456789ab";
  EXPECT_THAT(reason_to_install(exact, deployed), HasSubstr("+0123456789ab is wanted"));
  exact.version = "v1.0.0+8ae1a1b3d0ee";
  EXPECT_EQ(reason_to_install(exact, deployed), "");
  deployed.version = "1.0.1+8ae1a1b3d0ee";
  EXPECT_THAT(reason_to_install(wanted("a"), deployed), HasSubstr("1.0.0 is wanted"));
}

TEST(Releases, AreJudgedByTheirNewestRevision) {
  const DeployedRelease newest =
      newest_revision({record(2, "superseded"), record(10, "deployed"), record(9, "failed")});
  EXPECT_TRUE(newest.there);
  EXPECT_EQ(newest.status, "deployed");
  EXPECT_EQ(newest.record.name, "sh.helm.release.v1.a.v10");
  EXPECT_FALSE(newest_revision({}).there);
}

TEST(Releases, OfAHelmfileComeWithNeedsAndMergedValues) {
  const auto releases = helmfile_releases(
      "---\nreleases:\n"
      "- {name: cilium, namespace: kube-system, chart: c, version: 1.0.0}\n"
      "- name: dns\n  chart: d\n  needs: [kube-system/cilium]\n"
      "  values:\n  - {a: {b: 1, c: 2}}\n  - {a: {b: 3}}\n"
      "- {name: off, chart: o, installed: false}\n",
      "/repo/01-core.yaml");
  ASSERT_TRUE(releases) << releases.error().message;
  ASSERT_EQ(releases->size(), 2u);
  EXPECT_EQ((*releases)[0].name_space, "kube-system");
  EXPECT_EQ((*releases)[0].helmfile, "/repo/01-core.yaml");
  EXPECT_THAT((*releases)[1].needs, ElementsAre("cilium"));
  EXPECT_EQ((*releases)[1].values, KubeObject::parse(R"({"a":{"b":3,"c":2}})"));
}

TEST(Releases, OfTheTreeTakeChartAndVersionFromTheRepositoryBeside) {
  const KubeObject helm_release = KubeObject::parse(
      R"({"kind":"HelmRelease","spec":{"chartRef":{"kind":"OCIRepository","name":"cilium"},
          "values":{"ipam":{"mode":"kubernetes"}}}})");
  const KubeObject repository = KubeObject::parse(
      R"({"kind":"OCIRepository","spec":{"url":"oci://host/charts/cilium","ref":{"tag":"1.18.4"},
          "insecure":true}})");
  const auto release = release_of_tree(helm_release, repository, "apps/cilium");
  ASSERT_TRUE(release) << release.error().message;
  EXPECT_EQ(release->chart, "oci://host/charts/cilium");
  EXPECT_EQ(release->version, "1.18.4");
  EXPECT_TRUE(release->plain_http);
  EXPECT_EQ(release->values["ipam"]["mode"], "kubernetes");
  EXPECT_THAT(release_of_tree(helm_release, {}, "apps/cilium").error().message,
              HasSubstr("no ocirepository.yaml"));
}

TEST(CrdCharts, MustHaveTheVersionOfTheirRelease) {
  const WantedRelease release = wanted("a");
  EXPECT_THAT(misaligned({{"a", "1.0.0"}, {"other", "9"}}, {&release}), IsEmpty());
  const auto unmet = misaligned({{"a", "0.9.0"}}, {&release});
  ASSERT_EQ(unmet.size(), 1u);
  EXPECT_EQ(unmet[0].fault, "C6");
  EXPECT_EQ(chart_name("/repo/charts/cilium/"), "cilium");
}

TEST(CrdCharts, MarkTheirCrdsAsPartsOfTheReleaseThatFollows) {
  std::vector<KubeObject> crds{KubeObject::parse(R"({"metadata":{"name":"x"}})")};
  const WantedRelease release = wanted("a");
  EXPECT_EQ(owner_of("oci://host/charts/other", {&release}), nullptr);
  EXPECT_EQ(owner_of("charts/a", {&release}), &release);
  mark_for_release(crds, release);
  EXPECT_EQ(crds[0]["metadata"]["annotations"]["meta.helm.sh/release-name"], "a");
  EXPECT_EQ(crds[0]["metadata"]["labels"]["app.kubernetes.io/managed-by"], "Helm");
}

TEST(Manifests, AreReadAsObjectsOfAllTheirDocuments) {
  const auto objects = objects_of(
      "---\n# nothing\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: '1'}\n"
      "---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: "
      "{name: s}}\n",
      "text");
  ASSERT_TRUE(objects) << objects.error().message;
  ASSERT_EQ(objects->size(), 2u);
  EXPECT_EQ((*objects)[0]["data"]["k"], "1");
  EXPECT_EQ(only_kind(*objects, "Secret").size(), 1u);
  EXPECT_FALSE(objects_of("kind: ConfigMap\n", "text"));
}

TEST(Manifests, KeepTheTypesOfTheirValues) {
  const auto objects =
      objects_of("apiVersion: v1\nkind: X\na: 5\nb: 1.5\nc: true\nd: ~\ne: '5'\nf: yes\n", "text");
  ASSERT_TRUE(objects);
  EXPECT_EQ((*objects)[0].dump(),
            R"({"a":5,"apiVersion":"v1","b":1.5,"c":true,"d":null,"e":"5","f":"yes","kind":"X"})");
}

TEST(Manifests, OfSecretsAreEncodedAsTheServerWould) {
  const KubeObject secret = encoded_secret(
      KubeObject::parse(R"({"kind":"Secret","data":{"a":"eA=="},"stringData":{"b":"y"}})"));
  EXPECT_EQ(secret, KubeObject::parse(R"({"kind":"Secret","data":{"a":"eA==","b":"eQ=="}})"));
}

TEST(Releases, ThatWouldBeFlagsOfHelmAreRefused) {
  for (const char* entry :
       {"{name: --x, chart: c}", "{name: a, chart: --post-renderer=x}", "{name: a, chart: h/-x}",
        "{name: a, chart: c, version: -x}", "{name: a, chart: c, namespace: --kubeconfig=x}"}) {
    const auto releases = helmfile_releases(std::string("releases: [") + entry + "]", "h.yaml");
    ASSERT_FALSE(releases) << entry;
    EXPECT_THAT(releases.error().message, HasSubstr("without a leading -"));
  }
  KubeObject helm_release;
  helm_release["spec"]["chart"]["spec"] = {{"chart", "--post-renderer=x"}};
  EXPECT_FALSE(release_of_tree(helm_release, {}, "apps/a"));
  helm_release["spec"]["chartRef"] = {{"name", "a"}};
  KubeObject repository;
  repository["spec"] = {{"url", "oci://h/a"}, {"ref", {{"tag", "--x"}}}};
  EXPECT_FALSE(release_of_tree(helm_release, repository, "apps/a"));
}

}  // namespace
}  // namespace ichor
