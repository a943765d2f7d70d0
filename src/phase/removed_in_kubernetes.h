#pragma once

#include <span>
#include <string_view>

#include "machineconfig/kubernetes_images.h"

namespace ichor {

/// What a minor release of Kubernetes does not have any more, by the deprecation guide and the
/// change logs of Kubernetes up to 1.36.
struct RemovedApi {
  int minor;
  std::string_view group, version, kind;
  bool whole_kind;  // else another version of the kind is served
};
struct RemovedFlag {
  int minor;
  KubeComponent component;
  std::string_view flag;
};
struct RemovedGate {
  int minor;
  std::string_view gate;
};

std::span<const RemovedApi> removed_apis();
std::span<const RemovedFlag> removed_flags();
/// Of every component: one that is given a gate that it does not know does not start.
std::span<const RemovedGate> removed_gates();

}  // namespace ichor
