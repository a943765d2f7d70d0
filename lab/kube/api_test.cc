#include "lab/kube/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/kube/table.h"
#include "sim/virtual_clock.h"

namespace ichor::lab {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

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

KubeObject space(const std::string& name) {
  return {"namespaces",
          "",
          name,
          {{"kind", "Namespace"}, {"apiVersion", "v1"}, {"metadata", {{"name", name}}}}};
}

class KubeApiTest : public testing::Test {
 protected:
  KubeApiTest() { cluster_.follow({space("default"), node("cp1", true), node("w1", false)}); }

  KubeReply ask(const std::string& method, const std::string& target, const json& body = {},
                const std::string& type = "application/json") {
    KubeRequest request{method,
                        target,
                        "application/json",
                        master_,
                        type,
                        "kubectl/v1.35",
                        body.is_null() ? "" : body.dump()};
    return answer(request, cluster_, clock_.wall());
  }
  KubeReply get(const std::string& target, const std::string& accept = "application/json") {
    return answer({"GET", target, accept, master_, {}, {}, {}}, cluster_, clock_.wall());
  }
  json body(const std::string& target, const std::string& accept = "application/json") {
    return json::parse(get(target, accept).body);
  }
  static json config_map(const std::string& name, const std::string& value) {
    return {{"kind", "ConfigMap"},
            {"apiVersion", "v1"},
            {"metadata", {{"name", name}}},
            {"data", {{"key", value}}}};
  }
  KubeReply apply(const json& object, const std::string& manager, const std::string& more = "") {
    const std::string name = object["metadata"]["name"];
    return ask("PATCH", kMaps + "/" + name + "?fieldManager=" + manager + more, object,
               "application/apply-patch+yaml");
  }
  void passes(Duration time) { clock_.run_for(time); }

  const std::string kMaps = "/api/v1/namespaces/default/configmaps";
  sim::VirtualClock clock_;
  KubeCluster cluster_{clock_, "v1.35.2"};
  Peer master_{false, {"system:masters"}, "admin"};
};

TEST_F(KubeApiTest, OnlyMastersAreAnswered) {
  EXPECT_EQ(answer({"GET", "/api/v1/nodes", "", {}, {}, {}, {}}, cluster_, {}).status, 401);
  const Peer nobody{false, {"dev"}, "eve"};
  EXPECT_EQ(answer({"GET", "/api/v1/nodes", "", nobody, {}, {}, {}}, cluster_, {}).status, 403);
  EXPECT_EQ(get("/api/v1/nodes").status, 200);
}

TEST_F(KubeApiTest, ListsAreFilteredBySelectors) {
  EXPECT_EQ(body("/api/v1/nodes")["items"].size(), 2u);
  EXPECT_EQ(body("/api/v1/nodes?labelSelector=role%3Dw")["items"][0]["metadata"]["name"], "w1");
  EXPECT_EQ(body("/api/v1/nodes?labelSelector=role+in+(c,x)")["items"].size(), 1u);
  EXPECT_EQ(body("/api/v1/nodes?labelSelector=!role")["items"].size(), 0u);
  EXPECT_EQ(body("/api/v1/nodes?fieldSelector=metadata.name%3Dcp1")["items"].size(), 1u);
}

TEST_F(KubeApiTest, ListsComeInPages) {
  for (const char* name : {"a", "b", "c"}) ask("POST", kMaps, config_map(name, "1"));
  const json first = body(kMaps + "?limit=2");
  EXPECT_EQ(first["items"].size(), 2u);
  EXPECT_EQ(first["metadata"]["remainingItemCount"], 1);
  ask("POST", kMaps, config_map("d", "1"));
  const std::string token = first["metadata"]["continue"];
  const json rest = body(kMaps + "?limit=2&continue=" + token);
  ASSERT_EQ(rest["items"].size(), 1u) << "what came later is not in it";
  EXPECT_EQ(rest["items"][0]["metadata"]["name"], "c");
  EXPECT_FALSE(rest["metadata"].contains("continue"));
  cluster_.api().compact();
  EXPECT_EQ(get(kMaps + "?limit=2&continue=" + token).status, 410);
}

TEST_F(KubeApiTest, APageOfASelectionSaysThatMoreMayFollow) {
  for (const char* name : {"a", "b", "c"}) {
    json object = config_map(name, "1");
    if (*name != 'c') object["metadata"]["labels"]["tier"] = "x";
    ASSERT_EQ(ask("POST", kMaps, object).status, 201);
  }
  const std::string query = kMaps + "?labelSelector=tier%3Dx&limit=2";
  const json first = body(query);
  EXPECT_EQ(first["items"].size(), 2u);
  EXPECT_FALSE(first["metadata"].contains("remainingItemCount"));
  const json rest = body(query + "&continue=" + first["metadata"]["continue"].get<std::string>());
  EXPECT_EQ(rest["items"].size(), 0u);
  EXPECT_FALSE(rest["metadata"].contains("continue"));
}

TEST_F(KubeApiTest, ListsAndWatchesThatCannotBeReadAreRefused) {
  for (const char* query :
       {"fieldSelector=data.key%3D1", "fieldSelector=metadata.name", "labelSelector=%3D%3D%3D",
        "labelSelector=a%3D1%2C", "labelSelector=a%3D-", "continue=nonsense", "continue=x/y/z",
        "resourceVersion=abc"}) {
    EXPECT_EQ(get(kMaps + "?" + query).status, 400) << query;
  }
  const KubeReply watch = get(kMaps + "?watch=1&resourceVersion=abc");
  EXPECT_EQ(watch.status, 500);
  EXPECT_FALSE(json::parse(watch.body).contains("reason"));
  EXPECT_EQ(get("/api/v1/pods?fieldSelector=spec.nodeName%3Dcp1").status, 200);
  EXPECT_EQ(body("/api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse")["items"].size(), 2u);
}

TEST_F(KubeApiTest, KubectlGetsATableWithTheCellsItShows) {
  passes(std::chrono::seconds(90));
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
  for (const char* path : {"/apis/batch/v1/jobs", "/apis/apps/v2/deployments", "/api/v1/things",
                           "/api/v1/nodes/cp1/scale"}) {
    const KubeReply unknown = get(path);
    EXPECT_EQ(unknown.status, 404) << path;
    EXPECT_EQ(json::parse(unknown.body)["reason"], "NotFound") << path;
  }
  ask("POST", kMaps, config_map("one", "1"));
  EXPECT_EQ(get(kMaps + "/one/status").status, 404) << "a ConfigMap has none";
  const KubeReply page = get("/apis/example.org/v1/things");
  EXPECT_EQ(page.status, 404);
  EXPECT_EQ(page.body, "404 page not found\n") << "no Status: no handler is there";
}

TEST_F(KubeApiTest, ObjectsAreCreatedReplacedPatchedAndDeleted) {
  const KubeReply made = ask("POST", kMaps, config_map("one", "1"));
  ASSERT_EQ(made.status, 201) << made.body;
  json object = json::parse(made.body);
  EXPECT_EQ(object["metadata"]["namespace"], "default");
  EXPECT_EQ(object["metadata"]["uid"].get<std::string>().size(), 36u);
  EXPECT_FALSE(object["metadata"]["creationTimestamp"].get<std::string>().empty());
  EXPECT_EQ(ask("POST", kMaps, config_map("one", "1")).status, 409);
  EXPECT_EQ(ask("POST", kMaps + "/one", config_map("one", "1")).status, 405);

  object["data"]["key"] = "2";
  EXPECT_EQ(ask("PUT", kMaps + "/one", object).status, 200);
  const KubeReply stale = ask("PUT", kMaps + "/one", object);
  EXPECT_EQ(stale.status, 409);
  EXPECT_THAT(stale.body, HasSubstr("the object has been modified"));

  const json patch{{"data", {{"more", "3"}, {"key", nullptr}}}};
  EXPECT_EQ(ask("PATCH", kMaps + "/one", patch, "application/merge-patch+json").status, 200);
  EXPECT_EQ(body(kMaps + "/one")["data"], json({{"more", "3"}}));
  EXPECT_EQ(ask("PATCH", kMaps + "/one", patch, "text/plain").status, 415);
  const std::string operations = "application/json-patch+json";
  const json failing = {{{"op", "test"}, {"path", "/data/more"}, {"value", "9"}}};
  EXPECT_EQ(ask("PATCH", kMaps + "/one", failing, operations).status, 422);
  const json absent = {{{"op", "remove"}, {"path", "/data/absent"}}};
  EXPECT_EQ(ask("PATCH", kMaps + "/one", absent, operations).status, 422);
  EXPECT_EQ(ask("PATCH", kMaps + "/one", patch, operations).status, 400) << "it is no list";

  const json wrong{{"preconditions", {{"uid", "another"}}}};
  EXPECT_EQ(ask("DELETE", kMaps + "/one", wrong).status, 409);
  EXPECT_EQ(ask("DELETE", kMaps + "/one?dryRun=All", wrong).status, 409);
  const KubeReply dry = ask("DELETE", kMaps + "/one?dryRun=All");
  EXPECT_EQ(dry.status, 200);
  EXPECT_EQ(json::parse(dry.body)["status"], "Success");
  EXPECT_EQ(get(kMaps + "/one").status, 200);
  EXPECT_EQ(ask("DELETE", kMaps + "/one").status, 200);
  EXPECT_EQ(get(kMaps + "/one").status, 404);
}

TEST_F(KubeApiTest, WhatIsNotAllowedIsRefusedByEveryWayOfWriting) {
  EXPECT_EQ(ask("POST", kMaps, config_map("A_b", "1")).status, 422);
  EXPECT_EQ(apply(config_map("A_b", "1"), "me").status, 422);
  const std::string secrets = "/api/v1/namespaces/default/secrets";
  json secret{{"kind", "Secret"}, {"apiVersion", "v1"}, {"metadata", {{"name", "s"}}}};
  secret["data"]["token"] = "dmFsdWU=";
  ASSERT_EQ(ask("POST", secrets, secret).status, 201);
  EXPECT_EQ(body(secrets + "/s")["type"], "Opaque");
  json broken = secret;
  broken["data"]["token"] = "%%%";
  EXPECT_EQ(ask("POST", secrets, broken).status, 400);
  EXPECT_EQ(ask("PUT", secrets + "/s", broken).status, 400);
  EXPECT_EQ(
      ask("PATCH", secrets + "/s?fieldManager=me", broken, "application/apply-patch+yaml").status,
      500);
  const json part{{"data", {{"token", "%%%"}}}};
  EXPECT_EQ(ask("PATCH", secrets + "/s", part, "application/merge-patch+json").status, 422);
  const json type{{"type", "example.org/other"}};
  EXPECT_EQ(ask("PATCH", secrets + "/s", type, "application/merge-patch+json").status, 422);
  EXPECT_EQ(body(secrets + "/s")["data"], secret["data"]);
}

TEST_F(KubeApiTest, AnApplyNamesTheManagerOfAFieldThatItMayNotTake) {
  EXPECT_EQ(apply(config_map("one", "1"), "first").status, 201);
  EXPECT_EQ(apply(config_map("one", "1"), "first").status, 200);
  const KubeReply refused = apply(config_map("one", "2"), "second");
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body, HasSubstr("conflict with \\\"first\\\""));
  EXPECT_EQ(json::parse(refused.body)["details"]["causes"][0],
            json({{"reason", "FieldManagerConflict"},
                  {"message", "conflict with \"first\""},
                  {"field", ".data.key"}}));
  EXPECT_EQ(apply(config_map("one", "2"), "second", "&dryRun=All&force=true").status, 200);
  EXPECT_EQ(body(kMaps + "/one")["data"]["key"], "1") << "a dry run keeps nothing";
  EXPECT_EQ(apply(config_map("one", "2"), "second", "&force=true").status, 200);
  EXPECT_EQ(body(kMaps + "/one")["data"]["key"], "2");
  EXPECT_EQ(apply(config_map("one", "2"), "").status, 422);
  json old = config_map("one", "2");
  old["metadata"]["resourceVersion"] = "1";
  EXPECT_EQ(apply(old, "second").status, 409);
}

TEST_F(KubeApiTest, ACustomKindIsServedWhenItIsEstablished) {
  const json crd{{"kind", "CustomResourceDefinition"},
                 {"apiVersion", "apiextensions.k8s.io/v1"},
                 {"metadata", {{"name", "foos.example.org"}}},
                 {"spec",
                  {{"group", "example.org"},
                   {"scope", "Namespaced"},
                   {"names", {{"kind", "Foo"}, {"plural", "foos"}, {"shortNames", {"fo"}}}},
                   {"versions", {{{"name", "v1alpha1"}, {"served", true}, {"storage", true}}}}}}};
  const std::string path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  ASSERT_EQ(ask("POST", path, crd).status, 201);
  EXPECT_EQ(get("/apis/example.org/v1alpha1/foos").status, 404);
  passes(std::chrono::seconds(2));
  EXPECT_EQ(get("/apis/example.org/v1alpha1/foos").status, 200);
  EXPECT_EQ(body("/apis/example.org/v1alpha1")["resources"][0]["shortNames"][0], "fo");
  EXPECT_EQ(body("/apis/example.org/v1alpha1")["resources"].size(), 1u) << "no status of its own";
  const json foo{{"kind", "Foo"},
                 {"apiVersion", "example.org/v1alpha1"},
                 {"metadata", {{"name", "f"}, {"namespace", "default"}}}};
  const std::string foos = "/apis/example.org/v1alpha1/namespaces/default/foos";
  ASSERT_EQ(ask("POST", foos, foo).status, 201);
  EXPECT_EQ(ask("PUT", foos + "/f/status", foo).status, 404);
  json with_status = json::parse(get(path + "/foos.example.org").body);
  with_status["spec"]["versions"][0]["subresources"]["status"] = json::object();
  ASSERT_EQ(ask("PUT", path + "/foos.example.org", with_status).status, 200);
  EXPECT_EQ(ask("PUT", foos + "/f/status", foo).status, 200);
}

TEST_F(KubeApiTest, PodsOfADeploymentRunOnReadyNodes) {
  const json deployment{{"kind", "Deployment"},
                        {"apiVersion", "apps/v1"},
                        {"metadata", {{"name", "web"}}},
                        {"spec",
                         {{"replicas", 2},
                          {"selector", {{"matchLabels", {{"app", "web"}}}}},
                          {"template", {{"metadata", {{"labels", {{"app", "web"}}}}}}}}}};
  ASSERT_EQ(ask("POST", "/apis/apps/v1/namespaces/default/deployments", deployment).status, 201);
  passes(std::chrono::seconds(10));
  const json pods = body("/api/v1/namespaces/default/pods?labelSelector=app%3Dweb");
  ASSERT_EQ(pods["items"].size(), 2u);
  EXPECT_EQ(pods["items"][0]["spec"]["nodeName"], "cp1") << "w1 is not Ready";
  const std::string path = "/apis/apps/v1/namespaces/default/deployments/web";
  EXPECT_EQ(body(path)["status"]["readyReplicas"], 2);
  ASSERT_EQ(ask("DELETE", path).status, 200);
  passes(std::chrono::seconds(10));
  EXPECT_EQ(body("/api/v1/namespaces/default/pods")["items"].size(), 0u);
}

TEST_F(KubeApiTest, DiscoveryNamesWhatIsServed) {
  EXPECT_EQ(body("/version")["minor"], "35");
  EXPECT_EQ(body("/api")["versions"][0], "v1");
  EXPECT_EQ(body("/apis/apps/v1")["resources"][0]["name"], "deployments");
  EXPECT_EQ(get("/readyz").body, "ok");
}

TEST_F(KubeApiTest, AWatchGoesOnWhereAListEnded) {
  const std::string version = body("/api/v1/nodes")["metadata"]["resourceVersion"];
  const KubeReply reply =
      get("/api/v1/nodes?watch=1&labelSelector=role%3Dw&resourceVersion=" + version);
  ASSERT_TRUE(reply.watch);
  EXPECT_TRUE(reply.watch->initial.empty());
  cluster_.follow({node("cp1", true), node("w1", true), node("w2", true)});
  cluster_.follow({node("cp1", false), node("w2", true)});
  std::vector<std::string> seen;
  for (const auto& told : reply.watch->channel->events) {
    seen.push_back((*told.object)["metadata"]["name"].get<std::string>());
  }
  EXPECT_THAT(seen, ElementsAre("w1", "w2", "w1")) << "changed, added, deleted";
  cluster_.api().compact();
  EXPECT_EQ(get("/api/v1/nodes?watch=1&resourceVersion=" + version).status, 410);
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
