#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/ids.h"
#include "model/machine_spec.h"

namespace ichor::lab {

/// A virtual machine as Proxmox keeps it: a file of keys and values, and a lock.
struct PveVm {
  VmId id{0};
  std::string host;
  std::map<std::string, std::string> config;
  std::string lock;
  std::string machine;  // its name in the lab; empty: it is not made yet
};

struct PveTask {
  std::string upid;
  std::string host;
  std::string type;  // "qmcreate"
  VmId vm{0};
  std::int64_t started_s{0};
  bool running{true};
  std::string result;  // "OK", or what went wrong
  std::vector<std::string> log;
  std::map<std::string, std::string> wanted;  // of a creation: the config
};

/// All that a Proxmox of a lab knows. Durable like the machines' disks.
struct PveState {
  std::string ca_cert, ca_key;
  std::string token;  // USER@REALM!TOKENID=UUID
  std::map<VmId, PveVm> vms;
  std::vector<PveTask> tasks;                 // the oldest first
  std::map<std::string, std::string> leases;  // by MAC
  std::uint64_t counter{0};

  PveTask* find_task(const std::string& upid);
};

std::string to_json(const PveState& state);
/// Errc::invalid for a text that to_json() did not write.
Result<PveState> pve_from_json(const std::string& text);

inline constexpr const char* kPveFile = "proxmox.json";

}  // namespace ichor::lab
