#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "grpc/framing.h"
#include "grpc/http2.h"
#include "model/call.h"

namespace ichor::grpc {

class Http2Server;

/// A call that a client made, as the server sees it. Everything it sends is queued and leaves as
/// fast as the client reads.
class ServerStream {
 public:
  struct State;

  ServerStream(std::weak_ptr<Http2Server> server, std::shared_ptr<State> state);
  ~ServerStream();
  ServerStream(const ServerStream&) = delete;
  ServerStream& operator=(const ServerStream&) = delete;

  const std::string& path() const;
  /// What the client sent besides HTTP's and gRPC's own headers; binary values are decoded.
  const Metadata& metadata() const;
  const std::optional<Duration>& timeout() const;

  bool has_message() const;
  std::string take_message();
  /// The client will send no more messages.
  bool half_closed() const;
  bool over() const;

  /// Goes out with the first message or the end; later calls are too late.
  void set_initial_metadata(Metadata metadata);
  /// False: the call is over, or more waits for the client than the limit allows.
  bool write(std::string_view message);
  void finish(Code code, const std::string& text, Metadata trailing = {},
              const std::string& details = {});

 private:
  std::weak_ptr<Http2Server> server_;
  std::shared_ptr<State> state_;
};

/// The server's role on one HTTP/2 connection. It answers by itself what is not a gRPC call, in the
/// way grpc-go does.
class Http2Server final : public Http2, public std::enable_shared_from_this<Http2Server> {
 public:
  using Call = std::shared_ptr<ServerStream>;
  /// What happens to calls. Runs within serve(), hang_up() and tell_events(), in the order in which
  /// it happened, and may do anything, also drop this connection.
  struct Events {
    std::function<void(const Call&)> on_call;     // the headers are there
    std::function<void(const Call&)> on_message;  // once for every message
    std::function<void(const Call&)> on_half_close;
    std::function<void(const Call&)> on_end;  // once for every call, whoever ended it
  };

  static std::shared_ptr<Http2Server> make(Events events, Http2Limits limits = {});
  ~Http2Server() override;

  /// As Http2::receive, and then tells what happened.
  void serve(std::string_view bytes);
  /// Sending can end calls too: to be called after output().
  void tell_events();
  /// The bytes below ended.
  void hang_up(const std::string& why);
  /// Takes no new calls; the connection ends with the last open one.
  void leave();
  std::size_t open_calls() const { return streams_.size(); }

 private:
  friend class ServerStream;
  using StatePtr = std::shared_ptr<ServerStream::State>;

  Http2Server(Events events, Http2Limits limits);
  StatePtr find(std::int32_t stream) const;
  bool write(ServerStream::State& state, std::string_view message);
  void finish(ServerStream::State& state, Code code, const std::string& text, Metadata trailing,
              const std::string& details);
  void respond(ServerStream::State& state);
  void refuse(std::int32_t stream, const std::string& http_status, Code code,
              const std::string& text);
  std::string take(ServerStream::State& state);
  void queue(std::function<void(const Call&)> Events::*what, const StatePtr& state);

  void on_headers(std::int32_t stream, HeaderBlock block) override;
  void on_data(std::int32_t stream, std::string_view bytes) override;
  void on_end_stream(std::int32_t stream) override;
  void on_closed(std::int32_t stream, std::uint32_t error) override;
  void on_headers_sent(std::int32_t stream, bool ends) override;
  void on_outgoing_end(std::int32_t stream) override;
  void on_over() override;

  Events events_;
  std::map<std::int32_t, StatePtr> streams_;
  std::vector<std::pair<std::function<void(const Call&)> Events::*, Call>> happened_;
  bool telling_{false};
};

}  // namespace ichor::grpc
