#include "lab/kube/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/kube/table.h"

namespace ichor::lab {
namespace {

using nlohmann::json;
using testing::ElementsAre;

KubeObject node(const std::string& name, bool ready) {
  return {
      "nodes",
      "",
      name,
      {{"kind", "Node"},
       {"apiVersion", "v1"},
       {"metadata", {{"name", name}, {"labels", {{"role", name.substr(0, 1)}}}}},
       {"status", {{"conditions", {{{"type", "Ready"}, {"status", ready ? "True" : "False"}}}}}}}};
}

class KubeApiTest : public testing::Test {
 protected:
  KubeApiTest() { store_.follow({node("cp1", true), node("w1", false)}, {1'000'000}); }

  KubeReply get(const std::string& target, const std::string& accept = "application/json") {
    return answer({"GET", target, accept, master_}, store_, "v1.35.2", {1'090'000});
  }
  json body(const std::string& target, const std::string& accept = "application/json") {
    return json::parse(get(target, accept).body);
  }

  ObjectStore store_;
  Peer master_{false, {"system:masters"}, "admin"};
};

TEST_F(KubeApiTest, OnlyMastersAreAnswered) {
  EXPECT_EQ(answer({"GET", "/api/v1/nodes", "", {}}, store_, "v1.35.2", {}).status, 401);
  const Peer nobody{false, {"dev"}, "eve"};
  EXPECT_EQ(answer({"GET", "/api/v1/nodes", "", nobody}, store_, "v1.35.2", {}).status, 403);
  EXPECT_EQ(get("/api/v1/nodes").status, 200);
}

TEST_F(KubeApiTest, ListsAreFilteredBySelectors) {
  EXPECT_EQ(body("/api/v1/nodes")["items"].size(), 2u);
  EXPECT_EQ(body("/api/v1/nodes?labelSelector=role%3Dw")["items"][0]["metadata"]["name"], "w1");
  EXPECT_EQ(body("/api/v1/nodes?labelSelector=role+in+(c,x)")["items"].size(), 1u);
  EXPECT_EQ(body("/api/v1/nodes?labelSelector=!role")["items"].size(), 0u);
  EXPECT_EQ(body("/api/v1/nodes?fieldSelector=metadata.name%3Dcp1")["items"].size(), 1u);
}

TEST_F(KubeApiTest, KubectlGetsATableWithTheCellsItShows) {
  const json table =
      body("/api/v1/nodes?limit=500", "application/json;as=Table;v=v1;g=meta.k8s.io");
  EXPECT_EQ(table["kind"], "Table");
  ASSERT_EQ(table["rows"].size(), 2u);
  EXPECT_EQ(table["rows"][0]["cells"][0], "cp1");
  EXPECT_EQ(table["rows"][0]["cells"][1], "Ready");
  EXPECT_EQ(table["rows"][0]["cells"][3], "90s");
  EXPECT_EQ(table["rows"][1]["cells"][1], "NotReady");
  EXPECT_EQ(table["rows"][0]["object"]["kind"], "PartialObjectMetadata");
}

TEST_F(KubeApiTest, WhatIsNotThereIsNotFound) {
  const KubeReply missing = get("/api/v1/nodes/cp9");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(json::parse(missing.body)["message"], "nodes \"cp9\" not found");
  EXPECT_EQ(get("/apis/batch/v1/jobs").status, 404);
}

TEST_F(KubeApiTest, NothingCanBeWritten) {
  const KubeReply refused =
      answer({"DELETE", "/api/v1/nodes/cp1", "", master_}, store_, "v1.35.2", {});
  EXPECT_EQ(refused.status, 405);
}

TEST_F(KubeApiTest, DiscoveryNamesWhatIsServed) {
  EXPECT_EQ(body("/version")["minor"], "35");
  EXPECT_EQ(body("/api")["versions"][0], "v1");
  EXPECT_EQ(body("/apis/apps/v1")["resources"][0]["name"], "deployments");
  EXPECT_EQ(get("/readyz").body, "ok");
}

TEST_F(KubeApiTest, AWatchGoesOnWhereAListEnded) {
  const std::string version = body("/api/v1/nodes")["metadata"]["resourceVersion"];
  const KubeReply reply = get("/api/v1/nodes?watch=1&resourceVersion=" + version);
  ASSERT_TRUE(reply.watch);
  EXPECT_FALSE(reply.watch->initial_events);
  std::vector<std::string> seen;
  store_.watch([&](const KubeChange& change) {
    seen.push_back(std::string(change.type) + " " +
                   change.object["metadata"]["name"].get<std::string>());
  });
  store_.follow({node("cp1", true), node("w1", true), node("w2", true)}, {1'100'000});
  store_.follow({node("cp1", true), node("w2", true)}, {1'100'000});
  EXPECT_THAT(seen, ElementsAre("MODIFIED w1", "ADDED w2", "DELETED w1"));
  EXPECT_EQ(store_.since(std::stoull(version)).size(), 3u);
  EXPECT_EQ(get("/api/v1/nodes?watch=1&resourceVersion=99999").status, 410);
}

TEST(AgeTest, IsShownAsKubectlShowsIt) {
  EXPECT_EQ(human_age(45), "45s");
  EXPECT_EQ(human_age(119), "119s");
  EXPECT_EQ(human_age(200), "3m20s");
  EXPECT_EQ(human_age(3600), "60m");
  EXPECT_EQ(human_age(4 * 3600 + 60), "4h1m");
  EXPECT_EQ(human_age(50 * 3600), "2d");
}

}  // namespace
}  // namespace ichor::lab
