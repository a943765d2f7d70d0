#include "lab/cosi/resource_table.h"

#include <utility>

#include "sim/node/digest.h"

namespace ichor::lab {

void ResourceTable::follow(std::string_view type, std::vector<Resource> now, const BootId& boot,
                           WallTime time) {
  if (boot != boot_) {
    types_.clear();
    boot_ = boot;
    cookie_ = sim::head_of(sim::quick_digest(boot.value()));
  }
  const std::vector<ResourceChange> changes =
      compare(types_[std::string(type)], std::move(now), time);
  if (changes.empty()) return;
  for (const Watcher& watcher : std::vector(watchers_)) {
    if (watcher.type == type) watcher.on_changes(changes);
  }
}

std::vector<ResourceChange> ResourceTable::compare(Type& known, std::vector<Resource> now,
                                                   WallTime time) {
  using Kind = ResourceChange::Kind;
  std::vector<ResourceChange> changes;
  ById rest = std::exchange(known.resources, {});
  for (Resource& resource : now) {
    const auto key = std::pair(resource.space, resource.id);
    const auto old = rest.find(key);
    if (old == rest.end()) {
      StoredResource fresh{std::move(resource), 1, time, time};
      changes.push_back({Kind::created, fresh, {}, ++known.position});
      known.resources.emplace(key, std::move(fresh));
      continue;
    }
    StoredResource kept = std::move(old->second);
    rest.erase(old);
    if (kept.content != resource) {
      const StoredResource before = kept;
      kept.content = std::move(resource);
      ++kept.version;
      kept.updated = time;
      changes.push_back({Kind::updated, kept, before, ++known.position});
    }
    known.resources.emplace(key, std::move(kept));
  }
  for (auto& [key, gone] : rest) {
    changes.push_back({Kind::destroyed, std::move(gone), {}, ++known.position});
  }
  return changes;
}

ResourceTable::WatchId ResourceTable::watch(std::string_view type, OnChanges on_changes) {
  watchers_.push_back({next_watch_, std::string(type), std::move(on_changes)});
  return next_watch_++;
}

void ResourceTable::unwatch(WatchId id) {
  std::erase_if(watchers_, [&](const Watcher& watcher) { return watcher.id == id; });
}

const ResourceTable::ById& ResourceTable::of(std::string_view type) const {
  static const ById none;
  const auto found = types_.find(type);
  return found == types_.end() ? none : found->second.resources;
}

std::uint64_t ResourceTable::position(std::string_view type) const {
  const auto found = types_.find(type);
  return found == types_.end() ? 0 : found->second.position;
}

}  // namespace ichor::lab
