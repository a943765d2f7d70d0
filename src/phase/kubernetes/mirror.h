#pragma once

#include <map>
#include <optional>
#include <string>

#include "async/bell.h"
#include "async/context.h"
#include "async/task.h"
#include "port/kube_client.h"
#include "port/random.h"

namespace ichor {

/// How often a list is repeated where no watch can be had, and a kind asked for that is not served.
inline constexpr Duration kListFallback = std::chrono::seconds(15);

/// The objects of one query, kept up to date by a watch: listed once, then changed event by event.
/// A watch that breaks goes on from the last version seen, with bookmarks; one that the server has
/// forgotten (410) is begun anew with a list. Rings `changed` after every change.
class KubeMirror {
 public:
  /// All of them must outlive the mirror.
  KubeMirror(KubeClient& client, Random& random, KubeQuery query, Bell& changed)
      : client_(client), random_(random), query_(std::move(query)), changed_(changed) {}
  KubeMirror(const KubeMirror&) = delete;
  KubeMirror& operator=(const KubeMirror&) = delete;

  /// Runs until the context ends.
  Task<void> run(Context context);

  /// Whether a list has been seen. Without one `trouble` says why.
  bool synced() const { return synced_; }
  const std::optional<CallError>& trouble() const { return trouble_; }
  /// Whether the server does not know the kind.
  bool unserved() const;
  const std::map<std::string, KubeObject>& objects() const { return objects_; }

 private:
  Task<bool> relist(Context context);
  /// Follows one watch to its end; false if a list is needed.
  Task<bool> follow(Context context);
  void take(KubeEvent event);
  void put(KubeObject object);
  void forget(const std::string& key);
  void clear();
  void fail(CallError error);
  Task<void> rest(Context context);

  KubeClient& client_;
  Random& random_;
  KubeQuery query_;
  Bell& changed_;
  std::map<std::string, KubeObject> objects_;  // by namespace/name
  std::size_t weight_{0};                      // of all objects, see json_weight()
  std::string version_;
  bool synced_{false};
  std::optional<CallError> trouble_;
  int failures_{0};
};

}  // namespace ichor
