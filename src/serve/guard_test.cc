#include "serve/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

PageKeys keys() {
  return {SecretString(std::string(64, 't')), SecretString(std::string(64, 's')), "0123abcd", 8470};
}

PageRequest get(std::string target) {
  PageRequest request;
  request.method = "GET";
  request.target = std::move(target);
  request.headers = {{"host", "127.0.0.1:8470"}};
  return request;
}

PageRequest with(PageRequest request, std::string name, std::string value) {
  std::erase_if(request.headers, [&](const auto& one) { return one.first == name; });
  request.headers.emplace_back(std::move(name), std::move(value));
  return request;
}

PageRequest with_cookie(std::string target) {
  return with(get(std::move(target)), "cookie", "theme=dark; ichor=" + std::string(64, 's'));
}

int status_of(const PageRequest& request) {
  const auto admitted = admit(request, keys());
  return admitted ? 200 : admitted.error().status;
}

TEST(Guard, TheTokenInTheUrlBecomesACookieThatOnlyOurPagesGet) {
  const auto admitted = admit(get("/?token=" + std::string(64, 't')), keys());
  ASSERT_FALSE(admitted);
  EXPECT_EQ(admitted.error().status, 303);
  EXPECT_THAT(admitted.error().headers, Contains(Pair("Location", "/0123abcd/")));
  EXPECT_THAT(admitted.error().headers,
              Contains(Pair("Set-Cookie", "ichor=" + std::string(64, 's') +
                                              "; Path=/0123abcd/; HttpOnly; SameSite=Strict")));
  EXPECT_THAT(admitted.error().body, Not(HasSubstr("tttt")));
}

TEST(Guard, ABrowserWithTheCookieSeesPagesBelowTheFolder) {
  const auto admitted = admit(with_cookie("/0123abcd/clusters/infra/?after=7"), keys());
  ASSERT_TRUE(admitted);
  EXPECT_EQ(admitted->root, "/0123abcd/");
  EXPECT_EQ(admitted->path, "clusters/infra/");
  EXPECT_EQ(admitted->query, "after=7");
  EXPECT_EQ(status_of(with_cookie("/clusters/infra/")), 401) << "outside of the folder";
}

TEST(Guard, AProgramSendsTheToken) {
  const auto bearer = "Bearer " + std::string(64, 't');
  const auto admitted = admit(with(get("/metrics"), "authorization", bearer), keys());
  ASSERT_TRUE(admitted);
  EXPECT_EQ(admitted->root, "/");
  EXPECT_EQ(admitted->path, "metrics");
  EXPECT_EQ(status_of(with(get("/metrics"), "authorization", bearer + "t")), 401);
  EXPECT_EQ(status_of(with(get("/metrics"), "authorization", "Basic abc")), 401);
}

TEST(Guard, WithoutTheTokenThereIsNothingToSee) {
  for (const char* target :
       {"/", "/metrics", "/0123abcd/", "/?token=", "/?token=t", "/x?token=t"}) {
    EXPECT_EQ(status_of(get(target)), 401) << target;
  }
  // The token opens the first page only, so that no link carries it.
  EXPECT_EQ(status_of(get("/metrics?token=" + std::string(64, 't'))), 401);
  EXPECT_EQ(status_of(with(get("/0123abcd/"), "cookie", "ichor=" + std::string(64, 't'))), 401);
  EXPECT_EQ(status_of(with(get("/0123abcd/"), "cookie", "xichor=" + std::string(64, 's'))), 401);
}

TEST(Guard, AnEmptySecretOpensNothing) {
  PageKeys empty = keys();
  empty.token = SecretString();
  empty.session = SecretString();
  EXPECT_FALSE(admit(get("/?token="), empty));
  EXPECT_FALSE(admit(with(get("/"), "authorization", "Bearer "), empty));
  EXPECT_FALSE(admit(with(get("/0123abcd/"), "cookie", "ichor="), empty));
}

TEST(Guard, OnlyNamesOfThisComputerAreAHost) {
  for (const char* host : {"127.0.0.1:8470", "localhost:8470", "[::1]:8470"}) {
    EXPECT_EQ(status_of(with(with_cookie("/0123abcd/"), "host", host)), 200) << host;
  }
  for (const char* host : {"evil.example:8470", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8470.evil",
                           "localhost.evil:8470", "", "LOCALHOST:8470 "}) {
    EXPECT_EQ(status_of(with(with_cookie("/0123abcd/"), "host", host)), 421) << host;
  }
  PageRequest twice = with_cookie("/0123abcd/");
  twice.headers.emplace_back("host", "127.0.0.1:8470");
  EXPECT_EQ(status_of(twice), 421);
  PageRequest none = with_cookie("/0123abcd/");
  std::erase_if(none.headers, [](const auto& one) { return one.first == "host"; });
  EXPECT_EQ(status_of(none), 421);
}

TEST(Guard, OtherWebPagesAreKeptOut) {
  const PageRequest page = with_cookie("/0123abcd/");
  EXPECT_EQ(status_of(with(page, "origin", "http://127.0.0.1:8470")), 200);
  EXPECT_EQ(status_of(with(page, "origin", "http://localhost:8470")), 403) << "another host";
  EXPECT_EQ(status_of(with(page, "origin", "null")), 403);
  EXPECT_EQ(status_of(with(page, "origin", "http://127.0.0.1:9999")), 403);
  EXPECT_EQ(status_of(with(page, "sec-fetch-site", "none")), 200);
  EXPECT_EQ(status_of(with(page, "sec-fetch-site", "same-origin")), 200);
  EXPECT_EQ(status_of(with(page, "sec-fetch-site", "same-site")), 403) << "another port";
  EXPECT_EQ(status_of(with(page, "sec-fetch-site", "cross-site")), 403);
}

TEST(Guard, OnlyGetAndHeadAreAnswered) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get", ""}) {
    PageRequest request = with_cookie("/0123abcd/");
    request.method = method;
    EXPECT_EQ(status_of(request), 405) << method;
  }
  PageRequest head = with_cookie("/0123abcd/");
  head.method = "HEAD";
  EXPECT_EQ(status_of(head), 200);
}

TEST(Guard, ATargetIsAPath) {
  EXPECT_EQ(status_of(with_cookie("http://127.0.0.1:8470/0123abcd/")), 400);
  EXPECT_EQ(status_of(with_cookie("*")), 400);
  EXPECT_EQ(status_of(with_cookie("")), 400);
  EXPECT_EQ(status_of(with_cookie("/0123abcd/" + std::string(2048, 'a'))), 400);
}

TEST(Guard, APrivateSocketNeedsNoToken) {
  PageRequest request;
  request.method = "GET";
  request.target = "/metrics";
  request.private_socket = true;
  const auto admitted = admit(request, keys());
  ASSERT_TRUE(admitted);
  EXPECT_EQ(admitted->root, "/");
  EXPECT_EQ(admitted->path, "metrics");
  request.method = "POST";
  EXPECT_EQ(status_of(request), 405);
}

TEST(Guard, ARefusalEscapesWhatItSays) {
  const PageReply reply = refusal(404, "<b>", "\"&");
  EXPECT_THAT(reply.body, HasSubstr("&lt;b&gt;"));
  EXPECT_THAT(reply.body, HasSubstr("&quot;&amp;"));
  EXPECT_THAT(reply.headers,
              Contains(Pair("Content-Security-Policy", HasSubstr("frame-ancestors 'none'"))));
}

}  // namespace
}  // namespace ichor
