#pragma once

#include <memory>

#include "model/kubernetes_plan.h"
#include "profile/mapping_reader.h"

namespace ichor {

/// Reads the sections `phases` and `gates` of a profile's root; null if it has neither.
std::shared_ptr<const KubernetesPlan> read_phases(MappingReader& root);

}  // namespace ichor
