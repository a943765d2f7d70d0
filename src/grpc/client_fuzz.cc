#include <cstddef>
#include <cstdint>

#include "grpc/http2_client.h"

// A server that says anything at all: the client must end its calls or wait, and nothing else.
// The first byte chooses the size of the pieces in which the rest arrives.

using namespace ichor;
using namespace ichor::grpc;

namespace {

void drain(Http2& http2) {
  for (std::string_view out = http2.output(); !out.empty(); out = http2.output()) {
    http2.output_sent(out.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = data[0] + 1u;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Http2Limits limits;
  limits.message_bytes_max = 1u << 16;
  limits.header_bytes_max = 4096;
  const auto client = Http2Client::make("node", limits);
  std::vector<std::unique_ptr<ClientCall>> calls;
  for (int i = 0; i < 3; ++i) {
    CallRequest request;
    request.path = "/machine.MachineService/Version";
    calls.push_back(client->start(request));
    calls.back()->send("hello");
    if (i > 0) calls.back()->close_sending();
  }
  drain(*client);
  while (!bytes.empty()) {
    client->receive(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (const auto& call : calls) {
      if (call->has_message()) (void)call->take_message();
    }
    drain(*client);
  }
  calls.erase(calls.begin());
  drain(*client);
  client->end("the peer is gone");
  for (const auto& call : calls) {
    if (!call->ended()) __builtin_trap();
  }
  return 0;
}
