#include "lab/net/gate.h"

#include <arpa/inet.h>
#include <cstring>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "os/loop_clock.h"
#include "secrets/issue.h"
#include "secrets/openssl.h"

namespace ichor::lab {
namespace {

constexpr std::uint16_t kPort = 50000;

/// What a plain TLS client found out.
struct Meeting {
  bool connected{false};
  bool shook_hands{false};
  std::string version;
  std::string protocol;
  std::string answer;  // the first bytes that came back
  std::string error;
};

/// Says one text and is over.
class Greeting final : public Inside {
 public:
  explicit Greeting(std::string text) : text_(std::move(text)) {}
  std::size_t give(std::string_view bytes) override { return bytes.size(); }
  Answer ask(char* buffer, std::size_t) override {
    if (text_.empty()) return {Answer::Kind::over};
    const std::string said = std::exchange(text_, {});
    std::memcpy(buffer, said.data(), said.size());
    return {Answer::Kind::bytes, said.size()};
  }

 private:
  std::string text_;
};

/// A gate on an address of its own that answers every connection with "hello".
class GateTest : public testing::Test {
 protected:
  GateTest()
      : ca_(pki::make_ca("talos", pki::KeyKind::ed25519, {0}, std::chrono::hours(1'000'000))),
        gate_(loop_.io(), address(), kPort,
              [](const std::shared_ptr<Tunnel>&, const Peer& peer) {
                return std::make_unique<Greeting>(
                    peer.anonymous ? "hello" : "hello " + peer.organizations[0]);
              }),
        thread_([this] { loop_.run(); }) {}
  ~GateTest() override {
    on_loop([this] {
      gate_.close();
      gate_.cut_all();
    });
    loop_.stop();
    thread_.join();
  }

  static std::string address() { return "127.31." + std::to_string(::getpid() % 250 + 1) + ".7"; }

  void on_loop(std::function<void()> work) {
    std::promise<void> done;
    loop_.post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }

  pki::CertificateAndKey leaf(bool client, std::vector<std::string> roles = {},
                              bool both = false) const {
    pki::LeafRequest request;
    request.organizations = std::move(roles);
    request.client_auth = client;
    request.server_auth = !client || both;
    request.ip_addresses = {address()};
    request.lifetime = std::chrono::hours(900'000);
    return *pki::issue(ca_, request, pki::KeyKind::ed25519);
  }

  TlsSettings settings(bool clients) const {
    TlsSettings settings;
    settings.identity = leaf(false);
    settings.protocol = "h2";
    settings.protocol_required = true;
    if (clients) {
      settings.clients = TlsSettings::Clients::required;
      settings.client_ca = ca_.certificate;
      settings.only_client_usage = true;
    }
    return settings;
  }
  void open(bool clients) {
    on_loop([&] {
      const auto opened = gate_.open(*TlsContext::make(settings(clients)));
      EXPECT_TRUE(opened) << opened.error().message;
    });
  }

  static void use(SSL_CTX* context, const pki::CertificateAndKey& identity) {
    const auto certificate = pki::read_certificate(identity.certificate);
    const SecretString pem = pki::openssl_label(identity.key);
    const auto bio = pki::read_bio(pem.reveal());
    const pki::Pkey key(PEM_read_bio_PrivateKey(bio.get(), nullptr, pki::no_password, nullptr));
    SSL_CTX_use_certificate(context, certificate.get());
    SSL_CTX_use_PrivateKey(context, key.get());
  }

  /// Dials, shakes hands and reads until the end.
  Meeting meet(const pki::CertificateAndKey* identity = nullptr, int max_version = TLS1_3_VERSION,
               bool with_protocol = true) {
    Meeting meeting;
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    timeval limit{1, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(kPort);
    ::inet_pton(AF_INET, address().c_str(), &to.sin_addr);
    meeting.connected = ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0;
    if (!meeting.connected) meeting.error = std::strerror(errno);
    if (meeting.connected) shake(fd, identity, max_version, with_protocol, meeting);
    ::close(fd);
    return meeting;
  }

  static void shake(int fd, const pki::CertificateAndKey* identity, int max_version,
                    bool with_protocol, Meeting& meeting) {
    SSL_CTX* context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_max_proto_version(context, max_version);
    static constexpr unsigned char protocols[] = {2, 'h', '2'};
    if (with_protocol) SSL_CTX_set_alpn_protos(context, protocols, sizeof(protocols));
    if (identity != nullptr) use(context, *identity);
    SSL* tls = SSL_new(context);
    SSL_set_fd(tls, fd);
    ERR_clear_error();
    meeting.shook_hands = SSL_connect(tls) == 1;
    if (meeting.shook_hands) {
      meeting.version = SSL_get_version(tls);
      const unsigned char* name = nullptr;
      unsigned int size = 0;
      SSL_get0_alpn_selected(tls, &name, &size);
      meeting.protocol.assign(reinterpret_cast<const char*>(name), size);
      char bytes[64];
      const int read = SSL_read(tls, bytes, sizeof(bytes));
      if (read > 0) meeting.answer.assign(bytes, static_cast<std::size_t>(read));
    }
    if (const unsigned long error = ERR_peek_error())
      meeting.error = ERR_reason_error_string(error);
    SSL_free(tls);
    SSL_CTX_free(context);
  }

  pki::CertificateAndKey ca_;
  LoopClock loop_;
  Gate gate_;
  std::thread thread_;
};

TEST_F(GateTest, AClosedGateRefuses) {
  EXPECT_EQ(meet().error, "Connection refused");
  open(false);
  EXPECT_TRUE(meet().connected);
  on_loop([this] { gate_.close(); });
  EXPECT_EQ(meet().error, "Connection refused");
}

TEST_F(GateTest, SpeaksTls13AndTheOneProtocol) {
  open(false);
  const Meeting meeting = meet();
  EXPECT_EQ(meeting.version, "TLSv1.3");
  EXPECT_EQ(meeting.protocol, "h2");
  EXPECT_EQ(meeting.answer, "hello");
  EXPECT_FALSE(meet(nullptr, TLS1_2_VERSION).shook_hands);
  EXPECT_EQ(meet(nullptr, TLS1_3_VERSION, false).answer, "");
}

TEST_F(GateTest, TellsStrangersWhyTheyMayNotComeIn) {
  open(true);
  EXPECT_EQ(meet().error, "tlsv13 alert certificate required");

  const auto admin = leaf(true, {"os:admin"});
  EXPECT_EQ(meet(&admin).answer, "hello os:admin");

  const auto both = leaf(true, {"os:admin"}, true);
  EXPECT_EQ(meet(&both).error, "sslv3 alert bad certificate") << "server and client usage";

  const auto other =
      pki::make_ca("talos", pki::KeyKind::ed25519, {0}, std::chrono::hours(1'000'000));
  pki::LeafRequest request;
  request.client_auth = true;
  request.lifetime = std::chrono::hours(900'000);
  const auto foreign = *pki::issue(other, request, pki::KeyKind::ed25519);
  EXPECT_EQ(meet(&foreign).error, "tlsv1 alert unknown ca");
}

TEST_F(GateTest, ASilentGateDoesNotEvenTakeTheConnection) {
  open(false);
  on_loop([this] { gate_.set_silent(true); });
  // The first filler may still be on its way into the queue.
  meet();
  meet();
  EXPECT_FALSE(meet().connected);
  on_loop([this] { gate_.set_silent(false); });
  EXPECT_EQ(meet().answer, "hello");
}

}  // namespace
}  // namespace ichor::lab
