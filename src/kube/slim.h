#pragma once

#include "port/kube_client.h"

namespace ichor {

/// Takes out of an object of a list or a watch what is large and what ichor does not read: the
/// managed fields, and the schemas of a CustomResourceDefinition. False if it is no object with
/// metadata; then it is left as it is.
bool slim(KubeObject& object);

}  // namespace ichor
