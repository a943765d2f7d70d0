#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grpc/channel.h"
#include "model/call.h"

namespace ichor {

/// The one connection of a session. Its handshake was judged before the first byte of a request,
/// and it never connects again.
class Connection {
 public:
  /// Who carries calls out: the server at the other end, or one behind it.
  enum class Server { itself, behind_apid };

  /// With `forward_to` the peer is an endpoint that passes every call on to that address.
  Connection(std::unique_ptr<grpc::Channel> channel, Server server, std::string forward_to = {});

  /// Whether the connection still stands. Once false it stays false.
  bool alive() const { return channel_->alive(); }

  /// Starts a call that ends after `limit` in real time, or at a message of more than
  /// `reply_bytes_max`. Dropping it calls it off on the node.
  std::shared_ptr<grpc::ClientCall> start(std::string_view path, Duration limit,
                                          std::size_t reply_bytes_max);

  /// Calls back once after `limit` in real time, unless the result is dropped before.
  std::shared_ptr<void> after(Duration limit, std::function<void()> then) {
    return channel_->after(limit, std::move(then));
  }

  /// Streams that may stay open for long, so that they can be ended before a config is applied. The
  /// node hears of their end before it hears of any call that is started later.
  void register_stream(const std::shared_ptr<grpc::ClientCall>& stream);
  void end_streams();

  /// Facts of a call that ended without success.
  CallError error_of(Call call, const grpc::ClientCall& ended) const;

 private:
  std::unique_ptr<grpc::Channel> channel_;
  Server server_;
  std::string forward_to_;
  std::vector<std::weak_ptr<grpc::ClientCall>> streams_;
};

/// A reply or a resource that cannot be what the API promises.
CallError bad_reply(Call call, std::string text);

}  // namespace ichor
