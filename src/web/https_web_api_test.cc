#include "web/https_web_api.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "os/loop_clock.h"
#include "secrets/digest.h"
#include "web/test_api_server.h"

namespace ichor {
namespace {

using Reply = TestApiServer::Reply;
using Request = TestApiServer::Request;

constexpr const char* kToken = "ichor@pve!lab=8c1f-secret";

/// SHA-256 of a certificate in PEM form, as `openssl x509 -fingerprint -sha256` prints it.
std::string digest_of(const std::string& pem) {
  const std::size_t begin = pem.find("-----\n") + 6;
  std::string text = pem.substr(begin, pem.find("-----END") - begin);
  std::erase(text, '\n');
  return to_hex(pki::sha256(pki::from_base64(text).value()));
}

class HttpsWebApiTest : public ::testing::Test {
 protected:
  void serve(Duration age = {}) {
    serve([this](const Request&) { return reply_; }, age);
  }
  void serve(TestApiServer::Handler handler, Duration age = {}) {
    server_ = std::make_unique<TestApiServer>(
        ca_,
        WallTime{now_.unix_ms - std::chrono::duration_cast<std::chrono::milliseconds>(age).count()},
        std::move(handler));
  }
  WebServer server() const {
    WebServer to;
    to.url = fmt::format("https://{}:{}", TestApiServer::kHost, server_->port());
    to.dial_host = "127.0.0.1";
    to.scheme = "PVEAPIToken=";
    to.token = SecretString(kToken);
    return to;
  }
  CallResult<WebReply> ask(WebServer to, WebAsk what = {}) {
    std::vector<WebAsk> asks;
    asks.push_back(std::move(what));
    return ask_in_turn(std::move(to), std::move(asks)).back();
  }
  /// All of them of one API, which may keep its connection.
  std::vector<CallResult<WebReply>> ask_in_turn(WebServer to, std::vector<WebAsk> asks) {
    auto api = HttpsWebApi::make(loop_.io(), std::move(to));
    EXPECT_TRUE(api);
    std::vector<CallResult<WebReply>> replies;
    const auto drive = [&]() -> Task<void> {
      const Context context{&loop_, &scope_, loop_.now() + std::chrono::seconds(60)};
      for (WebAsk& one : asks) {
        one.target = "/api2/json/version";
        CallResult<WebReply> reply = co_await (*api)->ask(context, std::move(one));
        replies.push_back(std::move(reply));
      }
      loop_.stop();
    };
    Task<void> task = drive();
    loop_.post([&task] { task.start(); });
    loop_.run();
    return replies;
  }
  /// A read, then another request, of one API.
  std::vector<CallResult<WebReply>> read_and(WebAsk second) {
    std::vector<WebAsk> asks(1);
    asks.push_back(std::move(second));
    return ask_in_turn(believed(), std::move(asks));
  }
  WebServer believed() const {
    WebServer to = server();
    to.ca_pem = ca_.certificate;
    return to;
  }
  static WebAsk change() {
    WebAsk change;
    change.method = "POST";
    return change;
  }
  /// Nothing was sent, and so not the token either.
  void expect_silence(const CallResult<WebReply>& reply, TlsVerdict verdict) {
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().tls, verdict);
    EXPECT_EQ(reply.error().progress, Progress::not_sent);
    EXPECT_EQ(reply.error().text.find("secret"), std::string::npos);
    EXPECT_TRUE(server_->requests().empty());
  }

  LoopClock loop_;
  CancelScope scope_;
  WallTime now_{loop_.wall()};
  pki::CertificateAndKey ca_{pki::make_ca("Proxmox", pki::KeyKind::ecdsa_p256, now_)};
  Reply reply_{};
  std::unique_ptr<TestApiServer> server_;
};

TEST_F(HttpsWebApiTest, BelievesTheAuthorityOfTheFileAndShowsTheToken) {
  serve();
  WebServer to = server();
  to.ca_pem = ca_.certificate;
  reply_ = {200, R"({"data":1})"};
  const auto reply = ask(to);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body.reveal(), R"({"data":1})");
  EXPECT_EQ(server_->requests().at(0).authorization, std::string("PVEAPIToken=") + kToken);
}

TEST_F(HttpsWebApiTest, TellsTheWordsOfTheStatusLine) {
  serve();
  WebServer to = server();
  to.ca_pem = ca_.certificate;
  reply_.status = 500;
  reply_.reason = "VM 801 already exists";
  const auto reply = ask(to);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 500);
  EXPECT_EQ(reply->reason, "VM 801 already exists");
}

TEST_F(HttpsWebApiTest, WithoutAFileOrAPinOnlyAuthoritiesOfTheMachineCount) {
  serve();
  expect_silence(ask(server()), TlsVerdict::foreign_ca);
}

TEST_F(HttpsWebApiTest, AnotherAuthorityIsNotBelieved) {
  serve();
  WebServer to = server();
  to.ca_pem = pki::make_ca("Another", pki::KeyKind::ecdsa_p256, now_).certificate;
  expect_silence(ask(to), TlsVerdict::foreign_ca);
}

TEST_F(HttpsWebApiTest, ACertificateForAnotherHostIsNotBelieved) {
  serve();
  WebServer to = server();
  to.ca_pem = ca_.certificate;
  to.url = fmt::format("https://pve.example.org:{}", server_->port());
  EXPECT_FALSE(ask(to));
  EXPECT_TRUE(server_->requests().empty());
}

TEST_F(HttpsWebApiTest, BelievesThePinnedCertificateWhoeverSignedIt) {
  serve();
  WebServer to = server();
  to.pin = digest_of(server_->certificate());
  EXPECT_TRUE(ask(to));
}

TEST_F(HttpsWebApiTest, AnotherCertificateThanThePinnedOneGetsNothing) {
  serve();
  WebServer to = server();
  to.pin = std::string(64, 'a');
  const auto reply = ask(to);
  expect_silence(reply, TlsVerdict::wrong_pin);
  EXPECT_NE(reply.error().text.find(digest_of(server_->certificate())), std::string::npos);
}

TEST_F(HttpsWebApiTest, AnExpiredCertificateIsNotBelievedByItsPinEither) {
  ca_ = pki::make_ca("Proxmox", pki::KeyKind::ecdsa_p256, WallTime{now_.unix_ms - 100'000'000'000});
  serve(pki::kClientLifetime * 2);
  WebServer to = server();
  to.pin = digest_of(server_->certificate());
  expect_silence(ask(to), TlsVerdict::expired);
  to.pin.clear();
  to.ca_pem = ca_.certificate;
  expect_silence(ask(to), TlsVerdict::expired);
}

TEST_F(HttpsWebApiTest, AChangeIsNeverSentTwice) {
  serve([this](const Request& request) {
    Reply reply = reply_;
    reply.close = request.method == "POST";
    return reply;
  });
  const auto replies = read_and(change());
  EXPECT_TRUE(replies[0]);
  ASSERT_FALSE(replies[1]);
  EXPECT_EQ(replies[1].error().progress, Progress::sent);
  EXPECT_EQ(server_->requests().size(), 2u);
}

TEST_F(HttpsWebApiTest, AChangeIsNotRepeatedForAServerThatAsksForPatience) {
  serve();
  reply_.status = 429;
  const auto reply = ask(believed(), change());
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 429);
  EXPECT_EQ(server_->requests().size(), 1u);
}

TEST_F(HttpsWebApiTest, AConnectionThatEndsInOrderWithoutAnAnswerIsNoAnswer) {
  serve();
  reply_.bows_out = true;
  const auto reply = ask(believed(), change());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().progress, Progress::sent);
  EXPECT_EQ(reply.error().code, Code::unavailable);
}

TEST_F(HttpsWebApiTest, AReadGoesOutAgainWhereAKeptConnectionHadEndedInOrder) {
  int asked = 0;
  serve([&asked, this](const Request&) {
    Reply reply = reply_;
    reply.bows_out = ++asked == 2;
    return reply;
  });
  const auto replies = read_and({});
  EXPECT_TRUE(replies[0]);
  EXPECT_TRUE(replies[1]);
  EXPECT_EQ(server_->requests().size(), 3u);
}

TEST_F(HttpsWebApiTest, WaitsForTheAnswerAfterAnInterimOne) {
  serve();
  reply_.raw =
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
  const auto reply = ask(believed());
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->body.reveal(), "hi");
}

/// What a server sends again and again.
class EndlessTest : public HttpsWebApiTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(EndlessTest, IsCutOffByItsSize) {
  serve();
  reply_.raw = GetParam();
  const auto reply = ask(believed());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::resource_exhausted) << reply.error().text;
}

INSTANTIATE_TEST_SUITE_P(Answers, EndlessTest,
                         ::testing::Values("HTTP/1.1 103 Early Hints\r\n\r\n",
                                           "HTTP/1.1 200 OKOKOKOKOKOKOK"));

TEST_F(HttpsWebApiTest, TakesHttpsOnly) {
  WebServer to;
  for (const char* url : {"http://127.0.0.1", "https://127.0.0.1/api2", "pve", ""}) {
    to.url = url;
    EXPECT_FALSE(HttpsWebApi::make(loop_.io(), to)) << url;
  }
}

}  // namespace
}  // namespace ichor
