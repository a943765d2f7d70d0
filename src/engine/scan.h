#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/address_set.h"
#include "port/scout.h"

namespace ichor {

/// The defaults suit a network that is attached to this machine. The kernel keeps a neighbour that
/// does not answer for three seconds and has room for 1,024 of them by default; what comes on top
/// is dropped without a word, and machines would be missed.
struct AddressScanOptions {
  int most{900};                                     // connections that are started
  Duration within{std::chrono::milliseconds(3200)};  // in any time of this length,
  int peak{2000};                                    // and per second at the most
  int at_once{900};                                  // that are open at the same time
  /// How often a silent address is tried: a packet that is lost is no machine that is missing.
  int passes{3};
  /// Long enough for the kernel to ask a second time, which it does after a second.
  ProbeOptions probe{std::chrono::milliseconds(1200), std::chrono::seconds(5),
                     std::chrono::seconds(10), ProbeDepth::identity};
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
Task<ScanReport> scan(Context context, Scout& scout, AddressSet addresses,
                      AddressScanOptions options);

}  // namespace ichor
