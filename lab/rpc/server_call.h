#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/call.h"

namespace ichor::lab {

/// A call that came in over gRPC with its first message, as the loop's thread sees it. Messages are
/// serialized protobuf; nothing here knows their types.
class ServerCall {
 public:
  virtual ~ServerCall() = default;

  /// "/machine.MachineService/Version".
  virtual const std::string& path() const = 0;
  /// All values of a header.
  virtual std::vector<std::string> header(std::string_view key) const = 0;
  /// The number that the connection was adopted with.
  virtual std::uint64_t connection() const = 0;
  /// The first message, or of an upload all of them, one behind the other.
  virtual const std::string& request() const = 0;

  /// Queues a message for the client; nothing happens once the call is over.
  virtual void write(std::string message) = 0;
  virtual void finish(Code code, const std::string& text) = 0;

  /// Called once on the loop when the call is over, whoever ended it. Set it before anything else.
  virtual void on_end(std::function<void()> ended) = 0;
};

}  // namespace ichor::lab
