#pragma once

#include <optional>

#include "base/secret.h"
#include "base/time.h"
#include "model/node_view.h"

namespace ichor {

/// What runs on a node, beyond what phases look at.
struct LiveNode {
  NodeView view;
  std::optional<SecretString> config;  // its active machine config
  WallTime certificate_expires{};      // of its API; zero: it was not seen
};

}  // namespace ichor
