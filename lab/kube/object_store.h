#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "base/time.h"
#include "lab/kube/objects.h"

namespace ichor::lab {

struct KubeChange {
  const char* type;  // "ADDED", "MODIFIED", "DELETED"
  std::string plural;
  std::string space;
  nlohmann::json object;
  std::uint64_t version{0};
};

/// The objects of one cluster with their versions, and the changes they went through. Objects
/// follow the machines; nobody writes them.
class ObjectStore {
 public:
  /// Takes over what there is now and tells the differences to those who watch.
  void follow(std::vector<KubeObject> now, WallTime time);

  std::uint64_t version() const { return version_; }
  std::vector<nlohmann::json> list(const std::string& plural, const std::string& space) const;
  const nlohmann::json* find(const std::string& plural, const std::string& space,
                             const std::string& name) const;
  /// Changes after `version`, if all of them are still known.
  bool knows_since(std::uint64_t version) const;
  std::vector<KubeChange> since(std::uint64_t version) const;

  using WatchId = std::uint64_t;
  WatchId watch(std::function<void(const KubeChange&)> on_change);
  void unwatch(WatchId id);
  bool watched() const { return !watchers_.empty(); }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // plural, namespace, name
  struct Stored {
    nlohmann::json plain;  // as it was made
    nlohmann::json full;   // with what the store adds
  };
  void record(KubeChange change);

  std::map<Key, Stored> objects_;
  std::uint64_t version_{1};
  std::deque<KubeChange> history_;
  std::map<WatchId, std::function<void(const KubeChange&)>> watchers_;
  WatchId next_watch_{1};
};

}  // namespace ichor::lab
