#include "talos/connection.h"

#include <algorithm>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <utility>

#include "talos/certificate.h"
#include "talos/wire_text.h"

namespace ichor {

namespace tls = grpc::experimental;

namespace {

constexpr int kMessageBytesMax = 32 << 20;
constexpr int kReadChunkBytes = 8 << 10;

grpc::ChannelArguments channel_arguments() {
  grpc::ChannelArguments arguments;
  // No hidden second attempt, no connection shared with another channel, no proxy from the
  // environment: each would put a request where nothing was proved.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Records for gRPC's own debugging service, which nobody can ask here; a thousand channels feel
  // them.
  arguments.SetInt(GRPC_ARG_ENABLE_CHANNELZ, 0);
  arguments.SetInt(GRPC_ARG_MAX_CHANNEL_TRACE_EVENT_MEMORY_PER_NODE, 0);
  // An idle connection keeps a buffer for its next read: 8 KiB and not the 64 KiB that it would
  // grow to.
  arguments.SetInt(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kReadChunkBytes);
  // A half-open connection shows within half a minute while calls are open. gRPC sends at most two
  // pings without data, so Talos' servers, which hang up on the third, never see too many.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetMaxReceiveMessageSize(kMessageBytesMax);
  arguments.SetMaxSendMessageSize(kMessageBytesMax);
  return arguments;
}

/// Whether gRPC found no connection to send the call on. It says so in its own words and nowhere
/// else; whatever else ends a call that was started leaves open whether the request left.
bool found_no_connection(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNAVAILABLE &&
         status.error_message().starts_with("failed to connect to all addresses");
}

/// Whether a status can be gRPC's own invention after a connection broke or a limit was hit. What
/// the server itself says with these codes is indistinguishable, so it counts as lost: unknown is
/// safe.
bool may_be_local(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::INTERNAL:
    case grpc::StatusCode::DATA_LOSS:
    case grpc::StatusCode::RESOURCE_EXHAUSTED: return true;
    case grpc::StatusCode::UNKNOWN: return status.error_message() == "Stream removed";
    default: return false;
  }
}

}  // namespace

Connection::Connection(std::shared_ptr<grpc::Channel> channel, std::shared_ptr<HandshakeLog> log,
                       std::shared_ptr<Mailbox> mailbox, std::string forward_to)
    : channel_(std::move(channel)),
      log_(std::move(log)),
      mailbox_(std::move(mailbox)),
      machine_(machine::MachineService::NewStub(channel_)),
      state_(cosi::resource::State::NewStub(channel_)),
      forward_to_(std::move(forward_to)) {}

void Connection::address(grpc::ClientContext& call) const {
  // "node" and not "nodes": the reply then is the node's own, not a list of several nodes' replies.
  if (!forward_to_.empty()) call.AddMetadata("node", forward_to_);
}

bool Connection::alive() {
  dead_ = dead_ || replaced() || channel_->GetState(false) != GRPC_CHANNEL_READY;
  return !dead_;
}

void Connection::stream_opened(std::weak_ptr<OpenStream> stream) {
  streams_.push_back(std::move(stream));
}

void Connection::stream_closed(const OpenStream* stream) {
  std::erase_if(streams_, [&](const auto& open) {
    const auto it = open.lock();
    return !it || it.get() == stream;
  });
  stream_ended_.notify_all();
}

Task<Wake> Connection::close_streams(Context context) {
  for (const auto& open : streams_) {
    if (const auto stream = open.lock()) stream->cancel();
  }
  while (!streams_.empty()) {
    const Wake wake = co_await stream_ended_.wait(context);
    if (wake != Wake::signalled) co_return wake;
  }
  co_return Wake::signalled;
}

std::shared_ptr<grpc::Channel> make_channel(const Endpoint& endpoint, HandshakeDemand demand,
                                            const TalosCredentials* credentials,
                                            std::shared_ptr<HandshakeLog> log) {
  tls::TlsChannelCredentialsOptions options;
  options.set_check_call_host(false);  // the guard checks the name, once per connection
  if (credentials) {
    const tls::IdentityKeyCertPair identity{
        standard_key_label(credentials->client_key_pem.reveal()), credentials->client_cert_pem};
    options.set_certificate_provider(std::make_shared<tls::StaticDataCertificateProvider>(
        credentials->ca_pem, std::vector<tls::IdentityKeyCertPair>{identity}));
    options.watch_root_certs();
    options.watch_identity_key_cert_pairs();
    options.set_verify_server_certs(true);
  } else {
    options.set_verify_server_certs(false);
  }
  options.set_certificate_verifier(
      tls::ExternalCertificateVerifier::Create<HandshakeGuard>(std::move(demand), std::move(log)));
  return grpc::CreateCustomChannel("dns:///" + to_text(endpoint), tls::TlsCredentials(options),
                                   channel_arguments());
}

CallError call_error(Call call, const grpc::Status& status, Connection& connection) {
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE) connection.mark_dead();
  CallError error;
  error.call = call;
  error.code = static_cast<Code>(status.error_code());
  error.text = clean_text(status.error_message());
  if (found_no_connection(status)) {
    error.progress = Progress::not_sent;
  } else if (connection.replaced() || may_be_local(status)) {
    error.progress = Progress::sent;
  } else {
    error.progress = Progress::answered;
  }
  return error;
}

CallError bad_reply(Call call, std::string text) {
  return {call, Progress::answered, TlsVerdict::fine, Code::internal, clean_text(text)};
}

}  // namespace ichor
