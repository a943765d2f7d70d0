#pragma once

#include <functional>
#include <string>

#include "async/context.h"
#include "async/task.h"
#include "model/outcome.h"
#include "phase/kubernetes/kube_world.h"
#include "port/kube_client.h"
#include "port/process.h"

namespace ichor {

/// The one place in which the Kubernetes phases change something. The intent is durable before the
/// request leaves, the outcome before anybody learns of it; both name the object and nothing of
/// what is in it.
class KubeActor {
 public:
  explicit KubeActor(KubeWorld& world) : world_(world) {}

  /// Whether a change of it started, in this run or an earlier one, and its end is not known.
  bool was_interrupted(const std::string& key) const { return world_.ledger.facts().is_open(key); }

  Task<Outcome> apply(Context context, const KubeObject& object, bool force);
  Task<Outcome> approve(Context context, const KubeObject& csr, const std::string& reason);
  Task<Outcome> remove(Context context, const KubeRef& ref, const std::string& uid);
  /// Whether a program that ended badly has certainly left no revision that it did not end.
  using Settled = std::function<Task<bool>()>;
  /// Runs a program that installs a release. `key` is "Release/NAMESPACE/NAME".
  Task<Outcome> install(Context context, const std::string& key, ProcessCall call, Settled settled);

  int mutations() const { return mutations_; }

 private:
  using Send = std::function<Task<Outcome>()>;

  /// Intent, call, outcome. A run that was called off sends nothing more.
  Task<Outcome> carry_out(Context context, Call call, std::string key, Send send);
  Task<Outcome> send_apply(Context context, const KubeObject& object, bool force);
  Task<Outcome> send_approval(Context context, const KubeObject& csr, const std::string& reason);
  Task<Outcome> send_removal(Context context, const KubeRef& ref, const std::string& uid);
  Task<Outcome> send_install(Context context, ProcessCall call, Settled settled);

  KubeWorld& world_;
  int mutations_{0};
};

}  // namespace ichor
