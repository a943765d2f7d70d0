#pragma once

#include <string>
#include <vector>

#include "port/kube_client.h"

namespace ichor {

/// How an object would change, one line for each value: "spec.replicas: 1 → 2". What only the
/// server writes (status, versions, times, managers) does not count. Values of Secrets are never
/// shown, only that they differ.
std::vector<std::string> difference(const KubeObject& live, const KubeObject& wanted);

}  // namespace ichor
