#pragma once

#include <functional>

#include "async/clock.h"
#include "port/artifacts.h"
#include "port/events.h"
#include "port/journal.h"
#include "port/kube_api.h"
#include "port/random.h"
#include "port/talos_api.h"
#include "wait/turnstile.h"

namespace ichor {

class Finder;          // engine/finder.h
class KubernetesPart;  // engine/kubernetes_part.h
class NodeDrain;       // port/node_drain.h

/// Everything outside, handed in: real, lab or simulated. The engine owns none of it.
struct World {
  Clock& clock;
  Random& random;
  TalosApi& talos;
  KubeApi& kube;
  Journal& journal;
  Artifacts& artifacts;
  EventSink& events;
  /// How many connections are opened at the same time; null: as many as are wanted.
  Turnstile* openings{nullptr};
  /// Checks a kubeconfig that a node returned and writes it again; null: it is taken as it is,
  /// which only the simulator does, whose nodes return none that could be parsed.
  std::function<Result<SecretString>(const SecretString&)> own_kubeconfig{};
  /// What the Kubernetes phases work with; null: the steps have none.
  KubernetesPart* kubernetes{nullptr};
  /// Looks for machines that are not at their addresses; null: they are waited for there.
  Finder* finder{nullptr};
  /// What a restore of etcd uploads; null: nothing is restored.
  const ByteSource* snapshot{nullptr};
  /// Nodes and pods of the Kubernetes API; null: nothing is drained.
  NodeDrain* drain{nullptr};
  /// Takes a snapshot of the member behind a session, proves it, and keeps it: its path. Null: the
  /// steps take none.
  std::function<Task<CallResult<std::string>>(Context, TalosSession&, const NodeName&)>
      keep_snapshot{};
};

}  // namespace ichor
