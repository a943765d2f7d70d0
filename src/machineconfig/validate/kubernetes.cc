#include "machineconfig/validate/kubernetes.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <vector>

#include "base/nearest_name.h"
#include "machineconfig/validate/address.h"
#include "machineconfig/validate/names.h"

namespace ichor::validate {

namespace {

/// What Talos sets itself.
constexpr std::string_view kProtected[] = {
    "apiVersion",     "authentication", "authorization",         "cgroupRoot", "kind",
    "kubeletCgroups", "port",           "protectKernelDefaults", "resolvConf", "rotateCertificates",
    "systemCgroups",  "staticPodPath",  "seccompDefault",
};

std::vector<std::string_view> roles_of(int minor) {
  std::vector<std::string_view> roles = {"os:admin", "os:operator", "os:reader", "os:etcd:backup",
                                         "os:impersonator"};
  if (minor >= 13) roles.insert(roles.end(), {"os:image:verifier", "os:meta:writer"});
  return roles;
}

}  // namespace

void check_labels(const View& labels, Report& report) {
  for (const auto& [key, value] : labels.entries()) {
    if (const std::string trouble = qualified_name_trouble(key); !trouble.empty()) {
      report.error(value, fmt::format("the label `{}` {}", key, trouble), "choose another name");
    }
    if (const std::string trouble = label_value_trouble(value.text()); !trouble.empty()) {
      report.error(value, fmt::format("the value of the label `{}` {}", key, trouble),
                   "choose another value");
    }
  }
}

void check_annotations(const View& annotations, Report& report) {
  constexpr std::size_t bytes_max = 256 * 1024;
  std::size_t bytes = 0;
  for (const auto& [key, value] : annotations.entries()) {
    if (const std::string trouble = qualified_name_trouble(key); !trouble.empty()) {
      report.error(value, fmt::format("the annotation `{}` {}", key, trouble),
                   "choose another name");
    }
    if (key == "talos.dev/owned-labels" || key == "talos.dev/owned-annotations" ||
        key == "talos.dev/owned-taints") {
      report.error(value, fmt::format("the annotation `{}` is Talos' own", key), "remove it");
    }
    bytes += key.size() + value.text().size();
  }
  if (bytes > bytes_max) {
    report.error(annotations, fmt::format("the annotations have more than {} bytes", bytes_max),
                 "shorten them");
  }
}

void check_taints(const View& taints, Report& report) {
  for (const auto& [key, value] : taints.entries()) {
    if (const std::string trouble = qualified_name_trouble(key); !trouble.empty()) {
      report.error(value, fmt::format("the taint `{}` {}", key, trouble), "choose another name");
    } else if (const std::string of_value = taint_trouble(value.text()); !of_value.empty()) {
      report.error(value, fmt::format("the taint `{}` {}", key, of_value),
                   "write VALUE:NoSchedule, VALUE:PreferNoSchedule or VALUE:NoExecute");
    }
  }
}

void check_node_subnets(const View& subnets, Report& report) {
  for (const View& subnet : subnets.items()) {
    if (is_subnet_filter(subnet.text())) continue;
    report.error(subnet, fmt::format("`{}` is not a network for the node's address", subnet.text()),
                 "write 10.0.0.0/8, or !10.0.0.0/8 to leave one out");
  }
}

void check_kubelet_settings(const View& settings, Report& report) {
  for (const auto& [key, value] : settings.entries()) {
    if (std::find(std::begin(kProtected), std::end(kProtected), key) == std::end(kProtected)) {
      continue;
    }
    report.error(value, fmt::format("Talos sets `{}` of the kubelet itself", key), "remove it");
  }
}

void check_resources(const View& component, const char* name, Report& report) {
  for (const char* const part : {"requests", "limits"}) {
    for (const auto& [key, value] : component["resources"][part].entries()) {
      if (key == "cpu" || key == "memory") continue;
      report.error(value, fmt::format("{} cannot limit `{}`", name, key), "keep cpu and memory");
    }
  }
}

void check_roles(const View& roles, Report& report) {
  const std::vector<std::string_view> known = roles_of(report.minor());
  for (const View& role : roles.items()) {
    if (std::find(known.begin(), known.end(), role.text()) != known.end()) continue;
    report.error(role, fmt::format("the role `{}` is not known", role.text()),
                 name_hint(role.text(), known));
  }
}

}  // namespace ichor::validate
