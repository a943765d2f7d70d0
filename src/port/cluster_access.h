#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "model/ids.h"
#include "port/kube_api.h"
#include "port/kube_client.h"
#include "port/page_server.h"
#include "port/provider.h"
#include "port/scout.h"
#include "port/talos_api.h"
#include "port/tcp_probe.h"
#include "port/web_api.h"
#include "port/web_client.h"

namespace ichor {

/// What proves us to a cluster and the cluster to us, and how its addresses are dialled. Without a
/// CA only machines in maintenance mode can be reached.
struct Access {
  std::string ca_pem;
  std::string client_cert_pem;
  SecretString client_key_pem;
  /// From an address of the profile to the one that is dialled; empty: they are the same.
  std::function<IpAddress(const IpAddress&)> dial;
  /// Control planes through which all nodes are reached; empty: each is dialled itself.
  std::vector<IpAddress> endpoints;
};

/// The ways to one cluster.
class ClusterApis {
 public:
  virtual ~ClusterApis() = default;
  virtual TalosApi& talos() = 0;
  virtual KubeApi& kube() = 0;
  virtual Scout& scout() = 0;
};

/// Everything that is reached over the network.
class ClusterAccess {
 public:
  virtual ~ClusterAccess() = default;

  virtual Result<std::unique_ptr<ClusterApis>> reach(Access access) = 0;
  /// The Kubernetes API of a kubeconfig; `dial` as in Access.
  virtual Result<std::unique_ptr<KubeClient>> open_kube(
      const SecretString& kubeconfig, std::function<IpAddress(const IpAddress&)> dial) = 0;
  /// A provider of machines at this address. Errc::invalid for an address or a CA that is none.
  virtual Result<std::unique_ptr<Provider>> open_provider(WebServer server) = 0;
  virtual WebClient& web() = 0;
  /// Whether a machine answers at an address. Blocks for `limit` at the most.
  virtual PortAnswer probe(const IpAddress& address, int port, Duration limit) = 0;
  /// Hands a schematic to the image factory at `url`; the ID that the factory gave it.
  virtual Result<std::string> upload_schematic(const std::string& url,
                                               const std::string& schematic) = 0;
  /// Serves this computer's own users, and no other computer: Errc::invalid for an address that is
  /// not loopback.
  virtual Result<std::unique_ptr<PageServer>> serve_pages(const PagePlace& place,
                                                          PageHandler handler) = 0;
};

}  // namespace ichor
