#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace ichor::sim {

/// The history of a run as a hash, and as text when there is a listener. The hash covers everything
/// that is noted, so two runs of a seed that differ anywhere differ in it.
class Trace {
 public:
  using Listener = std::function<void(const std::string& line)>;

  void listen(Listener listener) { listener_ = std::move(listener); }
  bool wanted() const { return static_cast<bool>(listener_); }
  std::uint64_t hash() const { return hash_; }

  void add(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9e3779b97f4a7c15ull;
    hash_ ^= hash_ >> 29;
  }
  void add(std::string_view text) {
    std::uint64_t word = text.size();
    for (const char c : text) word = word * 0x100000001b3ull ^ static_cast<unsigned char>(c);
    add(word);
  }
  void add(MonoTime at) { add(static_cast<std::uint64_t>(at.time_since_epoch().count())); }

  void line(MonoTime at, const std::string& text) const;

 private:
  std::uint64_t hash_{0xcbf29ce484222325ull};
  Listener listener_;
};

}  // namespace ichor::sim
