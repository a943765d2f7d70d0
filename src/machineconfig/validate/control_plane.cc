#include <fmt/format.h>

#include "machineconfig/validate/address.h"
#include "machineconfig/validate/kubernetes.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

void check_cni(const Subject& subject, Report& report) {
  const View cni = subject.cluster()["network"]["cni"];
  if (!cni) return;
  const std::string& name = cni["name"].text();
  const View urls = cni["urls"];
  const View flannel = cni["flannel"];
  if (name != "flannel" && name != "none" && name != "custom") {
    report.error(cni["name"], fmt::format("the CNI `{}` is not known", name),
                 "write flannel, custom or none");
    return;
  }
  if (name != "custom" && urls.count() > 0) {
    report.error(urls, fmt::format("the CNI {} takes no urls", name), "write `name: custom`");
  }
  if (name != "flannel" && flannel["extraArgs"].count() > 0) {
    report.error(flannel["extraArgs"],
                 fmt::format("the CNI {} takes no arguments of flannel", name), "remove them");
  }
  const View policies = flannel["kubeNetworkPoliciesEnabled"];
  if (name != "flannel" && policies.flag() && subject.minor >= 13) {
    report.error(policies, fmt::format("the CNI {} has no network policies of flannel", name),
                 "remove it");
  }
  if (name != "custom") return;
  if (urls.count() == 0) {
    report.warning(cni, "the CNI custom has no urls", "add urls, or write `name: none`");
  }
  for (const View& url : urls.items()) {
    if (const std::string trouble = endpoint_trouble(url.text()); !trouble.empty()) {
      report.error(url, fmt::format("the manifest `{}` {}", url.text(), trouble),
                   "write https://HOST/PATH");
    }
  }
}

void check_authorization(const View& api_server, Report& report) {
  const View authorizers = api_server["authorizationConfig"];
  if (!authorizers) return;
  for (const auto& [key, value] : api_server["extraArgs"].entries()) {
    if (key != "authorization-mode" && !key.starts_with("authorization-webhook-")) continue;
    report.error(value, fmt::format("`{}` cannot be used together with authorizationConfig", key),
                 "remove one of them");
  }
  for (const View& authorizer : authorizers.items()) {
    const std::string& type = authorizer["type"].text();
    if (type != "Node" && type != "RBAC" && type != "Webhook") {
      report.error(authorizer, fmt::format("an authorizer cannot be of type `{}`", type),
                   "write Node, RBAC or Webhook");
    }
    if (authorizer["name"].empty()) {
      report.error(authorizer, "an authorizer has no name", "add `name`");
    }
  }
}

}  // namespace

void check_control_plane(const Subject& subject, Report& report) {
  const View cluster = subject.cluster();
  if (subject.type() == MachineType::control_plane) check_cni(subject, report);
  // Without an endpoint Talos looks no further into the cluster.
  if (cluster["controlPlane"]["endpoint"].empty() && needs_endpoint(subject)) return;
  check_authorization(cluster["apiServer"], report);
  check_resources(cluster["apiServer"], "the API server", report);
  check_resources(cluster["controllerManager"], "the controller manager", report);
  check_resources(cluster["scheduler"], "the scheduler", report);
}

}  // namespace ichor::validate
