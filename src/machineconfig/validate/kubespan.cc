#include <fmt/format.h>

#include "machineconfig/rules.h"
#include "machineconfig/validate/address.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

void check_identity(const Subject& subject, Report& report) {
  const View kubespan = subject.machine()["network"]["kubespan"];
  const View cluster = subject.cluster();
  if (!cluster["discovery"]["enabled"].flag()) {
    report.error(kubespan, "KubeSpan needs cluster.discovery",
                 "write `enabled: true` in cluster.discovery");
  }
  for (const char* const key : {"id", "secret"}) {
    if (!cluster[key].empty()) continue;
    report.error(kubespan, fmt::format("KubeSpan needs cluster.{}", key),
                 "take it from the secrets bundle");
  }
}

}  // namespace

void check_kubespan(const Subject& subject, Report& report) {
  constexpr int mtu_min = 1280;
  const View kubespan = subject.machine()["network"]["kubespan"];
  if (!kubespan["enabled"].flag()) return;
  const View mtu = kubespan["mtu"];
  if (mtu.number() != 0 && mtu.number() < mtu_min) {
    report.error(mtu, fmt::format("KubeSpan needs an MTU of at least {}", mtu_min),
                 "raise it, or remove it");
  }
  if (!rules_of(subject.minor).complete_without_v1alpha1) check_identity(subject, report);
  for (const View& filter : kubespan["filters"]["endpoints"].items()) {
    if (is_subnet_filter(filter.text())) continue;
    report.error(filter,
                 fmt::format("`{}` is not a network for KubeSpan's endpoints", filter.text()),
                 "write 10.0.0.0/8, or !10.0.0.0/8 to leave one out");
  }
  for (const View& network : kubespan["filters"]["excludeAdvertisedNetworks"].items()) {
    if (is_cidr(network.text())) continue;
    report.error(network, fmt::format("`{}` is not a network", network.text()), "write 10.0.0.0/8");
  }
}

}  // namespace ichor::validate
