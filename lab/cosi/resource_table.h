#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/ids.h"

namespace ichor::lab {

/// The content of a COSI resource, the spec in both of its forms.
struct Resource {
  std::string space;  // its namespace
  std::string id;
  std::string proto;
  std::string yaml;
  std::map<std::string, std::string> annotations;

  bool operator==(const Resource&) const = default;
};

/// A resource with the metadata that the state keeps for it.
struct StoredResource {
  Resource content;
  std::uint64_t version{1};
  WallTime created;
  WallTime updated;
};

struct ResourceChange {
  enum class Kind { created, updated, destroyed };
  Kind kind{Kind::created};
  StoredResource now;         // the last state, if it was destroyed
  StoredResource before;      // updated only
  std::uint64_t position{0};  // of the change in the history of its type
};

/// The resources of a machine as they were at the last look: the memory from which
/// versions and changes come. The machine's own memory is the truth; this follows it, type by type.
class ResourceTable {
 public:
  using OnChanges = std::function<void(const std::vector<ResourceChange>&)>;
  using ById = std::map<std::pair<std::string, std::string>, StoredResource>;  // namespace, id

  /// Compares what a type has now with what it had, and tells the differences to those who watch
  /// it. A new boot forgets everything first.
  void follow(std::string_view type, std::vector<Resource> now, const BootId& boot, WallTime time);
  const ById& of(std::string_view type) const;
  /// How many changes of this type there were in this boot.
  std::uint64_t position(std::string_view type) const;
  using WatchId = std::uint64_t;
  WatchId watch(std::string_view type, OnChanges on_changes);
  void unwatch(WatchId id);

  /// Changes with every boot: a bookmark of another boot is not valid.
  std::uint64_t cookie() const { return cookie_; }

 private:
  struct Type {
    ById resources;
    std::uint64_t position{0};
  };
  struct Watcher {
    WatchId id;
    std::string type;
    OnChanges on_changes;
  };
  std::vector<ResourceChange> compare(Type& known, std::vector<Resource> now, WallTime time);

  std::vector<Watcher> watchers_;
  WatchId next_watch_{1};
  BootId boot_;
  std::uint64_t cookie_{0};
  std::map<std::string, Type, std::less<>> types_;
};

}  // namespace ichor::lab
