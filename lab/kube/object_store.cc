#include "lab/kube/object_store.h"

#include <utility>

#include "sim/node/digest.h"

namespace ichor::lab {

namespace {

using nlohmann::json;

constexpr std::size_t kHistoryMax = 2000;

std::string uid_of(const std::string& plural, const std::string& space, const std::string& name) {
  const std::uint64_t number = sim::head_of(sim::quick_digest(plural + "/" + space + "/" + name));
  return sim::uuid_from(number, sim::mix(number));
}

}  // namespace

void ObjectStore::follow(std::vector<KubeObject> now, WallTime time) {
  std::map<Key, Stored> rest = std::exchange(objects_, {});
  std::vector<KubeChange> changes;
  for (KubeObject& object : now) {
    const Key key(object.plural, object.space, object.name);
    const auto old = rest.find(key);
    if (old != rest.end() && old->second.plain == object.body) {
      objects_.emplace(key, std::move(old->second));
      rest.erase(old);
      continue;
    }
    Stored stored{object.body, std::move(object.body)};
    json& metadata = stored.full["metadata"];
    metadata["uid"] = uid_of(object.plural, object.space, object.name);
    metadata["creationTimestamp"] = old == rest.end()
                                        ? json(kube_time(time))
                                        : old->second.full["metadata"]["creationTimestamp"];
    metadata["resourceVersion"] = std::to_string(++version_);
    changes.push_back({old == rest.end() ? "ADDED" : "MODIFIED", object.plural, object.space,
                       stored.full, version_});
    if (old != rest.end()) rest.erase(old);
    objects_.emplace(key, std::move(stored));
  }
  for (auto& [key, gone] : rest) {
    gone.full["metadata"]["resourceVersion"] = std::to_string(++version_);
    changes.push_back({"DELETED", std::get<0>(key), std::get<1>(key), gone.full, version_});
  }
  for (KubeChange& change : changes) record(std::move(change));
}

void ObjectStore::record(KubeChange change) {
  history_.push_back(std::move(change));
  if (history_.size() > kHistoryMax) history_.pop_front();
  const KubeChange told = history_.back();
  for (auto next = watchers_.begin(); next != watchers_.end();) {
    const WatchId id = next->first;
    const auto on_change = next->second;
    on_change(told);
    next = watchers_.upper_bound(id);
  }
}

std::vector<json> ObjectStore::list(const std::string& plural, const std::string& space) const {
  std::vector<json> found;
  for (auto at = objects_.lower_bound(Key(plural, space, "")); at != objects_.end(); ++at) {
    if (std::get<0>(at->first) != plural) break;
    if (!space.empty() && std::get<1>(at->first) != space) break;
    found.push_back(at->second.full);
  }
  return found;
}

const json* ObjectStore::find(const std::string& plural, const std::string& space,
                              const std::string& name) const {
  const auto found = objects_.find(Key(plural, space, name));
  return found == objects_.end() ? nullptr : &found->second.full;
}

bool ObjectStore::knows_since(std::uint64_t version) const {
  if (version > version_) return false;
  return version == version_ || (!history_.empty() && history_.front().version <= version + 1);
}

std::vector<KubeChange> ObjectStore::since(std::uint64_t version) const {
  std::vector<KubeChange> changes;
  for (const KubeChange& change : history_) {
    if (change.version > version) changes.push_back(change);
  }
  return changes;
}

ObjectStore::WatchId ObjectStore::watch(std::function<void(const KubeChange&)> on_change) {
  watchers_.emplace(next_watch_, std::move(on_change));
  return next_watch_++;
}

void ObjectStore::unwatch(WatchId id) { watchers_.erase(id); }

}  // namespace ichor::lab
