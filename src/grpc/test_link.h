#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grpc/http2_client.h"
#include "grpc/http2_server.h"

namespace ichor::grpc {

/// A client and a server that exchange their bytes in memory, in pieces of any size, so that a test
/// needs neither sockets nor time.
struct TestLink {
  explicit TestLink(Http2Limits client_limits = {}, Http2Limits server_limits = {})
      : client(Http2Client::make("node", client_limits)) {
    Http2Server::Events events;
    events.on_call = [this](const Http2Server::Call& call) { calls.push_back(call); };
    events.on_message = [this](const Http2Server::Call& call) {
      if (on_message) on_message(call);
    };
    events.on_half_close = [this](const Http2Server::Call& call) {
      if (on_half_close) on_half_close(call);
    };
    events.on_end = [this](const Http2Server::Call&) { ++ended; };
    server = Http2Server::make(std::move(events), server_limits);
  }

  /// Carries bytes until neither side has anything to say.
  void settle() {
    bool moved = true;
    while (moved) {
      moved = carry(*client, [this](std::string_view bytes) { server->serve(bytes); });
      moved = carry(*server, [this](std::string_view bytes) { client->receive(bytes); }) || moved;
      server->tell_events();
    }
  }

  template <class To>
  bool carry(Http2& from, To to) {
    const std::string bytes(from.output().substr(0, piece));
    if (bytes.empty()) return false;
    from.output_sent(bytes.size());
    to(bytes);
    return true;
  }

  std::unique_ptr<ClientCall> call(const std::string& path, std::string_view message = {}) {
    CallRequest request;
    request.path = path;
    auto made = client->start(std::move(request));
    made->send(message);
    made->close_sending();
    return made;
  }

  std::size_t piece{std::string::npos};
  std::shared_ptr<Http2Client> client;
  std::shared_ptr<Http2Server> server;
  std::vector<Http2Server::Call> calls;
  std::function<void(const Http2Server::Call&)> on_message;
  std::function<void(const Http2Server::Call&)> on_half_close;
  int ended{0};
};

}  // namespace ichor::grpc
