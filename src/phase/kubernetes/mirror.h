#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/bell.h"
#include "async/context.h"
#include "async/task.h"
#include "async/task_group.h"
#include "port/kube_client.h"
#include "port/random.h"

namespace ichor {

/// How often a list is repeated where no watch can be had, and a kind asked for that is not served.
inline constexpr Duration kListFallback = std::chrono::seconds(15);

/// The objects of one query, kept up to date by a watch: listed once, then changed event by event.
/// A watch that breaks goes on from the last version seen, with bookmarks; one that the server has
/// forgotten (410) starts again with a list. Rings `changed` after every change.
class KubeMirror {
 public:
  /// All of them must outlive the mirror.
  KubeMirror(KubeClient& client, Random& random, KubeQuery query, Bell& changed)
      : client_(client), random_(random), query_(std::move(query)), changed_(changed) {}
  KubeMirror(const KubeMirror&) = delete;
  KubeMirror& operator=(const KubeMirror&) = delete;

  /// Runs until the context ends.
  Task<void> run(Context context);

  /// Lists once more: what was missed is made up for. The watch goes on from that list, so a change
  /// from before it cannot undo it. False if there was no answer; then what was known stays.
  Task<bool> refresh(Context context);

  /// Whether a list has been seen. Without one `trouble` says why.
  bool synced() const { return synced_; }
  const std::optional<CallError>& trouble() const { return trouble_; }
  /// Whether the server does not know the kind.
  bool unserved() const;
  /// In the order of namespace and name.
  const SeenObjects& objects() const { return objects_; }
  /// Grows with every change of anything that the mirror says.
  std::uint64_t changes() const { return changes_; }
  const KubeQuery& query() const { return query_; }

 private:
  /// Follows one watch to its end; false if a list is needed.
  Task<bool> follow(Context context);
  Task<bool> relist(Context context);
  void take(KubeEvent event);
  void take(KubeList list);
  void put(SeenObject object);
  void forget(const std::string& key);
  void clear();
  void fail(CallError error);
  void ring();
  Task<void> rest(Context context);

  KubeClient& client_;
  Random& random_;
  KubeQuery query_;
  Bell& changed_;
  std::vector<std::string> keys_;  // of objects_: namespace/name
  SeenObjects objects_;
  std::vector<std::size_t> weights_;  // of objects_, see json_weight()
  std::uint64_t changes_{0};
  std::size_t weight_{0};  // of all objects
  std::string version_;
  bool synced_{false};
  std::optional<CallError> trouble_;
  int failures_{0};
  int refreshed_{0};  // how often
};

/// The mirrors of one place, one for each query, however many ask for it.
class KubeMirrors {
 public:
  /// All of them must outlive it; the mirrors run until the context ends. Without a client there
  /// are none.
  KubeMirrors(Context context, KubeClient* client, Random& random, Bell& changed)
      : context_(context), client_(client), random_(random), changed_(changed), group_(context) {}

  /// The mirror of a query, started if there is none yet.
  const KubeMirror& of(const KubeQuery& query);

  /// Lists everything that was ever listed once more, side by side, so that what it says was seen
  /// together. False if something was not answered.
  Task<bool> refresh(Context context);
  /// The same of some queries, whether or not they were listed before.
  Task<bool> refresh(Context context, const std::vector<KubeQuery>& queries);
  /// Asks again for kinds that were not served when they were last asked for. False: one is now.
  Task<bool> are_still_unserved(Context context);

  /// Waits until all have ended, after their context was cancelled.
  Task<void> join() { return group_.join(); }

 private:
  static Task<void> refresh_one(Context context, KubeMirror& mirror, bool& all);

  Context context_;
  KubeClient* client_;
  Random& random_;
  Bell& changed_;
  std::map<KubeQuery, std::unique_ptr<KubeMirror>> mirrors_;
  TaskGroup group_;
};

}  // namespace ichor
