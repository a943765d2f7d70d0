#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/node/fabric.h"
#include "sim/node/node.h"

namespace ichor::lab {

/// A machine as it is written down: what it is made of and what is on its disks.
struct MachineRecord {
  sim::NodeSpec spec;
  std::string link;
  sim::NodeDisk disk;
  bool powered{true};
};

std::string to_json(const MachineRecord& record);
/// Errc::invalid for a text that to_json() did not write.
Result<MachineRecord> machine_from_json(const std::string& text);

std::string to_json(const std::vector<const sim::EtcdCluster*>& clusters);
Result<std::vector<sim::EtcdCluster>> clusters_from_json(const std::string& text);

}  // namespace ichor::lab
