#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "cluster/workspace.h"
#include "model/finding.h"
#include "model/live_node.h"
#include "port/display.h"

namespace ichor {

/// One certificate of a cluster, and when it stops being valid.
struct CertificateRow {
  enum class Kind { authority, client, node };
  Kind kind{Kind::client};
  std::string name;   // "Talos CA", "talosconfig", "API of cp1"
  std::string where;  // a file, or a node
  std::string issuer;
  WallTime expires;
  NodeName node{};
};

/// The clients of the talosconfig and the kubeconfig in a state folder, and the CA that the
/// talosconfig carries: what can be known without the secrets of the cluster.
std::vector<CertificateRow> state_certificates(const std::string& cluster, ClusterState& state);

/// The certificates that the cluster's secrets and its state folder hold, and those that nodes
/// showed. A talosconfig or kubeconfig outside the state folder is read from `kubeconfig_path`.
std::vector<CertificateRow> list_certificates(const std::string& cluster, const Workspace& space,
                                              const std::vector<LiveNode>& nodes,
                                              const std::string& kubeconfig_path, Files& files);

Listing certificate_listing(const std::vector<CertificateRow>& rows, WallTime now);

/// What expired, or will soon: clients within 30 days, authorities within a year. The certificates
/// of nodes live for a day, and Talos renews them by itself.
std::vector<Finding> certificate_findings(const std::vector<CertificateRow>& rows, WallTime now);

}  // namespace ichor
