#pragma once

#include <optional>
#include <string>

#include "async/context.h"
#include "async/task.h"
#include "model/outcome.h"
#include "phase/ledger.h"
#include "port/kube_client.h"

namespace ichor {

/// The Node object of a machine: which object it is, and which machine its kubelet reported.
struct NodeObject {
  std::string uid;
  std::string machine_uuid;  // lower case; empty: the kubelet did not say
};

/// Nothing if there is none.
Task<CallResult<std::optional<NodeObject>>> see_node_object(Context context, KubeClient& kube,
                                                            const NodeName& node);

/// Deletes exactly the object that was seen, by the protocol of engine/act.h. One that is gone by
/// now is deleted.
Task<Outcome> delete_node_object(Context context, Ledger& ledger, KubeClient& kube,
                                 const NodeName& node, const NodeObject& seen);

}  // namespace ichor
