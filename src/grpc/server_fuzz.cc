#include <cstddef>
#include <cstdint>

#include "grpc/http2_server.h"

// A client that says anything at all after its preface. The first byte chooses the size of the
// pieces in which the rest arrives. Every call that began must end.

using namespace ichor;
using namespace ichor::grpc;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = data[0] + 1u;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  int open = 0;
  Http2Server::Events events;
  events.on_call = [&](const Http2Server::Call&) { ++open; };
  events.on_message = [](const Http2Server::Call& call) {
    // Echoes, and ends every other call early.
    const std::string message = call->take_message();
    call->write(message);
    if (message.size() % 2 == 0) call->finish(Code::aborted, message);
  };
  events.on_half_close = [](const Http2Server::Call& call) { call->finish(Code::ok, ""); };
  events.on_end = [&](const Http2Server::Call&) { --open; };
  Http2Limits limits;
  limits.message_bytes_max = 1u << 16;
  limits.header_bytes_max = 4096;
  const auto server = Http2Server::make(std::move(events), limits);
  const auto drain = [&] {
    for (std::string_view out = server->output(); !out.empty(); out = server->output()) {
      server->output_sent(out.size());
    }
    server->tell_events();
  };
  server->serve("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  while (!bytes.empty()) {
    server->serve(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    drain();
  }
  server->hang_up("the client is gone");
  if (open != 0) __builtin_trap();
  return 0;
}
