#pragma once

#include <string>
#include <vector>

#include "model/kube_object.h"

namespace ichor {

/// A release of helm as it must be.
struct WantedRelease {
  std::string name;
  std::string name_space{"default"};
  std::string chart;    // as helm gets it
  std::string version;  // empty: whatever the chart says
  KubeObject values = KubeObject::object();
  std::vector<std::string> needs;  // names of releases
  bool plain_http{false};          // of its registry
  std::string helmfile;            // the file that installs it; empty: helm does
};

/// "Release/NAMESPACE/NAME".
inline std::string key_of(const WantedRelease& release) {
  return "Release/" + release.name_space + "/" + release.name;
}

}  // namespace ichor
