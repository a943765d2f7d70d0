#pragma once

#include <string_view>

#include "base/result.h"
#include "model/node.h"

namespace ichor {

/// What a generated config looks like for one minor version of Talos, as data. The contract is
/// fixed when a cluster is made, so a config stays the same while Talos moves on.
struct Contract {
  TalosVersion version;
  /// features.rbac, stableHostname and apidCheckExtKeyUsage are written out.
  bool writes_old_features;
  /// apiServer.certSANs has the endpoint's host, apiServer.disablePodSecurityPolicy is written out.
  bool writes_old_api_server;
  /// install.grubUseUKICmdline is true.
  bool grub_uses_uki_cmdline;
  /// Hostname, links, resolvers, time and registries are documents of their own.
  bool network_documents;
  /// machine.network is there even when it is empty.
  bool writes_empty_network;
  /// KubeSpan is a document of its own.
  bool kubespan_document;
  /// Installation, discovery, DNS of the host and all of Kubernetes are documents; `machine` and
  /// `cluster` keep little more than secrets.
  bool typed_documents;
  /// The cluster's id is standard base64; before it had the alphabet of URLs.
  bool standard_cluster_id;
  /// What a profile's cluster gets when it does not say; empty: the profile must say it.
  std::string_view kubernetes_version;
  /// What `gen config` takes by default: that of the last release of this contract, or of
  /// the oldest release that is still known key by key.
  struct Release {
    std::string_view kubernetes_version;
    std::string_view installer_image;
  } release;
};

/// Every minor version from 1.8 to 1.14; the patch number does not matter.
Result<Contract> find_contract(const TalosVersion& version);

/// The minor version of Talos by whose rules its configs are patched.
int patch_minor(const Contract& contract);

/// The last one whose configs say all of Kubernetes in `machine` and `cluster`.
const Contract& last_untyped_contract();

/// The last one that is known. Like talosctl, `gen` takes it for a version that is younger still.
const Contract& newest_contract();

}  // namespace ichor
