#pragma once

#include <memory>
#include <string>

#include "lab/net/gate.h"
#include "lab/proxmox/access.h"
#include "lab/proxmox/cluster.h"
#include "model/cluster_profile.h"

namespace ichor::lab {

/// The Proxmox API of a lab, over HTTPS at an address of its own, under an authority of its own.
class ProxmoxService {
 public:
  /// Finds the cluster in the state folder, or makes an empty one with a fresh token.
  static Result<std::unique_ptr<ProxmoxService>> open(Site& site, Store& store,
                                                      const ClusterProfile& profile,
                                                      const ProviderPlan& plan);
  ProxmoxService(const ProxmoxService&) = delete;
  ProxmoxService& operator=(const ProxmoxService&) = delete;

  PveCluster& cluster() { return *cluster_; }
  Result<std::string> inject(const Injection& injection) { return cluster_->inject(injection); }

 private:
  explicit ProxmoxService(Site& site) : site_(site) {}
  Result<void> listen(const std::string& address);
  /// Certificate and reachability as the faults have them.
  Result<void> settle_port();

  Site& site_;
  std::string host_;  // that the profile names
  std::shared_ptr<PveCluster> cluster_;
  std::unique_ptr<Gate> gate_;
};

/// The addresses that machines of a profile's Proxmox get by DHCP.
std::vector<std::string> pool_of(const ClusterProfile& profile);

}  // namespace ichor::lab
