#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "async/signal.h"
#include "base/time.h"
#include "grpc/call_end.h"
#include "grpc/http2.h"

namespace ichor::grpc {

struct CallRequest {
  std::string path;                  // "/machine.MachineService/Version"
  Metadata metadata;                 // besides gRPC's own headers
  std::optional<Duration> timeout;   // sent to the server; the caller enforces it
  std::size_t message_bytes_max{0};  // of a reply; zero: the connection's limit
  /// Whether the call's own deadline has passed. Asked when the server cancels the call, which a
  /// server of Go does when the deadline in the request has passed; its reset may come before our
  /// own timer is heard. Empty: there is none.
  std::function<bool()> out_of_time;
};

class Http2Client;

/// A call that a client made. Messages arrive until it has ended; what was not taken by then stays
/// here. Destroying it resets a stream that is still open, so the server stops working on it.
class ClientCall {
 public:
  struct Stream;

  ClientCall(std::weak_ptr<Http2Client> client, std::shared_ptr<Stream> stream);
  ~ClientCall();
  ClientCall(const ClientCall&) = delete;
  ClientCall& operator=(const ClientCall&) = delete;

  void send(std::string_view message);
  /// No further messages will be sent.
  void close_sending();
  /// How many bytes of messages wait for the peer to take them.
  std::size_t unsent_bytes() const;

  bool has_message() const;
  std::string take_message();

  bool ended() const;
  const CallEnd& end() const;
  /// Whether the request's headers left this machine. If not, the call cannot have happened.
  bool left() const;
  /// Ends the call from this side and resets the stream.
  void cancel(Code code, std::string text, EndedBy by);

  /// What the server sent before and after its messages, without gRPC's own headers.
  const Metadata& initial_metadata() const;
  const Metadata& trailing_metadata() const;

  /// Wakes at every message and at the end.
  Signal& changed();

 private:
  std::weak_ptr<Http2Client> client_;
  std::shared_ptr<Stream> stream_;
};

/// The client's role on one HTTP/2 connection.
class Http2Client final : public Http2, public std::enable_shared_from_this<Http2Client> {
 public:
  /// `authority` names the server in every request.
  static std::shared_ptr<Http2Client> make(std::string authority, Http2Limits limits = {});
  ~Http2Client() override;

  /// Whether calls can be made. Once false it stays false.
  bool alive() const { return !over() && !peer_leaves(); }
  /// The server has said its first word, so it speaks HTTP/2 and has taken us as a client.
  bool greeted() const { return greeted_; }
  std::size_t open_calls() const { return streams_.size(); }

  /// On a connection that is not alive the call has ended already, as unprocessed.
  std::unique_ptr<ClientCall> start(CallRequest request);

 private:
  friend class ClientCall;
  using StreamPtr = std::shared_ptr<ClientCall::Stream>;

  Http2Client(std::string authority, Http2Limits limits);
  StreamPtr find(std::int32_t stream) const;
  void send(ClientCall::Stream& stream, std::string_view message);
  void close_sending(ClientCall::Stream& stream);
  std::string take(ClientCall::Stream& stream);
  void abandon(const StreamPtr& stream, CallEnd end);
  void finish(const StreamPtr& stream, CallEnd end);
  void break_off(const StreamPtr& stream, Code code, std::string text, EndedBy by);

  void on_settings() override { greeted_ = true; }
  void on_headers(std::int32_t stream, HeaderBlock block) override;
  void on_data(std::int32_t stream, std::string_view bytes) override;
  void on_end_stream(std::int32_t stream) override;
  void on_closed(std::int32_t stream, std::uint32_t error) override;
  void on_headers_sent(std::int32_t stream, bool ends) override;
  void on_over() override;

  std::string authority_;
  bool greeted_{false};
  std::map<std::int32_t, StreamPtr> streams_;
};

}  // namespace ichor::grpc
