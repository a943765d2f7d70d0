#pragma once

#include <string>
#include <vector>

namespace ichor {

/// What a Reset takes away.
struct ResetRequest {
  bool graceful{true};                  // leaves etcd and drains first
  bool reboot{true};                    // else the machine is powered off
  std::vector<std::string> partitions;  // labels to wipe; empty: the whole system disk
  std::vector<std::string> user_disks;  // dev paths that are wiped as well
};

}  // namespace ichor
