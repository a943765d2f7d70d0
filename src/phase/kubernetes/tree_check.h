#pragma once

#include <string>

#include "async/context.h"
#include "async/task.h"
#include "phase/kubernetes/tools.h"

namespace ichor {

/// `kustomize build` of the GitOps tree, and kubeconform over what it gives. The fault of it in
/// words; empty: it is clean.
Task<std::string> check_tree(Context context, ToolPlace place, std::string kubernetes_version);

}  // namespace ichor
