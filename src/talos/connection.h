#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/signal.h"
#include "async/task.h"
#include "cosi_state.grpc.pb.h"
#include "machine.grpc.pb.h"
#include "model/call.h"
#include "talos/credentials.h"
#include "talos/endpoint.h"
#include "talos/handshake_guard.h"
#include "talos/mailbox.h"

namespace ichor {

/// A server stream that is open, as far as its owner needs it: something to cancel.
class OpenStream {
 public:
  virtual ~OpenStream() = default;
  virtual void cancel() = 0;
};

/// One channel that has shaken hands once and never will again. It lives on the loop; gRPC's
/// threads reach the loop through the mailbox only.
class Connection {
 public:
  using MachineApi = machine::MachineService::StubInterface::async_interface;
  using StateApi = cosi::resource::State::StubInterface::async_interface;

  /// With `forward_to` the peer is an endpoint that passes every call on to that address.
  Connection(std::shared_ptr<grpc::Channel> channel, std::shared_ptr<HandshakeLog> log,
             std::shared_ptr<Mailbox> mailbox, std::string forward_to = {});

  /// Says in the call which node is meant, where that is not the peer.
  void address(grpc::ClientContext& call) const;

  /// Whether the one connection still stands. Once false it stays false.
  bool alive();
  /// A call was lost on it. gRPC tells that to the call before it tells of the channel's state.
  void mark_dead() { dead_ = true; }

  /// Whether a second handshake was tried since the first.
  bool replaced() const { return log_->begun > 1; }

  MachineApi* machine() { return machine_->async(); }
  StateApi* state() { return state_->async(); }
  Mailbox& mailbox() { return *mailbox_; }
  std::shared_ptr<Mailbox> mailbox_ref() const { return mailbox_; }

  // Streams register themselves, so that they can be closed before a config is applied.
  void stream_opened(std::weak_ptr<OpenStream> stream);
  void stream_closed(const OpenStream* stream);
  /// Cancels every stream and waits until gRPC is done with it.
  Task<Wake> close_streams(Context context);

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::shared_ptr<HandshakeLog> log_;
  std::shared_ptr<Mailbox> mailbox_;
  std::unique_ptr<machine::MachineService::Stub> machine_;
  std::unique_ptr<cosi::resource::State::Stub> state_;
  std::string forward_to_;
  bool dead_{false};
  std::vector<std::weak_ptr<OpenStream>> streams_;
  Signal stream_ended_;
};

/// A channel to `endpoint` whose handshake is guarded. With credentials it is mutual TLS under
/// their CA, without it is maintenance mode.
std::shared_ptr<grpc::Channel> make_channel(const Endpoint& endpoint, HandshakeDemand demand,
                                            const TalosCredentials* credentials,
                                            std::shared_ptr<HandshakeLog> log);

/// Facts of a call that was started and ended without success. A call that was lost with the
/// connection marks it as dead.
CallError call_error(Call call, const grpc::Status& status, Connection& connection);

/// A reply or a resource that cannot be what the API promises.
CallError bad_reply(Call call, std::string text);

}  // namespace ichor
