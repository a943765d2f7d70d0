#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip.h"
#include "base/result.h"

namespace ichor {

/// Addresses to scan: networks, ranges and single addresses. Each is in it
/// once, also where what was written overlaps. They are counted, not stored: a /16 costs no more
/// than one address.
class AddressSet {
 public:
  /// Of one network or range: that of a /16, and of an IPv6 /112.
  static constexpr std::uint64_t kPartMax = 1u << 16;
  static constexpr std::uint64_t kMax = 1u << 18;

  /// "192.168.20.0/22,10.0.0.5-10.0.0.9,fd00::7": the first and the last address of an IPv4 network
  /// of more than two are not machines' and are left out. A range may name its last number only:
  /// "10.0.0.5-9". Errc::invalid says which part is wrong, and why.
  static Result<AddressSet> parse(std::string_view text);

  /// One more.
  void add(const Ip& ip);

  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// By number, from 0: IPv4 first, in the order of their values.
  Ip at(std::uint64_t index) const;
  bool contains(const Ip& ip) const;

 private:
  struct Run {
    Ip first, last;
    std::uint64_t count{0};
  };
  void add(const Ip& first, const Ip& last);
  void settle();

  std::vector<Run> runs_;  // sorted, and apart from each other
  std::uint64_t size_{0};
};

/// The address `count` numbers after this one, which must exist in its family.
Ip after(Ip ip, std::uint64_t count);

}  // namespace ichor
