#pragma once

#include <string>

#include "base/result.h"
#include "base/secret.h"

namespace ichor::lab {

/// How the Proxmox API of a lab is reached. Written by the lab, mode 0600.
struct ProxmoxAccess {
  std::string url;  // https://127.x.y.z:8006
  std::string ca_pem;
  SecretString token;
  std::string pool;  // of the addresses that its machines get: "10.0.0.200-10.0.0.231"
};

inline constexpr const char* kAccessFile = "proxmox-access.json";

std::string to_json(const ProxmoxAccess& access);
/// Errc::invalid if the lab in this folder has no such API.
Result<ProxmoxAccess> read_proxmox_access(const std::string& state_dir);

}  // namespace ichor::lab
