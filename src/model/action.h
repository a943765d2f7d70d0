#pragma once

#include <string>

#include "base/time.h"
#include "model/call.h"
#include "model/ids.h"

namespace ichor {

/// One mutation, decided but not yet done: what plan prints and act executes.
struct Action {
  Call call{Call::apply_configuration};
  NodeName node;
  Digest payload;   // of the config to send; empty for Bootstrap
  std::string why;  // "in maintenance mode, no config yet"
  /// What it was decided on may have changed after this moment: then it is not sent any more.
  MonoTime sound_until{kNever};
};

}  // namespace ichor
