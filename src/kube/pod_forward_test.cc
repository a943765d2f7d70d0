#include "kube/pod_forward.h"

#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/https_kube_client.h"
#include "os/loop_clock.h"
#include "web/test_api_server.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;
using Socket = boost::beast::websocket::stream<TestApiServer::Stream&>;

/// The end of a port forwarding at a kubelet, as far as a test says what comes.
class Kubelet {
 public:
  explicit Kubelet(TestApiServer::Stream& stream, const TestApiServer::Message& message)
      : socket_(stream) {
    using Decorator = boost::beast::websocket::stream_base::decorator;
    socket_.set_option(Decorator([](auto& answer) {
      answer.set(boost::beast::http::field::sec_websocket_protocol, "v4.channel.k8s.io");
    }));
    boost::system::error_code ignored;
    socket_.accept(message, ignored);
    socket_.binary(true);
    say(0, std::string("\x35\0", 2));  // port 53
    say(1, std::string("\x35\0", 2));
  }

  void say(char channel, const std::string& content) {
    boost::system::error_code ignored;
    socket_.write(boost::asio::buffer(channel + content), ignored);
  }
  std::string hear() {
    boost::beast::flat_buffer buffer;
    boost::system::error_code ignored;
    socket_.read(buffer, ignored);
    return boost::beast::buffers_to_string(buffer.data());
  }
  void close() {
    boost::system::error_code ignored;
    socket_.close(boost::beast::websocket::close_code::normal, ignored);
  }

 private:
  Socket socket_;
};

class PodForwardTest : public ::testing::Test {
 protected:
  void forward(std::function<void(Kubelet&)> kubelet) {
    make({}, [kubelet = std::move(kubelet)](auto& stream, const auto& message) {
      Kubelet one(stream, message);
      kubelet(one);
    });
  }
  void make(TestApiServer::Handler handler, TestApiServer::Upgrade upgrade) {
    server_ = std::make_unique<TestApiServer>(ca_, now_, std::move(handler), std::move(upgrade));
  }

  CallResult<std::string> ask(Duration limit = std::chrono::seconds(30)) {
    auto made = HttpsKubeClient::make(loop_.io(), server_->kubeconfig(),
                                      [](const IpAddress&) { return IpAddress("127.0.0.1"); });
    EXPECT_TRUE(made);
    std::optional<CallResult<std::string>> result;
    const auto drive = [&]() -> Task<void> {
      const Context context{&loop_, &scope_, loop_.now() + limit};
      const PodPort where{"kube-system", "coredns-1", 53};
      result = co_await (*made)->exchange(
          context, where, "question", [](std::string_view all) { return all.ends_with("end"); });
      loop_.stop();
    };
    Task<void> task = drive();
    loop_.post([&task] { task.start(); });
    loop_.run();
    return *std::move(result);
  }

  LoopClock loop_;
  CancelScope scope_;
  WallTime now_{loop_.wall()};
  pki::CertificateAndKey ca_{pki::make_ca("kubernetes", pki::KeyKind::ecdsa_p256, now_)};
  std::unique_ptr<TestApiServer> server_;
};

TEST_F(PodForwardTest, GivesWhatThePortSaysWhenItIsWhole) {
  std::string heard;
  forward([&](Kubelet& kubelet) {
    heard = kubelet.hear();
    kubelet.say(0, "an answer ");
    kubelet.say(0, "to the end");
  });
  const auto answer = ask();
  ASSERT_TRUE(answer) << to_text(answer.error());
  EXPECT_EQ(*answer, "an answer to the end");
  EXPECT_EQ(heard, std::string(1, '\0') + "question");
  EXPECT_EQ(server_->requests().back().target,
            "/api/v1/namespaces/kube-system/pods/coredns-1/portforward?ports=53");
}

TEST_F(PodForwardTest, TellsWhyAPortCannotBeReached) {
  forward([](Kubelet& kubelet) {
    kubelet.say(1, "dial tcp4 127.0.0.1:53: connect: connection refused");
  });
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::unavailable);
  EXPECT_THAT(answer.error().text, HasSubstr("connection refused"));
}

TEST_F(PodForwardTest, TellsThatAPortClosedWithoutAnAnswer) {
  forward([](Kubelet& kubelet) {
    kubelet.say(0, "an answ");
    kubelet.close();
  });
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::unavailable);
}

TEST_F(PodForwardTest, TellsThatForwardingIsForbidden) {
  make(
      [](const auto&) {
        return TestApiServer::Reply{
            403, R"({"kind":"Status","reason":"Forbidden","message":"pods \"x\" is forbidden"})"};
      },
      {});
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::permission_denied);
  EXPECT_THAT(answer.error().text, HasSubstr("forbidden"));
}

TEST_F(PodForwardTest, GivesUpOnAPortThatSaysNothing) {
  forward([](Kubelet& kubelet) {
    kubelet.hear();
    kubelet.hear();  // until we close
  });
  const auto answer = ask(std::chrono::milliseconds(300));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::deadline_exceeded);
}

}  // namespace
}  // namespace ichor
