#include "talos/grpc_talos_api.h"

#include <google/protobuf/stubs/logging.h>
#include <utility>

#include "base/check.h"
#include "talos/certificate.h"
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
  return not_opened(Code::cancelled, "cancelled before the node answered");
}

Result<void> check_pair(const TalosCredentials& credentials) {
  if (!pki::read_certificate(credentials.ca_pem)) {
    return fail(Errc::invalid, "the Talos CA is not a PEM certificate");
  }
  const pki::X509Handle client = pki::read_certificate(credentials.client_cert_pem);
  if (!client) return fail(Errc::invalid, "the client certificate is not a PEM certificate");
  const pki::Pkey key = key_from_pem(credentials.client_key_pem.reveal());
  if (!key) return fail(Errc::invalid, "the client key is not a PEM private key");
  if (X509_check_private_key(client.get(), key.get()) != 1) {
    return fail(Errc::invalid, "the client key does not belong to the client certificate");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<GrpcTalosApi>> GrpcTalosApi::make(Options options) {
  check(options.io != nullptr, "there is a loop");
  check(static_cast<bool>(options.route), "there is a route");
  check(static_cast<bool>(options.canonical_digest), "configs can be compared");
  if (options.credentials) {
    if (auto good = check_pair(*options.credentials); !good) {
      return forward_error(good);
    }
  }
  // protobuf prints about every text of a node that is not UTF-8, over whatever is shown there.
  google::protobuf::SetLogHandler(nullptr);
  return std::unique_ptr<GrpcTalosApi>(new GrpcTalosApi(std::move(options)));
}

GrpcTalosApi::GrpcTalosApi(Options options)
    : options_(std::move(options)),
      dialer_(*options_.io, options_.credentials ? &*options_.credentials : nullptr) {}

GrpcTalosApi::~GrpcTalosApi() = default;

Task<OpenResult> GrpcTalosApi::open_at(Context context, IpAddress address, std::string forward_to,
                                       Duration limit, PeerDemand demand) {
  Dialer::Target target;
  target.endpoint = options_.route(address);
  target.address = address;
  target.demand = std::move(demand);
  target.only_configured = !forward_to.empty();
  target.limit = limit;
  auto dialed = co_await dialer_.dial(context, std::move(target));
  if (!dialed) co_return forward_error(dialed);
  co_return session_on(*std::move(dialed), std::move(forward_to));
}

std::unique_ptr<GrpcSession> GrpcTalosApi::session_on(Dialer::Dialed dialed,
                                                      std::string forward_to) const {
  const auto server = dialed.peer.mode == PeerMode::configured ? Connection::Server::behind_apid
                                                               : Connection::Server::itself;
  auto connection =
      std::make_shared<Connection>(std::move(dialed.channel), server, std::move(forward_to));
  return std::make_unique<GrpcSession>(std::move(dialed.peer), std::move(connection),
                                       options_.canonical_digest);
}

Task<Sighting> GrpcTalosApi::probe(Context context, IpAddress address, ProbeOptions options) {
  HandshakeReport report;
  Dialer::Target target;
  target.endpoint = options_.route(address);
  target.address = address;
  target.connect = options.connect;
  target.limit = options.handshake;
  target.only_talos = true;
  target.report = &report;
  auto dialed = co_await dialer_.dial(context, std::move(target));
  Sighting seen;
  seen.address = std::move(address);
  seen.kind = kind_of(report);
  seen.fingerprint = report.fingerprint;
  seen.detail = detail_of(report);
  if (!dialed) {
    const bool may_change = report.contact == Contact::connected || seen.kind >= PeerKind::ours;
    if (may_change) seen.trouble = std::move(dialed).error();
    co_return seen;
  }
  const std::unique_ptr<GrpcSession> session = session_on(*std::move(dialed), std::string());
  co_await read_machine(context, *session, options, seen);
  if (options.depth == ProbeDepth::identity || seen.trouble) co_return seen;
  const auto extras = co_await session->read_extras(context.within(options.call), seen);
  if (!extras && extras.error().progress != Progress::answered) seen.trouble = extras.error();
  co_return seen;
}

Task<OpenResult> GrpcTalosApi::open(Context context, IpAddress address, PeerDemand demand) {
  if (context.cancelled()) co_return called_off();
  if (context.expired()) co_return not_opened(Code::deadline_exceeded, "no time left to connect");
  const Duration limit = real_limit(context, kOpenLimit);
  const std::vector<IpAddress>& endpoints = options_.endpoints;
  if (endpoints.empty()) {
    co_return co_await open_at(context, address, std::string(), limit, demand);
  }
  // Each gets its share of the time, so that a silent one does not hide those after it. The one
  // that answered last comes first.
  const std::size_t first = answering_;
  OpenResult opened = called_off();
  for (std::size_t i = 0; i < endpoints.size() && !opened && !context.cancelled(); ++i) {
    answering_ = (first + i) % endpoints.size();
    const IpAddress& endpoint = endpoints[answering_];
    const Duration share = limit / static_cast<Duration::rep>(endpoints.size());
    opened = co_await open_at(context, endpoint, address.value(), share, PeerDemand{});
    if (!opened) opened.error().text = "endpoint " + endpoint.value() + ": " + opened.error().text;
  }
  co_return opened;
}

}  // namespace ichor
