#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "lab/kube/http_connection.h"
#include "lab/net/gate.h"
#include "lab/site.h"

namespace ichor::lab {

/// The Kubernetes API of every control plane, at its own address and at the cluster's shared one.
class KubeService {
 public:
  KubeService(Site& site, std::uint16_t port);
  ~KubeService();
  KubeService(const KubeService&) = delete;
  KubeService& operator=(const KubeService&) = delete;

  /// Opens and closes ports as API servers come and go, and tells watchers what changed.
  void refresh();
  void apply_faults(Machine& machine);
  void cut(Machine& machine);
  /// The loopback URL of an API server that answers; empty without one.
  std::string url() const;

 private:
  struct Port {
    Machine* machine{nullptr};  // that serves it
    std::string identity;       // changes when the certificate must
    RealAddresses::Lease lease{};
    std::unique_ptr<Gate> gate;
  };
  std::map<std::string, Machine*> wanted();
  void open(const std::string& address, Port& port, Machine& machine);
  Result<std::shared_ptr<const TlsContext>> make_context(const std::string& address,
                                                         Machine& machine);
  std::shared_ptr<KubeCluster> cluster_of(Machine& machine);
  /// The pods of the network run on these nodes of a cluster, and on no other.
  void give_network(const std::string& cluster, const std::vector<std::string>& nodes);

  Site& site_;
  std::uint16_t port_;
  std::map<std::string, Port> ports_;                             // by loopback address
  std::map<std::string, std::shared_ptr<KubeCluster>> clusters_;  // by cluster id
};

}  // namespace ichor::lab
