#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/check.h"
#include "base/time.h"
#include "port/random.h"

namespace ichor::sim {

/// Chance from a seed: xoshiro256**, seeded through splitmix64, integer arithmetic only, so the
/// same seed gives the same numbers on every platform and compiler.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) {
    for (std::uint64_t& word : state_) word = split_mix(seed);
  }

  std::uint64_t next() override {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound). The high half of a product, so the error for bounds of this project's
  /// size is far below what a campaign could see.
  std::uint64_t below(std::uint64_t bound) {
    check(bound > 0, "below(0)");
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }

  /// True with this probability; 0 never, 1 always.
  bool chance(double probability) { return fraction() < probability; }

  /// Uniform in [low, high], both ends included.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    check(low <= high, "between(low, high) with low > high");
    return low + (high - low == ~0ull ? next() : below(high - low + 1));
  }
  Duration between(Duration low, Duration high) {
    check(low <= high, "between(low, high) with low > high");
    return low + Duration(below(static_cast<std::uint64_t>((high - low).count()) + 1));
  }

  /// An independent source. It depends on this one's seed and position and on the stream's number,
  /// and leaves this one's later numbers as they were: adding a stream does not reshuffle the
  /// others.
  SeededRandom fork(std::uint64_t stream) const {
    std::uint64_t mixed = stream;
    std::uint64_t seed = split_mix(mixed) ^ state_[0] ^ std::rotl(state_[2], 32);
    return SeededRandom(split_mix(seed));
  }

 private:
  static std::uint64_t split_mix(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace ichor::sim
