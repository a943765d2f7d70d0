#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/clock.h"
#include "port/kube_client.h"
#include "sim/kube/fields.h"
#include "sim/kube/watch_channel.h"

namespace ichor::sim {

/// A webhook that is asked before an object is written, and does not behave.
struct Webhook {
  std::string name;
  std::string kind;   // of the objects that it judges; empty: all
  bool hangs{false};  // else it refuses
};

/// How a write is turned away: after this time, with this error.
struct Admission {
  Duration after{};
  CallError error;
};

/// The Kubernetes API server and its etcd: objects with versions, a history that watches are served
/// from until it is compacted, field managers, admission. It answers at once and knows no network,
/// no process and no controller: those are around it.
///
/// The truth is what find() says. What readers get may be older: see serve_stale().
class ApiServer {
 public:
  /// A change of an object; `now` is null where it was deleted, `before` where it is new.
  using Listener =
      std::function<void(const KubeRef& ref, const KubeObject* before, const KubeObject* now)>;

  explicit ApiServer(Clock& clock);
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  void serve(const KubeKind& kind, const std::string& plural, bool namespaced);
  void stop_serving(const KubeKind& kind);
  /// By kind or plural; without a version, or with the one that is served.
  const KubeResource* served(const KubeKind& kind) const;
  /// All that is served, in the order in which it came.
  std::vector<const KubeResource*> all_served() const;
  /// Objects of a kind that are made when a client lists them, besides those that are stored.
  void compute(const KubeKind& kind, std::function<void(std::vector<KubeObject>&)> make);

  // --- controllers and other people; what they change is theirs from then on

  void put(KubeObject object, std::string_view manager);
  /// The status alone, which has no field managers here.
  void put_status(const KubeRef& ref, KubeObject status);
  void erase(const KubeRef& ref);
  const KubeObject* find(const KubeRef& ref) const;
  const FieldOwners* owners_of(const KubeRef& ref) const;
  std::uint64_t version() const { return version_; }
  void listen(Listener listener) { listeners_.push_back(std::move(listener)); }

  // --- what a client may ask

  CallResult<KubeObject> get(const KubeRef& ref) const;
  CallResult<KubeList> list(const KubeQuery& query) const;
  CallResult<std::shared_ptr<WatchChannel>> watch(const KubeQuery& query,
                                                  const std::string& resource_version,
                                                  WatchChannel::Takes takes = {});
  /// The state as it was at `version`; Code::out_of_range if that is forgotten.
  CallResult<KubeList> list_at(const KubeQuery& query, std::uint64_t version) const;
  /// `conflicts`, if given, gets the fields of other managers that stand in the way.
  CallResult<KubeObject> apply(const KubeObject& object, KubeApply options,
                               std::string_view manager,
                               std::vector<FieldConflict>* conflicts = nullptr);
  /// A new object, which may ask for a name with metadata.generateName.
  CallResult<KubeObject> create(KubeObject object, bool dry_run, std::string_view manager);
  /// An object instead of the one that is there, or its status alone. Where it has a
  /// resourceVersion, that must be the newest.
  enum class Part { whole, status };
  CallResult<KubeObject> replace(KubeObject object, Part part, bool dry_run,
                                 std::string_view manager);
  /// The one with this uid; with an empty one, whichever is there.
  CallResult<void> remove(const KubeRef& ref, const std::string& uid, bool dry_run = false);
  CallResult<void> approve(const KubeObject& csr, const std::string& reason);
  /// Code::resource_exhausted where a PodDisruptionBudget allows no disruption now.
  CallResult<void> evict(const KubeRef& pod, const std::string& uid);
  /// Whether a webhook turns a write of this object away.
  std::optional<Admission> admission(Call call, const KubeRef& ref) const;

  /// Puts uid and creationTimestamp on what is new, for clients who look at them; without it uids
  /// are numbers, and nothing has an age.
  std::function<void(KubeObject& metadata)> stamp;
  /// What a server finds wrong with an object that a client writes; it may put the object into the
  /// form in which it is kept. Empty: nothing is wrong, and objects are kept as they come.
  std::function<std::optional<CallError>(const KubeObject* before, KubeObject& now)> validate;

  /// Makes a pod leave its node; without it the pod is erased.
  std::function<void(const KubeRef& pod)> on_evict;

  // --- what goes wrong

  std::vector<Webhook> webhooks;
  /// All watches end; without an error they end in order.
  void end_watches(bool broken);
  /// Forgets the history: watches from before now are refused with 410.
  void compact();
  /// Readers see the state as it was at `version`, and watches stand still, until it is over.
  void serve_stale(std::uint64_t version);
  void serve_fresh();
  /// Watches stand still. When they go on, `whole` says whether each change is sent, or only the
  /// newest of each object.
  void hold_watches();
  void release_watches(bool whole);

 private:
  using Stored = SeenObject;
  struct Entry {
    Stored object;
    FieldOwners owners;
  };
  struct Change {
    std::uint64_t version{0};
    std::string key;  // of the object within its kind
    Stored before, now;
  };
  struct Kind {
    KubeResource resource;
    bool is_served{true};
    std::map<std::string, Entry> objects;  // by namespace/name
    std::vector<Change> history;
    std::vector<std::weak_ptr<WatchChannel>> channels;
    std::function<void(std::vector<KubeObject>&)> computed;
  };

  Kind* kind_of(const KubeKind& kind);
  const Kind* kind_of(const KubeKind& kind) const;
  const Entry* entry_of(const KubeRef& ref) const;
  CallResult<const Kind*> find_served(Call call, const KubeKind& kind) const;
  std::optional<CallError> refused(Call call, const Kind& kind, const KubeRef& ref) const;
  void identify(KubeObject& metadata);
  void store(Kind& kind, const std::string& key, KubeObject object, FieldOwners owners);
  /// As clients see it: the status of a budget is counted when it is asked for.
  Stored shown(const Kind& kind, const Stored& object) const;
  void tell(Kind& kind, const Change& change);
  std::map<std::string, Stored> objects_at(const Kind& kind, std::uint64_t version) const;

  Clock& clock_;
  std::vector<std::unique_ptr<Kind>> kinds_;
  std::vector<Listener> listeners_;
  std::uint64_t version_{100};
  std::uint64_t oldest_{0};  // a watch from before it is refused
  std::uint64_t uids_{0};
  std::optional<std::uint64_t> stale_;
  bool held_{false};
};

}  // namespace ichor::sim
