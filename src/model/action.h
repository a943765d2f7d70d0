#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "model/call.h"
#include "model/ids.h"

namespace ichor {

/// What a Reset takes away.
struct ResetRequest {
  bool graceful{true};                  // leaves etcd and drains first
  bool reboot{true};                    // else the machine is powered off
  std::vector<std::string> partitions;  // labels to wipe; empty: the whole system disk
  std::vector<std::string> user_disks;  // dev paths that are wiped as well
};

/// One mutation, decided but not yet done: what plan prints and act executes.
struct Action {
  Call call{Call::apply_configuration};
  NodeName node;
  Digest payload;   // of the config to send; empty for Bootstrap
  std::string why;  // "in maintenance mode, no config yet"
  /// What it was decided on may have changed after this moment: then it is not sent any more.
  MonoTime sound_until{kNever};
  ResetRequest reset{};   // Reset only
  bool no_reboot{false};  // ApplyConfiguration only: refuse what a reboot would be needed for
};

}  // namespace ichor
