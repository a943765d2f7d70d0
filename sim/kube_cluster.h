#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "async/clock.h"
#include "async/signal.h"
#include "port/kube_client.h"

namespace ichor::sim {

/// A Kubernetes API without a network: objects with versions, watches that carry every change, and
/// so much of the controllers that namespaces become Active and CRDs Established. Apply merges what
/// is sent into what is there; ownership of fields is only what a test says in `conflicts`.
class KubeCluster final : public KubeClient {
 public:
  explicit KubeCluster(Clock& clock);
  ~KubeCluster() override;

  // What the world does.

  void serve(const KubeKind& kind, const std::string& plural, bool namespaced);
  void stop_serving(const KubeKind& kind);
  /// A controller writes an object: made, or replaced.
  void put(KubeObject object);
  void erase(const KubeRef& ref);
  const KubeObject* find(const KubeRef& ref) const;
  std::string version_of(const KubeRef& ref) const;

  // Faults.

  /// Asked before every call; an error is the call's answer.
  std::function<std::optional<CallError>(Call, const KubeRef&)> trouble;
  std::map<std::string, std::string> conflicts;  // by to_text(ref): the answer to apply
  std::set<std::string> never_established;       // names of CRDs
  /// All watches end; with `forget` they cannot be resumed.
  void break_watches(bool forget);

  // What was asked of it.

  int applies{0}, dry_runs{0}, removals{0}, approvals{0}, lists{0}, watches{0};

  Task<CallResult<void>> ready(Context context) override;
  Task<CallResult<KubeResource>> find_kind(Context context, KubeKind kind) override;
  Task<CallResult<KubeObject>> get(Context context, KubeRef ref) override;
  Task<CallResult<KubeList>> list(Context context, KubeQuery query) override;
  Task<CallResult<std::unique_ptr<KubeStream>>> watch(Context context, KubeQuery query,
                                                      std::string resource_version) override;
  Task<CallResult<KubeObject>> apply(Context context, const KubeObject& object,
                                     KubeApply options) override;
  Task<CallResult<void>> remove(Context context, KubeRef ref, std::string uid) override;
  Task<CallResult<void>> approve_csr(Context context, KubeObject csr, std::string reason) override;

 private:
  class Stream;
  struct Channel;
  /// Objects are told apart without their version.
  using Key = std::string;
  static Key key_of(const KubeRef& ref);

  std::optional<CallError> asked(Call call, const KubeRef& ref);
  const KubeResource* served(const KubeKind& kind) const;
  void store(KubeObject object);
  void tell(KubeEvent::Kind kind, const KubeObject& object);
  void live(const KubeObject& object);

  Clock& clock_;
  std::vector<KubeResource> resources_;
  std::map<Key, KubeObject> objects_;
  std::vector<std::weak_ptr<Channel>> channels_;
  std::uint64_t version_{100};
  std::uint64_t oldest_{0};  // a watch from before it is refused
  std::uint64_t uid_{0};
  std::vector<Clock::CallId> calls_;
};

}  // namespace ichor::sim
