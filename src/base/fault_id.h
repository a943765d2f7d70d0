#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace ichor {

/// A row of the fault catalogue, such as E4: set where an error arises, so that its sentence can be
/// rewritten without any effect on what reads it. Empty: the error has no row of its own.
class FaultId {
 public:
  constexpr FaultId() = default;
  /// From a literal only: an id is never made of a text that was read.
  template <std::size_t N>
  constexpr FaultId(const char (&literal)[N]) {  // NOLINT(google-explicit-constructor)
    static_assert(N <= kSize + 1, "an id is a letter and a number");
    for (std::size_t i = 0; i + 1 < N; ++i) letters_[i] = literal[i];
  }

  constexpr bool empty() const { return letters_[0] == '\0'; }
  constexpr std::string_view text() const {
    std::size_t size = 0;
    while (size < kSize && letters_[size] != '\0') ++size;
    return {letters_.data(), size};
  }
  friend constexpr bool operator==(const FaultId&, const FaultId&) = default;

 private:
  static constexpr std::size_t kSize = 4;
  std::array<char, kSize> letters_{};
};

}  // namespace ichor
