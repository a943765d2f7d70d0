#include "sim/checkers/i23_determinism.h"

#include <fmt/format.h>

namespace ichor::sim {

std::string determinism_broken(const SeedReport& first, const SeedReport& second) {
  if (first.trace_hash != second.trace_hash) {
    return fmt::format("I23: two runs of seed {} differ: trace {:016x} and {:016x}", first.seed,
                       first.trace_hash, second.trace_hash);
  }
  if (first.events != second.events || first.verdict != second.verdict) {
    return fmt::format("I23: two runs of seed {} have one trace and differ: {} and {} events",
                       first.seed, first.events, second.events);
  }
  return {};
}

}  // namespace ichor::sim
