#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/call.h"
#include "model/ids.h"
#include "model/node.h"
#include "sim/node/spec.h"

namespace ichor::sim {

/// What a node takes out of a machine config.
struct ConfigFacts {
  bool complete{false};  // a v1alpha1 document is present; without it the node stays in maintenance
  Role role{Role::worker};
  NodeName hostname;         // empty: Talos makes one of the machine's identity
  IpAddress static_address;  // empty: keeps DHCP
  std::string install_disk;  // device path; a selector is already resolved against the node's disks
  /// A UnattendedInstallConfig is there: from 1.14 on the node installs itself while it boots.
  bool unattended{false};
  bool reboots_after_install{true};
  bool etcd_volume{false};  // etcd's data gets a partition of its own (1.14)
  std::string cluster_name;
  std::string endpoint;
  Digest os_ca;    // of machine.ca.crt
  Digest secrets;  // of cluster.id, secret and token: nodes with equal ones belong together
  bool cni_none{false};
  Digest canonical;  // of the parsed documents
  Digest
      needs_reboot;  // of the fields that a running node cannot change; equal: no reboot is needed
  std::vector<std::string> warnings;
};

/// Why a config is not taken: code and Talos' text.
struct ConfigVerdict {
  Code code{Code::invalid_argument};
  std::string text;
};

using ConfigJudgement = tl::expected<ConfigFacts, ConfigVerdict>;

/// Reads configs for nodes and says what Talos says about wrong ones (talos-api.md 3.4, error table
/// of real-talos/README.md). Remembers by content, because a campaign applies the same few configs
/// millions of times.
class ConfigJudge {
 public:
  virtual ~ConfigJudge() = default;
  /// The reference stays valid as long as the judge lives.
  virtual const ConfigJudgement& judge(const std::string& config, const NodeSpec& node,
                                       bool in_maintenance) = 0;
};

}  // namespace ichor::sim
