#include <cstddef>
#include <cstdint>

#include "grpc/framing.h"

// What gRPC writes into headers and DATA frames, from a peer that means no good.

using namespace ichor;
using namespace ichor::grpc;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (decode_status_text(encode_status_text(bytes)) != bytes) __builtin_trap();
  if (decode_binary(encode_binary(bytes)) != bytes) __builtin_trap();
  (void)decode_status_text(bytes);
  (void)decode_binary(bytes);
  if (const auto timeout = decode_timeout(bytes)) (void)encode_timeout(*timeout);
  // The same messages come out however the bytes are cut.
  MessageReader whole(4096);
  MessageReader cut(4096);
  std::deque<std::string> from_whole;
  std::deque<std::string> from_cut;
  (void)whole.feed(bytes, from_whole);
  for (std::size_t i = 0; i < bytes.size(); ++i) (void)cut.feed(bytes.substr(i, 1), from_cut);
  if (from_whole != from_cut) __builtin_trap();
  return 0;
}
