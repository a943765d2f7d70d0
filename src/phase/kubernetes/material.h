#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/secret.h"
#include "model/kubernetes_plan.h"
#include "model/wanted_release.h"
#include "phase/kubernetes/chart_source.h"
#include "port/kube_client.h"

namespace ichor {

inline ChartSource source_of(const WantedRelease& release) {
  return {release.chart, release.version, release.plain_http};
}
inline ChartSource source_of(const KubernetesPlan::Chart& chart) {
  return {chart.chart, chart.version, chart.plain_http};
}

/// Everything that the phases need besides the cluster: the plan with paths from the root of the
/// file system, and what was read and decrypted for it. Holds secrets.
struct KubernetesMaterial {
  KubernetesPlan plan;
  std::vector<KubeObject> namespaces;
  std::vector<KubeObject> secrets;  // whole; those of 1Password are still in the plan
  SecretString connect_token;
  std::vector<KubeObject> crds;  // of files
  std::vector<KubernetesPlan::Chart> crd_charts;
  std::map<std::string, KubeObject> chart_values;  // of crd_charts, by chart
  std::vector<WantedRelease> releases;             // of the profile's own list
  std::map<std::string, std::string> environment;  // that other programs may see
  SecretString kubeconfig;
  FetchedCharts fetched;  // before the phases began

  /// The sealed-secrets key pair, for phase 2. Those of earlier runs are among them.
  std::vector<KubeObject> sealed_keys;
  /// A sealed-secrets key pair that was just made. It is kept before it is sent, and only for a
  /// cluster that has none: a second key would make nothing of what was sealed with the first.
  std::optional<KubeRef> fresh_key;
  std::string fresh_key_file;  // in the state folder
  SecretString fresh_key_sealed;
};

}  // namespace ichor
