#pragma once

#include <string>
#include <vector>

#include "model/node.h"
#include "model/unmet.h"
#include "port/kube_client.h"

namespace ichor {

/// The conditions that gates wait for, as pure functions over what was seen. An empty list means
/// that the condition holds.

/// Every node is Ready and schedulable, and all `expected` ones are there; with none expected, one
/// at least.
std::vector<Unmet> judge_nodes(const SeenObjects& nodes, const std::vector<std::string>& expected);

/// A workload that must be there and ready. `ref` names it where it is missing; `fault` and
/// `missing_fix` say what that means.
struct Workload {
  KubeRef ref;
  std::string fault;
  std::string missing_fix;
};

std::vector<Unmet> judge_workload(const Workload& wanted, const SeenObjects& found,
                                  const SeenObjects& pods);
/// The same of the object itself; null: it is not there.
std::vector<Unmet> judge_workload(const Workload& wanted, const KubeObject* object,
                                  const SeenObjects& pods);

/// A DaemonSet that must have a ready pod on every node that it wants. Without pods the counts of
/// its controller must do; with pods each node that lacks one is named.
std::vector<Unmet> judge_daemon_set(const Workload& wanted, const SeenObjects& found,
                                    const SeenObjects& nodes, const SeenObjects& pods);

/// All of these are ready; without one of them at all, `missing` says what should be there.
std::vector<Unmet> judge_all(const SeenObjects& objects, const std::string& fault,
                             const std::string& missing = {});

/// One object, as the rules of its kind have it.
std::vector<Unmet> judge_one(const KubeObject& object, const std::string& fault);

/// The Talos services of one node: kubelet must be there, all must run and be healthy.
std::vector<Unmet> judge_services(const std::string& node,
                                  const std::vector<ServiceStatus>& services);

/// What an operator can do about an object that is not ready.
std::string fix_for(const KubeRef& ref);

}  // namespace ichor
