#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/address_set.h"
#include "port/scout.h"

namespace ichor {

struct ScanWish {
  int rate{2000};    // connections that are started per second
  int at_once{512};  // that are open at the same time
  /// How often a silent address is tried: a packet that is lost is no machine that is missing.
  int passes{4};
  ProbeWish probe{std::chrono::milliseconds(400), std::chrono::seconds(5), std::chrono::seconds(10),
                  ProbeDepth::identity};
  /// Asked after every pass; true ends the scan, because what was looked for is there.
  std::function<bool(const std::vector<Sighting>&)> enough{};
};

struct ScanReport {
  std::vector<Sighting> seen;  // whoever accepted the connection, by address
  std::uint64_t addresses{0};
  std::uint64_t refused{0};
  std::uint64_t silent{0};
  int passes{0};
  bool whole{false};  // every address was tried; else it was called off
};

/// Looks at every address of the set, many at the same time, and again at those that were silent.
/// Ends early only when it is called off, or out of time.
Task<ScanReport> scan(Context context, Scout& scout, AddressSet addresses, ScanWish wish);

}  // namespace ichor
