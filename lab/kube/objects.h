#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/time.h"
#include "lab/kube/model.h"

namespace ichor::lab {

/// An object of the Kubernetes API without the metadata that the store adds (uid, resourceVersion,
/// creationTimestamp).
struct KubeObject {
  std::string plural;
  std::string space;  // empty for those without a namespace
  std::string name;
  nlohmann::json body;
};

/// All objects of a cluster.
std::vector<KubeObject> objects_of(const KubeView& view);

/// "2026-11-15T19:46:38Z".
std::string kube_time(WallTime time);

}  // namespace ichor::lab
