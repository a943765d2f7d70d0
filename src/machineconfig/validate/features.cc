#include <fmt/format.h>

#include "machineconfig/rules.h"
#include "machineconfig/validate/kubernetes.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

void check_host_dns(const Subject& subject, Report& report) {
  const View host_dns = subject.machine()["features"]["hostDNS"];
  const bool enabled = host_dns["enabled"].flag();
  const bool forwards = host_dns["forwardKubeDNSToHost"].flag();
  const bool alone = !rules_of(subject.minor).complete_without_v1alpha1;
  if (subject.mode == RuntimeMode::container && alone) {
    if (!enabled) {
      report.error(host_dns, "machine.features.hostDNS must be enabled in a container",
                   "write `enabled: true`");
    }
    if (!forwards) {
      report.error(host_dns,
                   "machine.features.hostDNS must forward the cluster's DNS in a container",
                   "write `forwardKubeDNSToHost: true`");
    }
  }
  if (subject.minor >= 13 && forwards && !enabled) {
    report.error(host_dns["forwardKubeDNSToHost"], "forwardKubeDNSToHost needs an enabled hostDNS",
                 "write `enabled: true`");
  }
}

}  // namespace

void check_features(const Subject& subject, Report& report) {
  check_host_dns(subject, report);
  const View features = subject.machine()["features"];
  const View access = features["kubernetesTalosAPIAccess"];
  if (access["enabled"].flag()) {
    if (subject.type() != MachineType::control_plane) {
      report.error(access, "kubernetesTalosAPIAccess is for control planes only", "remove it");
    }
    check_roles(access["allowedRoles"], report);
  }
  const View sorting = features["nodeAddressSortAlgorithm"];
  std::string algorithm = sorting.text();
  for (char& c : algorithm) c = c == 'V' ? 'v' : c;
  if (!algorithm.empty() && algorithm != "v1" && algorithm != "v2") {
    report.error(sorting, fmt::format("the sort algorithm `{}` is not known", sorting.text()),
                 "write v1 or v2");
  }
}

}  // namespace ichor::validate
