#pragma once

#include "model/node.h"

namespace ichor::sim {

/// Whether what ichor knows about a machine is true of that hardware and enough to tell it
/// from others. Stricter than Identity::same_machine, and on purpose not made of it.
bool describes(const Identity& told, const Identity& hardware);

}  // namespace ichor::sim
