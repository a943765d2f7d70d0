#include "web/page_listener.h"

#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "os/loop_clock.h"

namespace ichor {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A client on the same loop: what it sent, and what came back until the server closed.
class Client {
 public:
  using Socket = asio::generic::stream_protocol::socket;

  Client(LoopClock& loop, const asio::generic::stream_protocol::endpoint& server)
      : socket_(loop.io()) {
    error_code error;
    socket_.connect(server, error);
    EXPECT_FALSE(error) << error.message();
    read();
  }
  void send(const std::string& text) {
    error_code ignored;
    asio::write(socket_, asio::buffer(text), ignored);
  }
  void leave() {
    error_code ignored;
    socket_.close(ignored);
  }
  bool closed() const { return closed_; }
  const std::string& got() const { return got_; }

 private:
  void read() {
    socket_.async_read_some(asio::buffer(piece_), [this](const error_code& error, std::size_t n) {
      got_.append(piece_.data(), n);
      if (error) {
        closed_ = true;
      } else {
        read();
      }
    });
  }
  Socket socket_;
  std::array<char, 4096> piece_{};
  std::string got_;
  bool closed_{false};
};

class PageListenerTest : public ::testing::Test {
 protected:
  PageListenerTest() {
    path_ = std::filesystem::temp_directory_path() / ("pages-" + std::to_string(::getpid()));
    std::filesystem::remove(path_);
  }
  ~PageListenerTest() override { std::filesystem::remove(path_); }

  Result<void> open(const PagePlace& place) {
    auto server = PageListener::open(loop_.io(), place, [this](auto exchange) {
      asked_ = exchange->request();
      if (hold_) {
        held_.push_back(std::move(exchange));
      } else {
        exchange->reply({200, "text/plain", "hello", {{"X-Own", "1"}}});
      }
    });
    if (!server) return forward_error(server);
    server_ = *std::move(server);
    return {};
  }
  std::unique_ptr<Client> connect() {
    return std::make_unique<Client>(
        loop_, asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), server_->port()));
  }
  template <class Until>
  void run(Until until) {
    while (!until()) loop_.io().run_one();
  }
  std::string ask(const std::string& text) {
    const auto client = connect();
    client->send(text);
    run([&] { return client->closed(); });
    return client->got();
  }

  LoopClock loop_;
  std::unique_ptr<PageServer> server_;
  PageRequest asked_;
  bool hold_{false};
  std::vector<std::shared_ptr<PageExchange>> held_;
  std::string path_;
};

TEST_F(PageListenerTest, AnswersOneRequestAndCloses) {
  ASSERT_TRUE(open({"127.0.0.1", 0, ""}));
  const std::string reply = ask("GET /a?b HTTP/1.1\r\nHOST: x\r\nX-Two: 1\r\n\r\n");
  EXPECT_THAT(
      reply,
      AllOf(StartsWith("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"),
            HasSubstr("Connection: close\r\n"), HasSubstr("X-Content-Type-Options: nosniff\r\n"),
            HasSubstr("Cache-Control: no-store\r\n"), HasSubstr("Referrer-Policy: no-referrer\r\n"),
            HasSubstr("X-Own: 1\r\n"), EndsWith("Content-Length: 5\r\n\r\nhello")));
  EXPECT_EQ(asked_.method, "GET");
  EXPECT_EQ(asked_.target, "/a?b");
  EXPECT_FALSE(asked_.private_socket);
  ASSERT_TRUE(asked_.header("host"));
  EXPECT_EQ(*asked_.header("host"), "x");
}

TEST_F(PageListenerTest, AHeadHasNoBody) {
  ASSERT_TRUE(open({"127.0.0.1", 0, ""}));
  EXPECT_THAT(ask("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"), EndsWith("Content-Length: 5\r\n\r\n"));
}

TEST_F(PageListenerTest, ASecondRequestOnAConnectionIsNotRead) {
  ASSERT_TRUE(open({"127.0.0.1", 0, ""}));
  const std::string one = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string reply = ask(one + one);
  EXPECT_EQ(reply.find("HTTP/1.1 200"), reply.rfind("HTTP/1.1 200"));
}

TEST_F(PageListenerTest, RefusesWhatIsTooLongHasABodyOrIsNotHttp) {
  ASSERT_TRUE(open({"127.0.0.1", 0, ""}));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'a') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(ask("GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\n\r\n"),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(ask("\x16\x03\x01\x02 this is TLS\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_TRUE(asked_.method.empty()) << "the handler saw none of them";
}

TEST_F(PageListenerTest, AStreamGoesOnUntilTheClientLeaves) {
  hold_ = true;
  ASSERT_TRUE(open({"127.0.0.1", 0, ""}));
  const auto client = connect();
  client->send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  run([&] { return !held_.empty(); });
  held_.front()->stream({200, "text/event-stream", "", {}});
  EXPECT_TRUE(held_.front()->send("data: 1\n\n"));
  run([&] { return client->got().ends_with("data: 1\n\n"); });
  EXPECT_TRUE(held_.front()->send("data: 2\n\n"));
  run([&] { return client->got().ends_with("data: 2\n\n"); });
  client->leave();
  run([&] { return !held_.front()->send(""); });
}

TEST_F(PageListenerTest, AStreamEndsAfterAllThatWasSentIfItIsDropped) {
  hold_ = true;
  ASSERT_TRUE(open({"127.0.0.1", 0, ""}));
  const auto client = connect();
  client->send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  run([&] { return !held_.empty(); });
  held_.front()->stream({200, "text/event-stream", "", {}});
  EXPECT_TRUE(held_.front()->send(std::string(300'000, 'a')));
  EXPECT_TRUE(held_.front()->send("end"));
  held_.clear();
  run([&] { return client->closed(); });
  EXPECT_THAT(client->got(), EndsWith("end"));
  EXPECT_GT(client->got().size(), 300'000u);
}

TEST_F(PageListenerTest, AStreamThatIsNotReadIsCutOff) {
  hold_ = true;
  ASSERT_TRUE(open({"127.0.0.1", 0, ""}));
  const auto client = connect();
  client->send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  run([&] { return !held_.empty(); });
  held_.front()->stream({200, "text/event-stream", "", {}});
  const std::string piece(100'000, 'a');
  int taken = 0;
  while (held_.front()->send(piece)) ASSERT_LT(++taken, 100);
  EXPECT_GT(taken, 5);
  EXPECT_FALSE(held_.front()->send("more"));
}

TEST_F(PageListenerTest, WhoHoldsConnectionsWithoutAskingMakesRoomForOthers) {
  ASSERT_TRUE(open({"127.0.0.1", 0, ""}));
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 80; ++i) {
    idle.push_back(connect());
    idle.back()->send("GET / HT");
    loop_.io().poll();  // the queue of the kernel is shorter than that
  }
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 200 OK"));
  run([&] { return idle.front()->closed(); });
  EXPECT_FALSE(idle.back()->closed());
}

TEST_F(PageListenerTest, WhoStaysAfterARefusalMakesRoomForOthers) {
  ASSERT_TRUE(open({"127.0.0.1", 0, ""}));
  std::vector<std::unique_ptr<Client>> refused;
  for (int i = 0; i < 80; ++i) {
    refused.push_back(connect());
    refused.back()->send("no request\r\n\r\n");
    loop_.io().poll();
  }
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(PageListenerTest, WhatAHandlerDropsIsClosed) {
  hold_ = true;
  ASSERT_TRUE(open({"127.0.0.1", 0, ""}));
  const auto client = connect();
  client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  run([&] { return !held_.empty(); });
  held_.clear();
  run([&] { return client->closed(); });
  EXPECT_EQ(client->got(), "");
}

TEST_F(PageListenerTest, ListensOnLoopbackOnly) {
  for (const char* address : {"0.0.0.0", "192.168.1.1", "::", "localhost", ""}) {
    const auto opened = open({address, 0, ""});
    ASSERT_FALSE(opened) << address;
    EXPECT_EQ(opened.error().code, Errc::invalid);
  }
}

TEST_F(PageListenerTest, APortThatIsTakenIsAnError) {
  ASSERT_TRUE(open({"127.0.0.1", 0, ""}));
  const auto second =
      PageListener::open(loop_.io(), {"127.0.0.1", server_->port(), ""}, [](auto) {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::io);
}

TEST_F(PageListenerTest, ASocketIsForThisUserOnlyAndGoesWithTheServer) {
  ASSERT_TRUE(open({"", 0, path_}));
  struct stat there {};
  ASSERT_EQ(::stat(path_.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 0777, 0600u);
  Client client(loop_, asio::local::stream_protocol::endpoint(path_));
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  run([&] { return client.closed(); });
  EXPECT_THAT(client.got(), EndsWith("hello"));
  EXPECT_TRUE(asked_.private_socket);
  server_.reset();
  EXPECT_NE(::stat(path_.c_str(), &there), 0);
}

TEST_F(PageListenerTest, ASocketThatIsLeftOverIsReplacedAndAllElseStays) {
  {
    asio::local::stream_protocol::acceptor left(loop_.io(),
                                                asio::local::stream_protocol::endpoint(path_));
    const auto busy = open({"", 0, path_});
    ASSERT_FALSE(busy);
    EXPECT_THAT(busy.error().message, HasSubstr("in use by another process"));
  }
  EXPECT_TRUE(open({"", 0, path_}));
  server_.reset();
  std::filesystem::create_directory(path_);
  const auto folder = open({"", 0, path_});
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr("is not a socket"));
  EXPECT_FALSE(open({"", 0, "/tmp/" + std::string(120, 'x')}));
}

}  // namespace
}  // namespace ichor
