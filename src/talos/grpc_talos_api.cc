#include "talos/grpc_talos_api.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <string_view>
#include <utility>

#include "async/slot.h"
#include "base/check.h"
#include "talos/callback_threads.h"
#include "talos/certificate.h"
#include "talos/connector.h"
#include "talos/probe.h"
#include "talos/real_time.h"
#include "talos/verdict.h"

namespace ichor {

namespace {

constexpr Duration kOpenLimit = std::chrono::seconds(30);

using OpenResult = CallResult<std::unique_ptr<TalosSession>>;

tl::unexpected<CallError> not_opened(Code code, std::string text) {
  return tl::unexpected(
      CallError{Call::open, Progress::not_sent, TlsVerdict::fine, code, std::move(text)});
}

tl::unexpected<CallError> called_off() {
  return not_opened(Code::cancelled, "called off before the node answered");
}

/// The channel's own handshake did not end well although the probe's did.
CallError connect_error(Connector::End end, const HandshakeLog& log, const PeerDemand& demand,
                        const Peer& peer) {
  CallError error;
  error.code = Code::unavailable;
  error.text = "the connection was lost while it was opened";
  if (end == Connector::End::out_of_time) {
    error.code = Code::deadline_exceeded;
    error.text = "the connection was not ready in time";
  } else if (log.refused) {
    const bool pinned = !demand.maintenance_pins.empty() && peer.mode == PeerMode::maintenance;
    error.tls = pinned ? TlsVerdict::wrong_pin : TlsVerdict::fine;
    error.text = "another key answers than a moment ago";
  }
  return error;
}

Result<void> check_pair(const TalosCredentials& credentials) {
  if (!certificate_from_pem(credentials.ca_pem)) {
    return fail(Errc::invalid, "the Talos CA is not a PEM certificate");
  }
  const X509Ptr client = certificate_from_pem(credentials.client_cert_pem);
  if (!client) return fail(Errc::invalid, "the client certificate is not a PEM certificate");
  const EvpKeyPtr key = key_from_pem(credentials.client_key_pem.reveal());
  if (!key) return fail(Errc::invalid, "the client key is not a PEM private key");
  if (X509_check_private_key(client.get(), key.get()) != 1) {
    return fail(Errc::invalid, "the client key does not belong to the client certificate");
  }
  return {};
}

/// gRPC's library as a whole. At the end it waits for the library's threads: else they might still
/// work on what the end of the process destroys, and abort.
class Library {
 public:
  Library() { grpc_init(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { grpc_shutdown_blocking(); }
};

}  // namespace

struct GrpcTalosApi::Impl {
  explicit Impl(Options given)
      : options(std::move(given)),
        mailbox(std::make_shared<Mailbox>(options.post)),
        prober(options.credentials ? &*options.credentials : nullptr) {}

  Task<CallResult<ProbeReport>> probe(Context context, Prober::Target target) {
    const auto slot = std::make_shared<Slot<ProbeReport>>();
    auto done = [slot, mailbox = mailbox](ProbeReport report) {
      mailbox->post([slot, report = std::move(report)] { slot->set(report); });
    };
    prober.start(std::move(target), std::move(done));
    const Context patient = until_settled(context);
    const Wake wake = co_await Slot<ProbeReport>::ready(slot, patient);
    if (wake == Wake::cancelled) co_return called_off();
    co_return slot->take();
  }

  Task<CallResult<Connector::End>> connect(Context context, std::shared_ptr<grpc::Channel> channel,
                                           Duration limit) {
    const auto slot = std::make_shared<Slot<Connector::End>>();
    auto done = [slot, mailbox = mailbox](Connector::End end) {
      mailbox->post([slot, end] { slot->set(end); });
    };
    connector.start(std::move(channel), limit, std::move(done));
    const Context patient = until_settled(context);
    const Wake wake = co_await Slot<Connector::End>::ready(slot, patient);
    if (wake == Wake::cancelled) co_return called_off();
    co_return slot->take();
  }

  /// One try to open a session with whoever is at `address`.
  Task<OpenResult> open_at(Context context, IpAddress address, std::string forward_to,
                           Duration limit, PeerDemand demand);

  Library library;  // first, so that it goes last
  CallbackThreads callback_threads;
  Options options;
  std::shared_ptr<Mailbox> mailbox;
  Prober prober;
  Connector connector;
  std::size_t answering{0};  // the endpoint that was asked last
};

Result<std::unique_ptr<GrpcTalosApi>> GrpcTalosApi::make(Options options) {
  check(static_cast<bool>(options.post), "there is a loop");
  check(static_cast<bool>(options.route), "there is a route");
  check(static_cast<bool>(options.canonical_digest), "configs can be compared");
  if (options.credentials) {
    if (auto good = check_pair(*options.credentials); !good) {
      return tl::unexpected(std::move(good).error());
    }
  }
  // gRPC prints handshake errors on stderr, over whatever is shown there. All of them reach the
  // caller as facts, but for the last words before it aborts.
  gpr_set_log_function([](gpr_log_func_args* said) {
    const std::string_view message = said->message;
    check(!message.starts_with("assertion failed"), message);
  });
  // Likewise protobuf, about every text of a node that is not UTF-8.
  google::protobuf::SetLogHandler(nullptr);
  return std::unique_ptr<GrpcTalosApi>(
      new GrpcTalosApi(std::make_unique<Impl>(std::move(options))));
}

GrpcTalosApi::GrpcTalosApi(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

GrpcTalosApi::~GrpcTalosApi() { impl_->mailbox->close(); }

Task<OpenResult> GrpcTalosApi::Impl::open_at(Context context, IpAddress address,
                                             std::string forward_to, Duration limit,
                                             PeerDemand demand) {
  const gpr_timespec deadline = real_deadline(limit);
  Prober::Target target;
  target.endpoint = options.route(address);
  target.address = address;
  target.limit = limit;
  const Endpoint endpoint = target.endpoint;
  auto report = co_await probe(context, std::move(target));
  if (!report) co_return tl::unexpected(std::move(report).error());
  auto peer = judge_probe(*report, demand);
  if (!peer) co_return tl::unexpected(std::move(peer).error());
  if (!forward_to.empty() && peer->mode == PeerMode::maintenance) {
    co_return not_opened(Code::unavailable, "in maintenance mode, where calls are not passed on");
  }

  HandshakeDemand shown;
  shown.fingerprint = peer->fingerprint;
  shown.address = address;
  const TalosCredentials* credentials = nullptr;
  if (peer->mode == PeerMode::configured) {
    credentials = &*options.credentials;
    shown.ca_pem = credentials->ca_pem;
  }
  const auto log = std::make_shared<HandshakeLog>();
  const auto channel = make_channel(endpoint, std::move(shown), credentials, log);
  const Duration left = std::chrono::milliseconds(real_ms_until(deadline));
  auto end = co_await connect(context, channel, left);
  if (!end) co_return tl::unexpected(std::move(end).error());
  if (*end != Connector::End::connected) {
    co_return tl::unexpected(connect_error(*end, *log, demand, *peer));
  }
  auto connection = std::make_shared<Connection>(channel, log, mailbox, std::move(forward_to));
  co_return std::make_unique<GrpcSession>(*std::move(peer), std::move(connection),
                                          options.canonical_digest);
}

Task<OpenResult> GrpcTalosApi::open(Context context, IpAddress address, PeerDemand demand) {
  if (context.cancelled()) co_return called_off();
  if (context.expired()) co_return not_opened(Code::deadline_exceeded, "no time left to connect");
  const Duration limit = real_limit(context, kOpenLimit);
  const std::vector<IpAddress>& endpoints = impl_->options.endpoints;
  if (endpoints.empty()) {
    co_return co_await impl_->open_at(context, address, std::string(), limit, demand);
  }
  // Each gets its share of the time, so that a silent one does not hide those after it. The one
  // that answered last comes first.
  const std::size_t first = impl_->answering;
  OpenResult opened = called_off();
  for (std::size_t i = 0; i < endpoints.size() && !opened && !context.cancelled(); ++i) {
    impl_->answering = (first + i) % endpoints.size();
    const IpAddress& endpoint = endpoints[impl_->answering];
    const Duration share = limit / static_cast<Duration::rep>(endpoints.size());
    opened = co_await impl_->open_at(context, endpoint, address.value(), share, PeerDemand{});
    if (!opened) opened.error().text = "endpoint " + endpoint.value() + ": " + opened.error().text;
  }
  co_return opened;
}

}  // namespace ichor
