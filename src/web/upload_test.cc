#include "web/upload.h"

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

namespace ichor {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr Duration kLimit = std::chrono::seconds(10);
constexpr const char* kSchematic = "customization: {}\n";

/// A factory on the loopback that answers one request with a fixed text.
class Factory {
 public:
  explicit Factory(std::string status, std::string body)
      : reply_(
            fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body)),
        thread_([this] { serve(); }) {}
  ~Factory() { join(); }

  std::string url() const {
    return fmt::format("http://127.0.0.1:{}", acceptor_.local_endpoint().port());
  }
  /// What the client sent.
  const std::string& request() {
    join();
    return request_;
  }

 private:
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  void serve() {
    boost::system::error_code error;
    tcp::socket socket = acceptor_.accept(error);
    std::array<char, 4096> buffer{};
    // The schematic ends a request; whoever begins with something else gets the answer at once.
    do {
      const std::size_t size = socket.read_some(asio::buffer(buffer), error);
      request_.append(buffer.data(), size);
    } while (!error && request_.starts_with("POST") && !request_.ends_with(kSchematic));
    asio::write(socket, asio::buffer(reply_), error);
  }

  asio::io_context io_;
  tcp::acceptor acceptor_{io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  std::string reply_;
  std::string request_;
  std::thread thread_;
};

TEST(Upload, PostsTheSchematicAndGivesTheFactorysName) {
  Factory factory("201 Created", R"({"id": "abc"})");
  const auto id = upload_schematic(factory.url() + "/", kSchematic, kLimit);
  ASSERT_TRUE(id) << id.error().message;
  EXPECT_EQ(*id, "abc");
  EXPECT_THAT(factory.request(), HasSubstr("POST /schematics HTTP/1.1\r\n"));
  EXPECT_THAT(factory.request(), EndsWith(kSchematic));
}

TEST(Upload, ARefusalIsReportedInTheFactorysWords) {
  Factory factory("400 Bad Request", "unknown field \x1b[31mfoo\n");
  const auto id = upload_schematic(factory.url(), kSchematic, kLimit);
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().code, Errc::invalid);
  EXPECT_THAT(id.error().message, EndsWith("answers 400: unknown field foo"));
}

TEST(Upload, WhoeverAnswersWithoutAnIdIsNoFactory) {
  Factory factory("200 OK", "<html>");
  const auto id = upload_schematic(factory.url(), kSchematic, kLimit);
  ASSERT_FALSE(id);
  EXPECT_THAT(id.error().message, HasSubstr("is not an image factory: it answers <html>"));
}

TEST(Upload, AnUnreachableFactoryAndABadAddressDiffer) {
  for (const char* wrong :
       {"factory.talos.dev", "ftp://x", "https://", "http://x:y", "http://a@b"}) {
    const auto id = upload_schematic(wrong, kSchematic, kLimit);
    ASSERT_FALSE(id) << wrong;
    EXPECT_EQ(id.error().code, Errc::invalid) << wrong;
  }
  // Port 9 of the loopback: no program listens there.
  const auto id = upload_schematic("https://127.0.0.1:9", kSchematic, kLimit);
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().code, Errc::io);
  EXPECT_THAT(id.error().message, HasSubstr("127.0.0.1:9: connect: "));
}

TEST(Upload, OneThatSpeaksNoTlsIsRefused) {
  Factory factory("200 OK", "");
  const auto id = upload_schematic("https" + factory.url().substr(4), kSchematic, kLimit);
  ASSERT_FALSE(id);
  EXPECT_THAT(id.error().message, HasSubstr("handshake: "));
}

}  // namespace
}  // namespace ichor
