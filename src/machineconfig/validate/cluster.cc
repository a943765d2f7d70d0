#include <fmt/format.h>
#include <set>

#include "machineconfig/go_url.h"
#include "machineconfig/rules.h"
#include "machineconfig/validate/address.h"
#include "machineconfig/validate/names.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

void check_cloud_provider(const View& provider, Report& report) {
  const View manifests = provider["manifests"];
  if (!provider["enabled"].flag()) {
    if (manifests.count() > 0) {
      report.error(manifests, "externalCloudProvider has manifests but is not enabled",
                   "write `enabled: true`, or remove the manifests");
    }
    return;
  }
  for (const View& manifest : manifests.items()) {
    if (const std::string trouble = endpoint_trouble(manifest.text()); !trouble.empty()) {
      report.error(manifest, fmt::format("the manifest `{}` {}", manifest.text(), trouble),
                   "write https://HOST/PATH");
    }
  }
}

void check_etcd(const Subject& subject, Report& report) {
  const View etcd = subject.cluster()["etcd"];
  if (!etcd) return;
  if (subject.type() != MachineType::control_plane) {
    report.error(etcd, "cluster.etcd is for control planes only", "remove it");
    return;
  }
  if (!etcd["ca"]) {
    report.error(etcd, "cluster.etcd.ca is missing", "take it from the secrets bundle");
  }
  const View old = etcd["subnet"];
  const View advertised = etcd["advertisedSubnets"];
  if (!old.empty() && advertised.count() > 0) {
    report.error(old, "etcd cannot have both subnet and advertisedSubnets",
                 "keep advertisedSubnets");
  }
  std::vector<View> subnets = advertised.items();
  if (subnets.empty() && !old.empty()) subnets.push_back(old);
  for (const View& subnet : etcd["listenSubnets"].items()) subnets.push_back(subnet);
  for (const View& subnet : subnets) {
    if (is_subnet_filter(subnet.text())) continue;
    report.error(subnet, fmt::format("`{}` is not a network for etcd", subnet.text()),
                 "write 10.0.0.0/8, or !10.0.0.0/8 to leave one out");
  }
}

void check_manifests(const View& cluster, Report& report) {
  std::set<std::string> names;
  for (const View& manifest : cluster["inlineManifests"].items()) {
    const View name = manifest["name"];
    if (name.text().find_first_not_of(" \t\r\n\v\f") == std::string::npos) {
      report.error(manifest, "an inline manifest has no name", "add `name`");
    }
    if (!names.insert(name.text()).second) {
      report.error(name, fmt::format("the inline manifest `{}` appears twice", name.text()),
                   "give it another name");
    }
  }
}

void check_discovery(const View& cluster, Report& report) {
  const View discovery = cluster["discovery"];
  const View service = discovery["registries"]["service"];
  if (!discovery["enabled"].flag() || service["disabled"].flag()) return;
  const View endpoint = service["endpoint"];
  if (!endpoint.empty()) {
    const auto url = parse_go_url(endpoint.text());
    const bool whole = url && (!url->scheme.empty() || endpoint.text().starts_with('/'));
    if (!whole) {
      report.error(endpoint, fmt::format("`{}` is no URL", endpoint.text()), "write https://HOST/");
    } else if (!url->path.empty() && url->path != "/") {
      report.error(endpoint, "the discovery service's URL must not have a path",
                   "remove what follows the host");
    }
  }
  for (const char* const key : {"id", "secret"}) {
    if (!cluster[key].empty()) continue;
    report.error(discovery, fmt::format("the discovery service needs cluster.{}", key),
                 "take it from the secrets bundle");
  }
}

}  // namespace

bool needs_endpoint(const Subject& subject) {
  return !rules_of(subject.minor).complete_without_v1alpha1 || subject.cluster()["controlPlane"];
}

void check_cluster(const Subject& subject, Report& report) {
  const View cluster = subject.cluster();
  if (!cluster) {
    report.error(subject.root, "`cluster` is missing", "add the cluster's part of the config");
    return;
  }
  const View endpoint = cluster["controlPlane"]["endpoint"];
  if (endpoint.empty() && needs_endpoint(subject)) {
    report.error(cluster, "cluster.controlPlane.endpoint is missing",
                 "write https://HOST:6443, or remove cluster.controlPlane and use a "
                 "KubeClusterConfig document from Talos 1.14 on");
    return;
  }
  if (endpoint.empty() && cluster["serviceAccount"]) {
    report.error(cluster["serviceAccount"],
                 "cluster.serviceAccount needs cluster.controlPlane.endpoint beside it",
                 "move it into a KubeServiceAccountConfig document");
  }
  if (endpoint.empty()) {
    // A KubeClusterConfig document says it.
  } else if (const std::string trouble = endpoint_trouble(endpoint.text()); !trouble.empty()) {
    report.error(endpoint, fmt::format("the endpoint of the control plane {}", trouble),
                 "write https://HOST:6443");
  }
  const View domain = cluster["network"]["dnsDomain"];
  if (!domain.empty() && !is_dns_name(domain.text())) {
    report.error(domain, fmt::format("`{}` is not a DNS name", domain.text()),
                 "write it as cluster.local");
  }
  if (cluster["externalCloudProvider"]) {
    check_cloud_provider(cluster["externalCloudProvider"], report);
  }
  check_etcd(subject, report);
  const View key = cluster["ca"]["key"];
  if (subject.type() != MachineType::control_plane && !key.empty()) {
    report.error(key, "only a control plane may have cluster.ca.key", "remove the key");
  }
  check_manifests(cluster, report);
  check_discovery(cluster, report);
}

}  // namespace ichor::validate
