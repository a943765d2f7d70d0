#pragma once

#include <string>
#include <vector>

#include "lab/site.h"

namespace ichor::lab {

/// The cluster as a health check sees it: whom it expects, by address.
struct HealthScope {
  Site& site;
  Machine& machine;  // that runs the check
  std::vector<std::string> control_planes;
  std::vector<std::string> workers;

  std::vector<std::string> nodes() const;
};

/// One of the sixteen conditions of `talosctl health`.
struct HealthCheck {
  const char* name;  // "etcd to be healthy"
  Duration every;
  Duration limit;
  /// Empty: holds; kSkipped: does not apply; else what is wrong, in Talos' words.
  std::string (*judge)(const HealthScope& scope);
};
inline constexpr const char* kSkipped = "SKIP";

/// In the order in which they are waited for.
const std::vector<HealthCheck>& health_checks();

/// `["10.5.0.2" "10.5.0.3"]`: as Go prints a list of strings with quotes.
std::string quoted_list(const std::vector<std::string>& texts);

}  // namespace ichor::lab
