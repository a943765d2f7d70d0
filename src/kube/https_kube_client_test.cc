#include "kube/https_kube_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/discovery.h"
#include "kube/slim.h"
#include "os/loop_clock.h"
#include "web/test_api_server.h"

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Reply = TestApiServer::Reply;
using Request = TestApiServer::Request;

constexpr const char* kCore =
    R"({"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","kind":"Pod",
        "namespaced":true,"shortNames":["po"]},{"name":"pods/log","kind":"Pod","namespaced":true},
        {"name":"configmaps","kind":"ConfigMap","namespaced":true},{"name":"nodes",
         "kind":"Node"}]})";
const KubeKind kConfigMap{"", "v1", "ConfigMap"};

Reply status(int code, const std::string& reason, const std::string& message) {
  return {code, KubeObject{{"kind", "Status"}, {"reason", reason}, {"message", message}}.dump()};
}

class HttpsKubeClientTest : public ::testing::Test {
 protected:
  void serve(TestApiServer::Handler handler) {
    server_ = std::make_unique<TestApiServer>(
        ca_, now_, [handler = std::move(handler)](const Request& request) {
          return request.target == "/api/v1" ? Reply{200, kCore} : handler(request);
        });
    auto made = HttpsKubeClient::make(loop_.io(), server_->kubeconfig(),
                                      [](const IpAddress&) { return IpAddress("127.0.0.1"); });
    ASSERT_TRUE(made) << made.error().message;
    client_ = *std::move(made);
  }

  template <class T>
  T run(std::function<Task<T>(Context)> work) {
    std::optional<T> result;
    const auto drive = [&]() -> Task<void> {
      const Context context{&loop_, &scope_, loop_.now() + std::chrono::seconds(60)};
      result = co_await work(context);
      loop_.stop();
    };
    Task<void> task = drive();
    loop_.post([&task] { task.start(); });
    loop_.run();
    return *std::move(result);
  }
  CallResult<KubeObject> get(const std::string& name) {
    return run<CallResult<KubeObject>>([&](Context context) {
      return client_->get(context, {kConfigMap, "default", name});
    });
  }
  CallResult<KubeObject> apply(KubeApply options) {
    const KubeObject object = KubeObject::parse(
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"x"}})");
    return run<CallResult<KubeObject>>(
        [&](Context context) { return client_->apply(context, object, options); });
  }

  LoopClock loop_;
  CancelScope scope_;
  WallTime now_{loop_.wall()};
  pki::CertificateAndKey ca_{pki::make_ca("kubernetes", pki::KeyKind::ecdsa_p256, now_)};
  std::unique_ptr<TestApiServer> server_;
  std::unique_ptr<HttpsKubeClient> client_;
};

TEST_F(HttpsKubeClientTest, AsksForManyThingsOverOneConnection) {
  serve([](const Request&) { return Reply{200, R"({"kind":"ConfigMap"})"}; });
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(get(name));
  EXPECT_EQ(server_->connections(), 1);
  EXPECT_EQ(server_->requests().back().target, "/api/v1/namespaces/default/configmaps/c");
}

TEST_F(HttpsKubeClientTest, AsksAgainWhereAKeptConnectionWasClosed) {
  int asked = 0;
  serve([&asked](const Request&) {
    Reply reply{200, R"({"kind":"ConfigMap"})"};
    reply.close = ++asked == 2;
    return reply;
  });
  EXPECT_TRUE(get("a"));
  EXPECT_TRUE(get("b"));
  EXPECT_EQ(server_->connections(), 2);
}

TEST_F(HttpsKubeClientTest, ListsAllPages) {
  serve([](const Request& request) {
    if (request.target.find("continue=next") == std::string::npos) {
      return Reply{200, R"({"metadata":{"continue":"next"},"items":[{"metadata":{"name":"a"}}]})"};
    }
    return Reply{200,
                 R"({"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"b"}}]})"};
  });
  const auto list = run<CallResult<KubeList>>([&](Context context) {
    return client_->list(context, {kConfigMap, "", "app in (a,b)", ""});
  });
  ASSERT_TRUE(list) << to_text(list.error());
  ASSERT_EQ(list->items.size(), 2u);
  EXPECT_EQ(to_text(ref_of(list->items[1])), "ConfigMap/b");
  EXPECT_EQ(list->resource_version, "7");
  EXPECT_THAT(server_->requests().back().target, HasSubstr("labelSelector=app%20in%20%28a%2Cb%29"));
}

TEST_F(HttpsKubeClientTest, AppliesAsIchorAndForcesOnlyIfAsked) {
  serve([](const Request&) { return Reply{200, R"({"kind":"ConfigMap"})"}; });
  EXPECT_TRUE(apply({}));
  Request sent = server_->requests().back();
  EXPECT_EQ(sent.method, "PATCH");
  EXPECT_EQ(sent.content_type, "application/apply-patch+yaml");
  EXPECT_EQ(sent.target, "/api/v1/namespaces/x/configmaps/a?fieldManager=ichor");
  EXPECT_TRUE(apply({true, true}));
  EXPECT_EQ(server_->requests().back().target,
            "/api/v1/namespaces/x/configmaps/a?fieldManager=ichor&force=true&dryRun=All");
}

TEST_F(HttpsKubeClientTest, NamesManagersAndFieldsOfAConflict) {
  serve([](const Request&) {
    return Reply{
        409,
        R"({"kind":"Status","reason":"Conflict","message":"Apply failed with 1 conflict","details":
            {"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"helm\" using v1",
            "field":".data.k"}]}})"};
  });
  const auto refused = apply({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::aborted);
  EXPECT_EQ(refused.error().text, ".data.k: conflict with \"helm\" using v1");
}

TEST_F(HttpsKubeClientTest, GivesTheServerThePatienceItAsksFor) {
  int asked = 0;
  serve([&asked](const Request&) {
    if (++asked > 1) return Reply{200, R"({"kind":"ConfigMap"})"};
    Reply busy = status(429, "TooManyRequests", "later");
    busy.headers = {{"Retry-After", "1"}};
    return busy;
  });
  const MonoTime began = loop_.now();
  EXPECT_TRUE(get("a"));
  EXPECT_GE(loop_.now() - began, std::chrono::seconds(1));
}

TEST_F(HttpsKubeClientTest, TellsErrorsApart) {
  serve([](const Request& request) {
    if (request.target.ends_with("/gone")) return status(404, "NotFound", "no such thing");
    if (request.target.ends_with("/refused")) return status(403, "Forbidden", "webhook denied it");
    return status(500, "InternalError", "etcd is away");
  });
  EXPECT_EQ(get("gone").error().code, Code::not_found);
  const auto refused = get("refused");
  EXPECT_EQ(refused.error().code, Code::permission_denied);
  EXPECT_THAT(refused.error().text, HasSubstr("webhook denied it"));
  EXPECT_EQ(get("other").error().code, Code::unavailable);
}

TEST_F(HttpsKubeClientTest, FollowsAWatchThroughBookmarksToItsEnd) {
  serve([](const Request& request) {
    EXPECT_THAT(request.target, HasSubstr("watch=1"));
    EXPECT_THAT(request.target, HasSubstr("allowWatchBookmarks=true"));
    EXPECT_THAT(request.target, HasSubstr("resourceVersion=5"));
    Reply reply;
    reply.lines = {R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})",
                   R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}})",
                   R"({"type":"DELETED","object":{"metadata":{"name":"a"}}})"};
    return reply;
  });
  std::vector<int> kinds;
  const bool ended = run<bool>([&](Context context) -> Task<bool> {
    KubeQuery query;
    query.kind = kConfigMap;
    auto stream = co_await client_->watch(context, query, "5");
    if (!stream) co_return false;
    while (true) {
      const auto event = co_await (*stream)->next(context);
      if (!event) co_return false;
      if (!*event) co_return true;
      kinds.push_back(static_cast<int>((*event)->kind));
    }
  });
  EXPECT_TRUE(ended);
  EXPECT_THAT(kinds, ElementsAre(static_cast<int>(KubeEvent::Kind::added),
                                 static_cast<int>(KubeEvent::Kind::bookmark),
                                 static_cast<int>(KubeEvent::Kind::deleted)));
}

TEST_F(HttpsKubeClientTest, HearsThatItsVersionIsTooOld) {
  serve([](const Request&) {
    Reply reply;
    reply.lines = {R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}})"};
    return reply;
  });
  const Code code = run<Code>([&](Context context) -> Task<Code> {
    KubeQuery query;
    query.kind = kConfigMap;
    auto stream = co_await client_->watch(context, query, "5");
    if (!stream) co_return stream.error().code;
    const auto event = co_await (*stream)->next(context);
    co_return event ? Code::ok : event.error().code;
  });
  EXPECT_EQ(code, Code::out_of_range);
}

TEST_F(HttpsKubeClientTest, LooksAgainForAKindThatWasNotServed) {
  bool served = false;
  serve([&served](const Request& request) {
    if (request.target != "/apis/example.org/v1") return status(404, "NotFound", "nothing");
    if (!served) return status(404, "NotFound", "no such group");
    return Reply{200, R"({"groupVersion":"example.org/v1","resources":[{"name":"things",
                          "kind":"Thing","namespaced":true}]})"};
  });
  const auto find = [&] {
    return run<CallResult<KubeResource>>([&](Context context) {
      return client_->find_kind(context, {"example.org", "v1", "Thing"});
    });
  };
  EXPECT_EQ(find().error().code, Code::not_found);
  served = true;
  const auto found = find();
  ASSERT_TRUE(found) << to_text(found.error());
  EXPECT_EQ(found->plural, "things");
  EXPECT_TRUE(found->namespaced);
}

TEST_F(HttpsKubeClientTest, ApprovesARequestAsItWasSeen) {
  serve([](const Request& request) {
    if (request.target == "/apis/certificates.k8s.io/v1") {
      return Reply{200,
                   R"({"groupVersion":"certificates.k8s.io/v1","resources":[{"name":
                       "certificatesigningrequests","kind":"CertificateSigningRequest"}]})"};
    }
    return Reply{200, "{}"};
  });
  const KubeObject csr = KubeObject::parse(
      R"({"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","metadata":
          {"name":"csr-1","resourceVersion":"3"}})");
  const auto approved = run<CallResult<void>>(
      [&](Context context) { return client_->approve_csr(context, csr, "because"); });
  EXPECT_TRUE(approved);
  const Request sent = server_->requests().back();
  EXPECT_EQ(sent.method, "PUT");
  EXPECT_THAT(sent.target,
              HasSubstr("/apis/certificates.k8s.io/v1/certificatesigningrequests/csr-1/approval"));
  EXPECT_THAT(sent.body, HasSubstr(R"("resourceVersion":"3")"));
  EXPECT_THAT(sent.body, HasSubstr(R"("type":"Approved")"));
}

TEST(Discovery, KnowsAKindByAllItsNames) {
  const auto list = nlohmann::json::parse(kCore);
  for (const char* name : {"Pod", "pods", "po", "POD"}) {
    const auto found = find_resource(list, name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->plural, "pods");
  }
  EXPECT_FALSE(find_resource(list, "log"));
  EXPECT_FALSE(find_resource(list, "deployments"));
}

class HostileKubeTest : public HttpsKubeClientTest {
 protected:
  CallResult<KubeList> list() {
    return run<CallResult<KubeList>>([&](Context context) {
      return client_->list(context, {kConfigMap, "", "", ""});
    });
  }
  static std::string items(int count, const std::string& item) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i > 0 ? "," : "") + item;
    return text;
  }
};

TEST_F(HostileKubeTest, APageThatIsTooLargeIsAskedForWithFewerObjects) {
  const std::string large =
      R"({"metadata":{"name":"a"},"data":")" + std::string(200'000, 'x') + "\"}";
  serve([&](const Request& request) {
    const std::size_t at = request.target.find("limit=") + 6;
    const int limit = std::stoi(request.target.substr(at));
    return Reply{200, R"({"items":[)" + items(limit, large) + "]}"};
  });
  const auto listed = list();
  ASSERT_TRUE(listed) << to_text(listed.error());
  EXPECT_EQ(listed->items.size(), 20u);
}

TEST_F(HostileKubeTest, AnAnswerWithoutEndIsRefused) {
  serve([](const Request&) { return Reply{200, std::string(9u << 20, ' ')}; });
  const auto got = get("a");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Code::resource_exhausted);
  EXPECT_THAT(got.error().text, HasSubstr("more than 8 MiB"));
}

TEST_F(HostileKubeTest, ManyPagesTogetherHaveALimit) {
  const std::string text = std::string(60'000, 'x');
  serve([&](const Request&) {
    return Reply{200, R"({"metadata":{"continue":"more"},"items":[)" +
                          items(100, R"({"metadata":{"name":"a"},"data":")" + text + "\"}") + "]}"};
  });
  const auto listed = list();
  ASSERT_FALSE(listed);
  EXPECT_THAT(listed.error().text, HasSubstr("takes more than 64 MiB"));
}

TEST_F(HostileKubeTest, JsonThatIsNestedDeepIsRefused) {
  serve([](const Request&) {
    return Reply{200, R"({"items":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}"};
  });
  const auto listed = list();
  ASSERT_FALSE(listed);
  EXPECT_THAT(listed.error().text, HasSubstr("nested more than 64 levels deep"));
}

TEST_F(HostileKubeTest, WrongTypesAreNoReasonToCrash) {
  serve([](const Request& request) {
    if (request.target.find("watch=1") != std::string::npos) {
      Reply reply;
      reply.lines = {R"({"type":"ERROR","object":5})"};
      return reply;
    }
    if (request.method == "PATCH") {
      return Reply{409, R"({"kind":"Status","reason":"Conflict","message":4,"details":
                           {"causes":[7,{"field":[],"message":{}}]}})"};
    }
    return Reply{200, R"({"metadata":{"continue":7},"items":[1,{"metadata":2},{"x":1},
                         {"metadata":{"name":5,"managedFields":3}}]})"};
  });
  const auto listed = list();
  ASSERT_TRUE(listed) << to_text(listed.error());
  EXPECT_EQ(listed->items.size(), 1u);
  EXPECT_EQ(apply({}).error().code, Code::aborted);
  const KubeQuery query{kConfigMap, "", "", ""};
  const auto event = run<CallResult<std::optional<KubeEvent>>>(
      [&](Context context) -> Task<CallResult<std::optional<KubeEvent>>> {
        auto stream = co_await client_->watch(context, query, "");
        if (!stream) co_return forward_error(stream);
        co_return co_await (*stream)->next(context);
      });
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, Code::unavailable);
}

TEST_F(HostileKubeTest, WhatItSaysIsClean) {
  serve([](const Request&) { return status(400, "Invalid", "a\x1b[2Jb\u202e\u200bc"); });
  EXPECT_EQ(get("a").error().text, "abc");
}

TEST_F(HostileKubeTest, ListsLeaveOutWhatIsLargeAndNotRead) {
  serve([](const Request&) {
    return Reply{200, R"({"items":[{"metadata":{"name":"a","managedFields":[{"a":1}]}}]})"};
  });
  const auto listed = list();
  ASSERT_TRUE(listed) << to_text(listed.error());
  EXPECT_FALSE(listed->items[0]["metadata"].contains("managedFields"));
  KubeObject crd = KubeObject::parse(
      R"({"kind":"CustomResourceDefinition","metadata":{},"spec":{"versions":[{"schema":{},
          "name":"v1"}]}})");
  EXPECT_TRUE(slim(crd));
  EXPECT_EQ(crd["spec"]["versions"][0].dump(), R"({"name":"v1"})");
}

}  // namespace
}  // namespace ichor
