#include "phase/kubernetes/mirror.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/check.h"
#include "model/json.h"
#include "phase/kubernetes/json_view.h"
#include "wait/backoff.h"

namespace ichor {

namespace {

/// Of all objects together, see json_weight().
constexpr std::size_t kWeightMax = 64u << 20;

std::string key_of(const KubeObject& object) {
  return namespace_in(object) + "/" + name_in(object);
}

}  // namespace

bool KubeMirror::unserved() const {
  return !synced_ && trouble_ && trouble_->code == Code::not_found;
}

void KubeMirror::ring() {
  ++changes_;
  changed_.ring();
}

void KubeMirror::put(SeenObject object) {
  std::string key = key_of(*object);
  const std::size_t weight = json_weight(*object);
  weight_ += weight;
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
  const auto index = found - keys_.begin();
  std::vector<SeenObject>& objects = objects_.shared();
  if (found != keys_.end() && *found == key) {
    weight_ -= std::exchange(weights_[static_cast<std::size_t>(index)], weight);
    objects[static_cast<std::size_t>(index)] = std::move(object);
    return;
  }
  objects.insert(objects.begin() + index, std::move(object));
  weights_.insert(weights_.begin() + index, weight);
  keys_.insert(found, std::move(key));
}

void KubeMirror::forget(const std::string& key) {
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
  if (found == keys_.end() || *found != key) return;
  const auto index = found - keys_.begin();
  weight_ -= weights_[static_cast<std::size_t>(index)];
  objects_.shared().erase(objects_.shared().begin() + index);
  weights_.erase(weights_.begin() + index);
  keys_.erase(found);
}

void KubeMirror::clear() {
  keys_.clear();
  objects_.clear();
  weights_.clear();
  weight_ = 0;
}

void KubeMirror::fail(CallError error) {
  ++failures_;
  trouble_ = std::move(error);
  ring();
}

Task<bool> KubeMirror::relist(Context context) {
  CallResult<KubeList> list = co_await client_.list(context, query_);
  if (!list) {
    // What the server no longer knows of must not be taken for what is.
    if (list.error().code == Code::not_found) {
      synced_ = false;
      clear();
    }
    fail(std::move(list).error());
    co_return false;
  }
  take(*std::move(list));
  co_return true;
}

Task<bool> KubeMirror::refresh(Context context) {
  CallResult<KubeList> list = co_await client_.list(context, query_);
  if (list) {
    ++refreshed_;
    take(*std::move(list));
  } else if (list.error().code == Code::not_found && synced_) {
    synced_ = false;
    clear();
    fail(std::move(list).error());
  } else {
    co_return list.error().code == Code::not_found;
  }
  co_return true;
}

void KubeMirror::take(KubeList list) {
  clear();
  for (SeenObject& object : list.items.shared()) put(std::move(object));
  version_ = list.resource_version;
  synced_ = true;
  trouble_.reset();
  ring();
}

void KubeMirror::take(KubeEvent event) {
  std::string version = text_at(*event.object, {"metadata", "resourceVersion"});
  if (!version.empty()) version_ = std::move(version);
  switch (event.kind) {
    case KubeEvent::Kind::bookmark: return;
    case KubeEvent::Kind::deleted: forget(key_of(*event.object)); break;
    case KubeEvent::Kind::added:
    case KubeEvent::Kind::modified: put(std::move(event.object)); break;
  }
  ring();
}

Task<bool> KubeMirror::follow(Context context) {
  const int refreshed = refreshed_;
  auto stream = co_await client_.watch(context, query_, version_);
  if (!stream) {
    const bool forgotten = stream.error().code == Code::out_of_range;
    if (!forgotten) fail(std::move(stream).error());
    co_return false;
  }
  while (true) {
    CallResult<std::optional<KubeEvent>> event = co_await (*stream)->next(context);
    if (!event) {
      const bool forgotten = event.error().code == Code::out_of_range;
      if (!forgotten && !context.cancelled() && !context.expired()) {
        fail(std::move(event).error());
      }
      co_return false;
    }
    // What this watch still has to say may be older than the list that came in between.
    if (!*event || refreshed_ != refreshed) co_return true;
    failures_ = 0;
    trouble_.reset();
    take(**std::move(event));
    if (weight_ > kWeightMax) {
      fail({Call::kube_read, Progress::answered, TlsVerdict::fine, Code::resource_exhausted,
            fmt::format("the watch of {} says more than {} MiB", query_.kind.kind,
                        kWeightMax >> 20)});
      co_return false;
    }
  }
}

Task<void> KubeMirror::rest(Context context) {
  // The first failures may be a server that restarts; then the documented pace holds.
  const RetryLimits limits;
  const Duration pause =
      failures_ <= 4 ? read_delay(std::max(failures_, 1), limits, random_) : kListFallback;
  co_await sleep_for(context, pause);
}

Task<void> KubeMirror::run(Context context) {
  bool fresh = false;
  while (!context.cancelled() && !context.expired()) {
    if (!fresh) {
      if (!co_await relist(context)) {
        co_await rest(context);
        continue;
      }
    }
    const int failures = failures_;
    fresh = co_await follow(context);
    // A stream that ends in order, or was forgotten, goes on at once, but never in a tight loop.
    if (failures_ > failures) {
      co_await rest(context);
    } else {
      co_await sleep_for(context, std::chrono::milliseconds(200));
    }
  }
}

const KubeMirror& KubeMirrors::of(const KubeQuery& query) {
  std::unique_ptr<KubeMirror>& mirror = mirrors_[query];
  if (!mirror) {
    check(client_ != nullptr, "a gate that watches has a Kubernetes API to do so");
    mirror = std::make_unique<KubeMirror>(*client_, random_, query, changed_);
    group_.spawn(mirror->run(context_));
  }
  return *mirror;
}

Task<void> KubeMirrors::refresh_one(Context context, KubeMirror& mirror, bool& all) {
  const bool answered = co_await mirror.refresh(context);
  if (!answered) all = false;
}

Task<bool> KubeMirrors::refresh(Context context) {
  bool all = true;
  TaskGroup lists(context);
  for (const auto& [query, mirror] : mirrors_) {
    if (mirror->synced() || mirror->unserved()) lists.spawn(refresh_one(context, *mirror, all));
  }
  co_await lists.join();
  co_return all;
}

Task<bool> KubeMirrors::refresh(Context context, const std::vector<KubeQuery>& queries) {
  bool all = true;
  TaskGroup lists(context);
  for (const KubeQuery& query : queries) {
    const auto mirror = mirrors_.find(query);
    if (mirror != mirrors_.end()) lists.spawn(refresh_one(context, *mirror->second, all));
  }
  co_await lists.join();
  co_return all;
}

Task<bool> KubeMirrors::are_still_unserved(Context context) {
  bool all = true;
  for (const auto& [query, mirror] : mirrors_) {
    if (!mirror->unserved()) continue;
    const bool answered = co_await mirror->refresh(context);
    if (!answered || !mirror->unserved()) all = false;
  }
  co_return all;
}

}  // namespace ichor
