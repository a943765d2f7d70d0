#pragma once

#include "model/wanted_release.h"
#include "phase/kubernetes/gate.h"

namespace ichor {

/// The gate that every release makes for itself: its workloads do what they are for.
Gate release_gate(const WantedRelease& release);

}  // namespace ichor
