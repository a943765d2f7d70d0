#pragma once

#include <string>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "model/kubernetes_plan.h"
#include "model/unmet.h"
#include "phase/kubernetes/gate.h"

namespace ichor {

/// How one layer of the cluster is, by one look.
struct Layer {
  std::string name;   // "kubernetes", "crds", "cni", "storage", "flux"
  std::string state;  // "ok", "waiting", "absent", "unknown"
  std::string detail;
  std::vector<Unmet> unmet;
};

struct NodeLine {
  std::string name;
  bool ready{false};
  std::string version;  // of its kubelet
  std::string reason;
};

struct Overview {
  std::vector<Layer> layers;
  std::vector<NodeLine> nodes;
};

/// Waits until no layer is waiting any more, or the context ends; then tells how they are. Driven
/// by watches, as gates are.
Task<Overview> wait_for_layers(Context context, GateWorld place, const KubernetesPlan& plan,
                               std::vector<std::string> expected);

/// Looks at the Kubernetes layers once; changes nothing. `expected` are the names of the profile's
/// nodes, or of no node.
Task<Overview> look_at_layers(Context context, GateWorld place, const KubernetesPlan& plan,
                              std::vector<std::string> expected);

}  // namespace ichor
