#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "phase/provision_facts.h"
#include "port/provider.h"

namespace ichor::sim {

/// A change of a machine as it leaves ichor, before anything happens to it.
struct VmRequest {
  int process{0};
  VmDeed deed{VmDeed::create};
  VmPlace place;
};

/// What happens to one call to the provider. Faults change it.
struct ProviderPassage {
  std::optional<VmRequest> change;      // empty: a read
  Duration delay{};                     // added to each direction
  bool lose_request{false};             // it never arrives, and ichor waits for its limit
  bool lose_reply{false};               // it is carried out, and the reply never arrives
  std::optional<ProviderError> answer;  // the provider answers this instead
};

}  // namespace ichor::sim
