#include "talos/dial.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <utility>

#include "async/slot.h"
#include "base/check.h"
#include "base/clean_text.h"
#include "base/result.h"
#include "talos/certificate.h"
#include "talos/handshake_report.h"
#include "talos/real_time.h"
#include "talos/verdict.h"

namespace ichor {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

using Step = grpc::TlsStream::Step;

/// TCP watches over a connection without traffic: a node that lost its power is noticed after this
/// time, also when HTTP/2 may not ask.
constexpr int kTcpIdle_s = 20;
constexpr int kTcpProbeEvery_s = 5;
constexpr int kTcpProbes = 4;
constexpr int kTcpUnanswered_ms = 40'000;

void set_number(tcp::socket& socket, int level, int name, int value) {
  // Not being able to set one costs a slower answer and nothing else.
  (void)setsockopt(socket.native_handle(), level, name, &value, sizeof value);
}

void watch_over(tcp::socket& socket) {
  set_number(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_number(socket, IPPROTO_TCP, TCP_KEEPIDLE, kTcpIdle_s);
  set_number(socket, IPPROTO_TCP, TCP_KEEPINTVL, kTcpProbeEvery_s);
  set_number(socket, IPPROTO_TCP, TCP_KEEPCNT, kTcpProbes);
  set_number(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kTcpUnanswered_ms);
}

}  // namespace

/// The parsed credentials; all null if there are none.
struct Dialer::Keys {
  pki::X509Handle ca;
  pki::X509Handle client;
  pki::Pkey client_key;
};

/// What the handshake of one connection shows. OpenSSL's callbacks find it by the connection.
struct Dialer::Handshake {
  Handshake(const Keys& keys, const IpAddress& address) : keys(keys), address(address) {}

  /// OpenSSL asks for a client certificate because the server did.
  int on_client_wanted(SSL* tls, X509** certificate, EVP_PKEY** key) {
    report.wants_client = true;
    if (!keys.client) return 0;
    const pki::X509Handle leaf(SSL_get1_peer_certificate(tls));
    if (!leaf) return 0;
    report.chain = judge_chain(*leaf, *keys.ca, address);
    report.chain_judged = true;
    report.seconds_outside = seconds_outside(*leaf);
    // A server that cannot prove its identity does not see ours.
    if (report.chain != ChainFault::none) return 0;
    report.client_offered = true;
    X509_up_ref(keys.client.get());
    EVP_PKEY_up_ref(keys.client_key.get());
    *certificate = keys.client.get();
    *key = keys.client_key.get();
    return 1;
  }

  /// Reads what is known when the handshake is over; the error says why there is no HTTP/2.
  Result<void> look_around(SSL* tls) {
    const pki::X509Handle leaf(SSL_get1_peer_certificate(tls));
    if (!leaf) return ichor::fail(Errc::invalid, "the server has no certificate");
    report.fingerprint = fingerprint_of(*leaf);
    report.expires = expiry_of(*leaf);
    report.contact = Contact::shaken;
    report.issuer = clean_text(name_text(X509_get_issuer_name(leaf.get())), 256);
    report.common_name =
        clean_text(part_of_name(X509_get_subject_name(leaf.get()), NID_commonName), 128);
    report.issuer_organization =
        clean_text(part_of_name(X509_get_issuer_name(leaf.get()), NID_organizationName), 128);
    const unsigned char* alpn = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(tls, &alpn, &size);
    const std::string_view protocol(reinterpret_cast<const char*>(alpn), alpn ? size : 0);
    report.speaks_h2 = protocol == "h2";
    if (!report.speaks_h2) return ichor::fail(Errc::invalid, "the server does not speak HTTP/2");
    report.client_accepted = report.client_offered;  // until the server says otherwise
    return {};
  }

  const Keys& keys;
  const IpAddress& address;
  HandshakeReport report;
};

namespace {

/// How a wait for the socket ended.
enum class Event { ready, closed, out_of_time, called_off };

/// The time that an attempt has. It reports what it waits for at the end of that time.
struct Limit {
  explicit Limit(asio::io_context& io, Duration limit) : timer(io, limit) {}

  static std::shared_ptr<Limit> start(asio::io_context& io, Duration limit) {
    auto made = std::make_shared<Limit>(io, limit);
    made->timer.async_wait([weak = std::weak_ptr(made)](const boost::system::error_code& error) {
      const auto self = weak.lock();
      if (error || !self) return;
      self->passed = true;
      if (self->awaited) self->awaited->set(Event::out_of_time);
      if (self->also) self->also->notify_all();
    });
    return made;
  }

  asio::steady_timer timer;
  bool passed{false};
  std::shared_ptr<Slot<Event>> awaited;
  Signal* also{nullptr};
};

Task<Event> await(Context context, std::shared_ptr<Limit> limit,
                  std::shared_ptr<Slot<Event>> slot) {
  if (limit->passed) co_return Event::out_of_time;
  limit->awaited = slot;
  const Context patient = until_settled(context);
  const Wake wake = co_await Slot<Event>::ready(slot, patient);
  co_return wake == Wake::cancelled ? Event::called_off : slot->take();
}

CallError not_opened(Code code, std::string text) {
  return {Call::open, Progress::not_sent, TlsVerdict::fine, code, clean_text(text)};
}

/// Why the attempt ended at `step` with that event.
CallError interrupted(Event event, const Endpoint& endpoint, std::string_view step) {
  if (event == Event::called_off) {
    return not_opened(Code::cancelled, "cancelled before the node answered");
  }
  return not_opened(Code::deadline_exceeded, fmt::format("{} ({})", step, to_text(endpoint)));
}

/// Hands on what a handshake showed, however the attempt ends.
struct Publisher {
  const HandshakeReport& from;
  HandshakeReport* to;
  ~Publisher() {
    if (to) *to = from;
  }
};

Dialer::Handshake* handshake_of(const SSL* tls) {
  return static_cast<Dialer::Handshake*>(SSL_get_app_data(tls));
}

SslContext make_context() {
  SslContext context(SSL_CTX_new(TLS_client_method()));
  check(context != nullptr, "OpenSSL has memory");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  constexpr unsigned char h2[] = {2, 'h', '2'};
  SSL_CTX_set_alpn_protos(context.get(), h2, sizeof h2);
  // Who the server is is judged afterwards, with a reason, instead of by a failed handshake.
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_client_cert_cb(context.get(), [](SSL* tls, X509** certificate, EVP_PKEY** key) {
    auto* handshake = handshake_of(tls);
    return handshake ? handshake->on_client_wanted(tls, certificate, key) : 0;
  });
  SSL_CTX_set_info_callback(context.get(), [](const SSL* tls, int where, int value) {
    auto* handshake = handshake_of(tls);
    if (handshake && (where & SSL_CB_READ_ALERT) == SSL_CB_READ_ALERT) {
      handshake->report.alert = value & 0xff;
    }
  });
  return context;
}

Task<CallResult<tcp::socket>> connect(Context context, std::shared_ptr<Limit> limit,
                                      asio::io_context& io, Endpoint to, Contact& contact) {
  if (to.host.empty()) {
    co_return tl::unexpected(
        not_opened(Code::invalid_argument, "the address is not part of the lab: not dialled"));
  }
  boost::system::error_code bad;
  const tcp::endpoint endpoint(asio::ip::make_address(to.host, bad), to.port);
  if (bad) {
    co_return tl::unexpected(not_opened(Code::invalid_argument, "not an IP address: " + to.host));
  }
  tcp::socket socket(io);
  const auto slot = std::make_shared<Slot<Event>>();
  const auto refused = std::make_shared<boost::system::error_code>();
  socket.async_connect(endpoint, [slot, refused](const boost::system::error_code& error) {
    *refused = error;
    slot->set(error ? Event::closed : Event::ready);
  });
  const Event event = co_await await(context, limit, slot);
  if (event == Event::closed) {
    const bool exhausted = *refused == asio::error::no_descriptors;
    if (*refused == asio::error::connection_refused) contact = Contact::refused;
    co_return tl::unexpected(not_opened(exhausted ? Code::resource_exhausted : Code::unavailable,
                                        fmt::format("{} ({})", refused->message(), to_text(to))));
  }
  if (event != Event::ready) co_return tl::unexpected(interrupted(event, to, "no answer"));
  contact = Contact::connected;
  watch_over(socket);
  co_return socket;
}

/// Repeats a step of TLS until it moved or the stream was closed, which is the result.
Task<CallResult<Step>> finish_step(Context context, std::shared_ptr<Limit> limit,
                                   grpc::TlsStream& stream, Step (grpc::TlsStream::*next)(),
                                   Endpoint to, std::string_view late) {
  while (true) {
    const Step step = (stream.*next)();
    if (step.kind == Step::Kind::moved || step.kind == Step::Kind::closed) co_return step;
    const auto slot = std::make_shared<Slot<Event>>();
    stream.await(step.kind, [slot](bool open) { slot->set(open ? Event::ready : Event::closed); });
    const Event event = co_await await(context, limit, slot);
    if (event != Event::ready) co_return tl::unexpected(interrupted(event, to, late));
  }
}

/// Waits for the server's first words; the error is a silence or a cancellation.
Task<CallResult<void>> await_greeting(Context context, std::shared_ptr<Limit> limit,
                                      grpc::Channel& channel, Endpoint to) {
  limit->also = &channel.changed();
  const Context patient = until_settled(context);
  Wake wake = Wake::signalled;
  while (!channel.greeted() && channel.alive() && !limit->passed && wake != Wake::cancelled) {
    wake = co_await channel.changed().wait(patient);
  }
  limit->also = nullptr;
  if (channel.greeted() || !channel.alive()) co_return CallResult<void>();
  const Event event = limit->passed ? Event::out_of_time : Event::called_off;
  co_return tl::unexpected(interrupted(event, to, "silence after the TLS handshake"));
}

}  // namespace

Dialer::Dialer(asio::io_context& io, const TalosCredentials* credentials)
    : io_(io), keys_(std::make_unique<Keys>()), tls_(make_context()) {
  if (!credentials) return;
  keys_->ca = pki::read_certificate(credentials->ca_pem);
  keys_->client = pki::read_certificate(credentials->client_cert_pem);
  keys_->client_key = key_from_pem(credentials->client_key_pem.reveal());
  if (!keys_->ca || !keys_->client || !keys_->client_key) *keys_ = {};
}

Dialer::~Dialer() = default;

Task<CallResult<Dialer::Dialed>> Dialer::dial(Context context, Target target) {
  Handshake handshake(*keys_, target.address);
  const Publisher publisher{handshake.report, target.report};
  const bool hurries = target.connect > Duration::zero();
  auto limit = Limit::start(io_, hurries ? target.connect : target.limit);
  auto socket = co_await connect(context, limit, io_, target.endpoint, handshake.report.contact);
  if (!socket) co_return forward_error(socket);
  if (hurries) limit = Limit::start(io_, target.limit);

  grpc::SslPtr tls(SSL_new(tls_.get()));
  check(tls != nullptr, "OpenSSL has memory");
  SSL* const handle = tls.get();
  SSL_set_app_data(handle, &handshake);
  SSL_set_connect_state(handle);
  // The connection may live on when this frame is gone.
  const auto forget = [](SSL* connection) { SSL_set_app_data(connection, nullptr); };
  grpc::TlsStream stream(*std::move(socket), std::move(tls));
  const auto closed = [&target](std::string_view why) {
    return not_opened(Code::unavailable, fmt::format("{} ({})", why, to_text(target.endpoint)));
  };
  auto shaken = co_await finish_step(context, limit, stream, &grpc::TlsStream::handshake,
                                     target.endpoint, "the TLS handshake was not finished");
  if (!shaken) co_return forward_error(shaken);
  if (shaken->kind == Step::Kind::closed) {
    handshake.report.contact = Contact::not_tls;
    handshake.report.why_not = clean_text(shaken->why, 256);
    co_return tl::unexpected(closed("TLS handshake failed: " + shaken->why));
  }
  if (const auto seen = handshake.look_around(handle); !seen) {
    co_return tl::unexpected(closed(seen.error().message));
  }
  if (target.only_talos && kind_of(handshake.report) < PeerKind::ours) {
    co_return tl::unexpected(closed("it is not asked: " + detail_of(handshake.report)));
  }
  auto peer = judge_handshake(handshake.report, target.demand);
  if (!peer) co_return forward_error(peer);
  if (target.only_configured && peer->mode == PeerMode::maintenance) {
    co_return tl::unexpected(
        not_opened(Code::unavailable, "in maintenance mode, where calls are not passed on"));
  }

  if (handshake.report.client_offered) {
    // A server that does not take our certificate says so and hangs up. Nothing may be under way to
    // it then: the kernel of a server that closes with unread bytes resets the connection, and the
    // reset would overtake its last words. One that takes the certificate speaks first.
    auto spoke = co_await finish_step(context, limit, stream, &grpc::TlsStream::peek,
                                      target.endpoint, "silence after the TLS handshake");
    if (!spoke) co_return forward_error(spoke);
    if (spoke->kind == Step::Kind::closed) {
      handshake.report.client_accepted = false;
      // A close without an alert says nothing about our certificate.
      if (handshake.report.alert < 0) co_return tl::unexpected(closed(spoke->why));
      auto refused = judge_handshake(handshake.report, target.demand);
      if (!refused) co_return forward_error(refused);
    }
  }

  grpc::Channel::Options options;
  options.authority = to_text(target.endpoint);
  auto channel = std::make_unique<grpc::Channel>(std::move(stream), std::move(options));
  const std::unique_ptr<SSL, decltype(forget)> forgotten(handle, forget);
  auto greeted = co_await await_greeting(context, limit, *channel, target.endpoint);
  if (!greeted) co_return forward_error(greeted);
  if (!channel->alive()) co_return tl::unexpected(closed(channel->why()));
  co_return Dialed{*std::move(peer), std::move(channel)};
}

}  // namespace ichor
