#pragma once

#include <cstdint>
#include <span>

#include "sim/node/spec.h"

namespace ichor::sim {

/// A phase of a sequence and the tasks that run in it, by Talos' names.
struct PhaseScript {
  const char* name;
  std::span<const char* const> tasks;
};

enum class SequenceName : std::uint8_t {
  initialize,
  install,
  boot,
  reboot,
  shutdown,
  reset,
  upgrade
};
const char* name_of(SequenceName sequence);

/// The phases of a sequence in the order in which the sequencer of 1.12.6 or 1.13.9 runs them.
std::span<const PhaseScript> script_of(SequenceName sequence, Platform platform,
                                       Personality personality);

}  // namespace ichor::sim
