#pragma once

#include <set>
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

  /// What earlier runs began and never told the end of: the keys of open intents.
  Result<void> load();
  bool was_interrupted(const std::string& key) const { return open_.contains(key); }

  Task<Outcome> apply(Context context, const KubeObject& object, bool force);
  Task<Outcome> approve(Context context, const KubeObject& csr, const std::string& reason);
  Task<Outcome> remove(Context context, const KubeRef& ref, const std::string& uid);
  /// Runs a program that installs a release. `key` is "Release/NAMESPACE/NAME".
  Task<Outcome> install(Context context, const std::string& key, ProcessCall call);

  int mutations() const { return mutations_; }

 private:
  Task<Result<std::uint64_t>> intend(Call call, std::string key);
  Task<void> tell(Call call, std::string key, std::uint64_t intent, const Outcome& outcome);
  Task<Result<std::uint64_t>> append(JournalRecord record);

  KubeWorld& world_;
  std::set<std::string> open_;
  int mutations_{0};
};

}  // namespace ichor
