#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace ichor::lab {

/// The clear side of a tunnel: the server that a client came for. The tunnel owns it, and destroys
/// it when the connection has ended. Lives on the loop's thread.
class Inside {
 public:
  virtual ~Inside() = default;

  /// Takes bytes from the client and says how many. If not all, it calls ready() when it takes
  /// more.
  virtual std::size_t give(std::string_view bytes) = 0;

  /// The next bytes for the client.
  struct Answer {
    enum class Kind { bytes, nothing_yet, over } kind{Kind::over};
    std::size_t size{0};
  };
  virtual Answer ask(char* buffer, std::size_t size) = 0;

  /// Set by the tunnel: giving or asking may go on. It does not call back at once.
  std::function<void()> ready;
};

}  // namespace ichor::lab
