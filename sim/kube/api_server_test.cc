#include "sim/kube/api_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/kubernetes/json_view.h"
#include "sim/virtual_clock.h"

namespace ichor::sim {
namespace {

using ::testing::HasSubstr;

const KubeKind kConfigMap{"", "v1", "ConfigMap"};

KubeObject config_map(const std::string& name, const char* value) {
  KubeObject object{{"apiVersion", "v1"}, {"kind", "ConfigMap"}};
  object["metadata"] = {{"name", name}, {"namespace", "default"}};
  object["data"]["key"] = value;
  return object;
}

class ApiServerTest : public ::testing::Test {
 protected:
  ApiServerTest() {
    api_.put({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "default"}}}},
             "kube-apiserver");
  }
  KubeQuery all() const { return {kConfigMap, "default", {}, {}}; }
  static KubeRef ref(const std::string& name) { return {kConfigMap, "default", name}; }
  CallResult<KubeObject> apply(const KubeObject& object, KubeApply options = {}) {
    return api_.apply(object, options, "ichor");
  }
  std::string version_of(const std::string& name) const {
    return text_at(*api_.find(ref(name)), {"metadata", "resourceVersion"});
  }

  VirtualClock clock_;
  ApiServer api_{clock_};
};

TEST_F(ApiServerTest, KeepsAnApplyAndComputesADryRun) {
  ASSERT_TRUE(apply(config_map("a", "1"), {true, false}));
  EXPECT_EQ(api_.find(ref("a")), nullptr);
  ASSERT_TRUE(apply(config_map("a", "1")));
  const std::string version = version_of("a");
  ASSERT_TRUE(apply(config_map("a", "1")));
  EXPECT_EQ(version_of("a"), version) << "what changes nothing has no version of its own";
  ASSERT_TRUE(apply(config_map("a", "2")));
  EXPECT_NE(version_of("a"), version);
}

TEST_F(ApiServerTest, RefusesWhatHasNoNamespaceOrNoKind) {
  KubeObject homeless = config_map("a", "1");
  homeless["metadata"]["namespace"] = "nowhere";
  EXPECT_EQ(apply(homeless).error().code, Code::not_found);
  KubeObject unknown = config_map("a", "1");
  unknown["apiVersion"] = "example.org/v1";
  unknown["kind"] = "Foo";
  EXPECT_EQ(apply(unknown).error().code, Code::not_found);
}

TEST_F(ApiServerTest, LetsAnotherManagersFieldAlone) {
  api_.put(config_map("a", "theirs"), "kubectl");
  const auto refused = apply(config_map("a", "ours"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::aborted);
  EXPECT_THAT(refused.error().text, HasSubstr("conflict with \"kubectl\": .data.key"));
  ASSERT_TRUE(apply(config_map("a", "ours"), {false, true}));
  EXPECT_TRUE(api_.owners_of(ref("a"))->contains("ichor"));
  EXPECT_FALSE(api_.owners_of(ref("a"))->contains("kubectl"));
}

TEST_F(ApiServerTest, CountsGenerationsOfSpecsOnly) {
  KubeObject deployment{{"apiVersion", "apps/v1"}, {"kind", "Deployment"}};
  deployment["metadata"] = {{"name", "d"}, {"namespace", "default"}};
  deployment["spec"]["replicas"] = 1;
  const KubeRef ref = ref_of(deployment);
  const auto generation = [&] { return number_at(*api_.find(ref), {"metadata", "generation"}); };
  api_.put(deployment, "helm");
  EXPECT_EQ(generation(), 1);
  api_.put_status(ref, {{"replicas", 1}});
  EXPECT_EQ(generation(), 1);
  deployment["spec"]["replicas"] = 2;
  api_.put(deployment, "helm");
  EXPECT_EQ(generation(), 2);
}

TEST_F(ApiServerTest, TellsAWatchWhatChangedAfterItsVersion) {
  api_.put(config_map("a", "1"), "x");
  const auto list = api_.list(all());
  api_.put(config_map("a", "2"), "x");
  api_.put(config_map("b", "1"), "x");
  const auto channel = api_.watch(all(), list->resource_version);
  ASSERT_TRUE(channel);
  ASSERT_EQ((*channel)->events.size(), 2u);
  EXPECT_EQ((*channel)->events[0].kind, KubeEvent::Kind::modified);
  EXPECT_EQ((*channel)->events[1].kind, KubeEvent::Kind::added);
  api_.erase(ref("a"));
  EXPECT_EQ((*channel)->events.back().kind, KubeEvent::Kind::deleted);
}

TEST_F(ApiServerTest, ForgetsWhatWasCompacted) {
  const auto list = api_.list(all());
  api_.put(config_map("a", "1"), "x");
  api_.compact();
  const auto refused = api_.watch(all(), list->resource_version);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::out_of_range);
  EXPECT_TRUE(api_.watch(all(), api_.list(all())->resource_version));
}

TEST_F(ApiServerTest, ShowsWhatWasWhileItIsStaleAndCatchesUp) {
  api_.put(config_map("a", "1"), "x");
  const std::uint64_t then = api_.version();
  api_.put(config_map("a", "2"), "x");
  api_.put(config_map("b", "1"), "x");
  api_.serve_stale(then);
  const auto list = api_.list(all());
  ASSERT_EQ(list->items.size(), 1u);
  EXPECT_EQ(list->items[0]["data"]["key"], "1");
  EXPECT_EQ(api_.get(ref("b")).error().code, Code::not_found);
  const auto channel = api_.watch(all(), list->resource_version);
  EXPECT_FALSE((*channel)->readable());
  api_.serve_fresh();
  EXPECT_TRUE((*channel)->readable());
  EXPECT_EQ((*channel)->events.size(), 2u);
}

TEST_F(ApiServerTest, MaySkipWhatNoWatchSaw) {
  const auto channel = api_.watch(all(), api_.list(all())->resource_version);
  api_.hold_watches();
  for (const char* value : {"1", "2", "3"}) api_.put(config_map("a", value), "x");
  api_.release_watches(false);
  ASSERT_EQ((*channel)->events.size(), 1u);
  EXPECT_EQ((*(*channel)->events[0].object)["data"]["key"], "3");
}

TEST_F(ApiServerTest, DeletesTheObjectOfThatUidOnly) {
  api_.put(config_map("a", "1"), "x");
  EXPECT_EQ(api_.remove(ref("a"), "uid-of-another").error().code, Code::aborted);
  const std::string uid = text_at(*api_.find(ref("a")), {"metadata", "uid"});
  EXPECT_TRUE(api_.remove(ref("a"), uid));
  EXPECT_EQ(api_.remove(ref("a"), uid).error().code, Code::not_found);
}

TEST_F(ApiServerTest, ApprovesARequestAsItWasSeen) {
  KubeObject csr{{"apiVersion", "certificates.k8s.io/v1"}, {"kind", "CertificateSigningRequest"}};
  csr["metadata"]["name"] = "csr-1";
  api_.put(csr, "kubelet");
  const KubeObject seen = *api_.find(ref_of(csr));
  api_.put_status(ref_of(csr), {{"note", "x"}});
  EXPECT_EQ(api_.approve(seen, "ours").error().code, Code::aborted);
  EXPECT_TRUE(api_.approve(*api_.find(ref_of(csr)), "ours"));
  EXPECT_EQ(condition_status(*api_.find(ref_of(csr)), "Approved"), "True");
}

TEST_F(ApiServerTest, AsksWebhooks) {
  api_.webhooks.push_back({"policy", "ConfigMap", false});
  EXPECT_EQ(api_.admission(Call::kube_apply, ref("a"))->error.code, Code::permission_denied);
  EXPECT_FALSE(api_.admission(Call::kube_apply, {{"", "v1", "Secret"}, "default", "a"}));
  api_.webhooks.front().hangs = true;
  EXPECT_GT(api_.admission(Call::kube_apply, ref("a"))->after, Duration{});
}

TEST_F(ApiServerTest, CreatesWhatIsNotThereAndNamesIt) {
  KubeObject nameless = config_map("", "1");
  nameless["metadata"].erase("name");
  EXPECT_EQ(api_.create(nameless, false, "kubectl").error().code, Code::invalid_argument);
  nameless["metadata"]["generateName"] = "map-";
  const auto one = api_.create(nameless, false, "kubectl");
  const auto other = api_.create(nameless, false, "kubectl");
  ASSERT_TRUE(one && other);
  EXPECT_TRUE(name_in(*one).starts_with("map-"));
  EXPECT_NE(name_in(*one), name_in(*other));
  EXPECT_EQ(api_.create(*one, false, "kubectl").error().code, Code::invalid_argument)
      << "it has a version";
  ASSERT_TRUE(api_.create(config_map("a", "1"), true, "kubectl"));
  EXPECT_EQ(api_.find(ref("a")), nullptr) << "a dry run";
  ASSERT_TRUE(api_.create(config_map("a", "1"), false, "kubectl"));
  EXPECT_EQ(api_.create(config_map("a", "1"), false, "kubectl").error().code, Code::already_exists);
}

TEST_F(ApiServerTest, GivesADryRunAnIdentityAndKeepsNothing) {
  const auto applied = apply(config_map("a", "1"), {true, false});
  const auto created = api_.create(config_map("a", "1"), true, "kubectl");
  ASSERT_TRUE(applied && created);
  for (const KubeObject& one : {*applied, *created}) {
    EXPECT_FALSE(text_at(one, {"metadata", "uid"}).empty());
    EXPECT_EQ(text_at(one, {"metadata", "resourceVersion"}), "");
  }
  ASSERT_TRUE(apply(config_map("a", "1")));
  EXPECT_TRUE(api_.remove(ref("a"), "", true));
  EXPECT_EQ(api_.remove(ref("a"), "uid-of-another", true).error().code, Code::aborted);
  EXPECT_NE(api_.find(ref("a")), nullptr);
}

TEST_F(ApiServerTest, NamesTheFieldsThatStandInTheWay) {
  api_.put(config_map("a", "theirs"), "kubectl");
  std::vector<FieldConflict> conflicts;
  EXPECT_FALSE(api_.apply(config_map("a", "ours"), {}, "ichor", &conflicts));
  EXPECT_THAT(conflicts, ::testing::ElementsAre(FieldConflict{"kubectl", "/data/key"}));
}

TEST_F(ApiServerTest, LetsWhoeverServesItJudgeWhatClientsWrite) {
  api_.validate = [](const KubeObject* before, KubeObject& now) -> std::optional<CallError> {
    if (before && text_at(*before, {"data", "key"}) == "last") {
      return CallError{Call::kube_apply, Progress::answered, TlsVerdict::fine,
                       Code::invalid_argument, "field is immutable"};
    }
    now["data"]["kept"] = "yes";
    return std::nullopt;
  };
  const auto made = api_.create(config_map("a", "1"), false, "kubectl");
  ASSERT_TRUE(made);
  EXPECT_EQ(text_at(*made, {"data", "kept"}), "yes");
  ASSERT_TRUE(api_.replace(config_map("a", "last"), ApiServer::Part::whole, false, "kubectl"));
  EXPECT_EQ(
      api_.replace(config_map("a", "2"), ApiServer::Part::whole, false, "kubectl").error().code,
      Code::invalid_argument);
  EXPECT_EQ(api_.apply(config_map("a", "2"), {false, true}, "ichor").error().code,
            Code::invalid_argument);
  api_.put(config_map("a", "3"), "controller");
  EXPECT_EQ(text_at(*api_.find(ref("a")), {"data", "key"}), "3") << "controllers are not judged";
}

TEST_F(ApiServerTest, ReplacesOnlyTheNewestVersionAndKeepsTheStatus) {
  ASSERT_TRUE(api_.create(config_map("a", "1"), false, "kubectl"));
  api_.put_status(ref("a"), {{"phase", "good"}});
  KubeObject seen = *api_.find(ref("a"));
  seen["data"]["key"] = "2";
  seen["status"]["phase"] = "claimed";
  const auto replaced = api_.replace(seen, ApiServer::Part::whole, false, "kubectl");
  ASSERT_TRUE(replaced);
  EXPECT_EQ(text_at(*replaced, {"data", "key"}), "2");
  EXPECT_EQ(text_at(*replaced, {"status", "phase"}), "good");
  const auto stale = api_.replace(seen, ApiServer::Part::whole, false, "kubectl");
  EXPECT_EQ(stale.error().code, Code::aborted);
  EXPECT_THAT(stale.error().text, HasSubstr("the object has been modified"));
  seen["metadata"]["resourceVersion"] = version_of("a");
  seen["data"]["key"] = "3";
  ASSERT_TRUE(api_.replace(seen, ApiServer::Part::status, false, "kubectl"));
  EXPECT_EQ(text_at(*api_.find(ref("a")), {"status", "phase"}), "claimed");
  EXPECT_EQ(text_at(*api_.find(ref("a")), {"data", "key"}), "2");
  EXPECT_EQ(
      api_.replace(config_map("b", "1"), ApiServer::Part::whole, false, "kubectl").error().code,
      Code::not_found);
}

TEST_F(ApiServerTest, ListsWhatWasAtAnEarlierVersion) {
  ASSERT_TRUE(api_.create(config_map("a", "1"), false, "kubectl"));
  const std::uint64_t then = api_.version();
  ASSERT_TRUE(api_.create(config_map("b", "1"), false, "kubectl"));
  EXPECT_EQ(api_.list_at(all(), then)->items.size(), 1u);
  api_.compact();
  EXPECT_EQ(api_.list_at(all(), then).error().code, Code::out_of_range);
}

TEST_F(ApiServerTest, TellsAWatchThatAnObjectIsNoLongerWhatItAskedFor) {
  const auto is_one = [](const KubeObject& object) {
    return text_at(object, {"data", "key"}) == "1";
  };
  const auto channel = api_.watch(all(), std::to_string(api_.version()), is_one);
  ASSERT_TRUE(channel);
  for (const char* value : {"1", "2", "3"}) api_.put(config_map("a", value), "outsider");
  ASSERT_EQ((*channel)->events.size(), 2u);
  EXPECT_EQ((*channel)->events[0].kind, KubeEvent::Kind::added);
  EXPECT_EQ((*channel)->events[1].kind, KubeEvent::Kind::deleted);
}

}  // namespace
}  // namespace ichor::sim
