#pragma once

#include <optional>
#include <string>

#include "cluster/profile_input.h"
#include "machineconfig/ready_configs.h"
#include "model/or_end.h"
#include "port/local_ports.h"

namespace ichor {

/// The ready-made configs that the operator or the profile (`talos.ready_configs`) names, decrypted
/// if they are SOPS files; nothing if neither does.
OrEnd<std::optional<ReadyConfigs>> find_ready_configs(const ProfileInput& input,
                                                      const std::string& named, LocalPorts& local);

}  // namespace ichor
