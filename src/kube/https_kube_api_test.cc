#include "kube/https_kube_api.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "os/loop_clock.h"
#include "secrets/base64.h"
#include "secrets/issue.h"

namespace ichor {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::HasSubstr;

constexpr const char* kPlannedHost = "192.168.22.100";

/// An API server on the loopback that answers one connection with a fixed text.
class ApiServer {
 public:
  ApiServer(const pki::CertificateAndKey& ca, WallTime now, std::string reply, bool silent = false)
      : tls_(asio::ssl::context::tls_server), reply_(std::move(reply)), silent_(silent) {
    pki::LeafRequest request;
    request.common_name = "kube-apiserver";
    request.server_auth = true;
    request.ip_addresses = {kPlannedHost};
    request.not_before = now;
    const auto leaf = pki::issue(ca, request, pki::KeyKind::ecdsa_p256);
    EXPECT_TRUE(leaf);
    tls_.use_certificate_chain(asio::buffer(leaf->certificate));
    const std::string key(leaf->key.reveal());
    tls_.use_private_key(asio::buffer(key), asio::ssl::context::pem);
    thread_ = std::thread([this] { serve(); });
  }
  ~ApiServer() {
    // Wakes an accept without a client.
    boost::system::error_code ignored;
    tcp::socket(io_).connect(acceptor_.local_endpoint(), ignored);
    thread_.join();
  }
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

 private:
  void serve() {
    boost::system::error_code error;
    tcp::socket socket = acceptor_.accept(error);
    if (error) return;
    asio::ssl::stream<tcp::socket> stream(std::move(socket), tls_);
    std::array<char, 4096> buffer{};
    if (silent_) {
      stream.next_layer().read_some(asio::buffer(buffer), error);
      stream.next_layer().read_some(asio::buffer(buffer), error);
      return;
    }
    stream.handshake(asio::ssl::stream_base::server, error);
    if (error) return;
    stream.read_some(asio::buffer(buffer), error);
    asio::write(stream, asio::buffer(reply_), error);
  }

  asio::io_context io_;
  tcp::acceptor acceptor_{io_, {asio::ip::make_address("127.0.0.1"), 0}};
  asio::ssl::context tls_;
  std::string reply_;
  bool silent_;
  std::thread thread_;
};

class HttpsKubeApiTest : public ::testing::Test {
 protected:
  HttpsKubeApiTest()
      : now_(loop_.wall()), ca_(pki::make_ca("kubernetes", pki::KeyKind::ecdsa_p256, now_)) {}

  SecretString kubeconfig(const pki::CertificateAndKey& ca, std::uint16_t port) const {
    pki::LeafRequest request;
    request.common_name = "admin";
    request.client_auth = true;
    request.not_before = now_;
    const auto leaf = pki::issue(ca, request, pki::KeyKind::ecdsa_p256);
    EXPECT_TRUE(leaf);
    return SecretString(fmt::format(
        "clusters: [{{name: c, cluster: {{server: 'https://{}:{}', certificate-authority-data: "
        "{}}}}}]\nusers: [{{name: u, user: {{client-certificate-data: {}, client-key-data: "
        "{}}}}}]\ncontexts: [{{name: x, context: {{cluster: c, user: u}}}}]\ncurrent-context: x\n",
        kPlannedHost, port, pki::base64(ca.certificate), pki::base64(leaf->certificate),
        pki::base64(leaf->key.reveal())));
  }

  CallResult<void> ready(const SecretString& kubeconfig,
                         Duration limit = std::chrono::seconds(10)) {
    HttpsKubeApi api(loop_.io(), [](const IpAddress&) { return IpAddress("127.0.0.1"); });
    CallResult<void> result;
    const auto ask = [&]() -> Task<void> {
      const Context context{&loop_, &scope_, loop_.now() + limit};
      result = co_await api.ready(context, kubeconfig);
      loop_.stop();
    };
    Task<void> task = ask();
    loop_.post([&task] { task.start(); });
    loop_.run();
    return result;
  }

  LoopClock loop_;
  CancelScope scope_;
  WallTime now_;
  pki::CertificateAndKey ca_;
};

TEST_F(HttpsKubeApiTest, ProvesThatTheApiIsReady) {
  ApiServer server(ca_, now_, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  const auto result = ready(kubeconfig(ca_, server.port()));
  EXPECT_TRUE(result) << to_text(result.error());
}

TEST_F(HttpsKubeApiTest, SaysWhatTheServerSays) {
  ApiServer server(ca_, now_,
                   "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 15\r\n\r\n[-]etcd "
                   "failed\n");
  const auto result = ready(kubeconfig(ca_, server.port()));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::unavailable);
  EXPECT_EQ(result.error().progress, Progress::answered);
  EXPECT_THAT(result.error().text, HasSubstr("[-]etcd failed"));
}

TEST_F(HttpsKubeApiTest, DoesNotBelieveAnotherAuthority) {
  const auto other = pki::make_ca("kubernetes", pki::KeyKind::ecdsa_p256, now_);
  ApiServer server(other, now_, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  const auto result = ready(kubeconfig(ca_, server.port()));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().tls, TlsVerdict::foreign_ca);
  EXPECT_EQ(result.error().progress, Progress::not_sent);
}

TEST_F(HttpsKubeApiTest, SaysThatTheConnectionIsRefused) {
  std::uint16_t port = 0;
  { port = ApiServer(ca_, now_, "").port(); }
  const auto result = ready(kubeconfig(ca_, port));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().progress, Progress::not_sent);
  EXPECT_THAT(result.error().text, HasSubstr("refused"));
}

TEST_F(HttpsKubeApiTest, DoesNotWaitForEverForASilentServer) {
  ApiServer server(ca_, now_, "", true);
  const auto result = ready(kubeconfig(ca_, server.port()), std::chrono::milliseconds(50));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::deadline_exceeded);
}

TEST_F(HttpsKubeApiTest, RefusesAKubeconfigThatIsNone) {
  const auto result = ready(SecretString("{}"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::invalid_argument);
}

}  // namespace
}  // namespace ichor
