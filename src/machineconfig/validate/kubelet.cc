#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "machineconfig/validate/address.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

/// What Talos sets itself.
constexpr std::string_view kProtected[] = {
    "apiVersion",     "authentication", "authorization",         "cgroupRoot", "kind",
    "kubeletCgroups", "port",           "protectKernelDefaults", "resolvConf", "rotateCertificates",
    "systemCgroups",  "staticPodPath",  "seccompDefault",
};

}  // namespace

void check_kubelet(const Subject& subject, Report& report) {
  const View kubelet = subject.machine()["kubelet"];
  for (const View& subnet : kubelet["nodeIP"]["validSubnets"].items()) {
    if (is_subnet_filter(subnet.text())) continue;
    report.error(subnet, fmt::format("`{}` is no network for the node's address", subnet.text()),
                 "write 10.0.0.0/8, or !10.0.0.0/8 to leave one out");
  }
  for (const auto& [key, value] : kubelet["extraConfig"].entries()) {
    if (std::find(std::begin(kProtected), std::end(kProtected), key) == std::end(kProtected)) {
      continue;
    }
    report.error(value, fmt::format("Talos sets `{}` of the kubelet itself", key), "remove it");
  }
}

}  // namespace ichor::validate
