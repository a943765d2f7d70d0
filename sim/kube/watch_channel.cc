#include "sim/kube/watch_channel.h"

#include <algorithm>

#include "phase/kubernetes/json_view.h"

namespace ichor::sim {

namespace {

CallError failed(Progress progress, Code code, std::string text) {
  return {Call::kube_read, progress, TlsVerdict::fine, code, std::move(text)};
}

SeenObject of_version(KubeObject object, std::string version) {
  object["metadata"]["resourceVersion"] = std::move(version);
  return std::make_shared<const KubeObject>(std::move(object));
}

}  // namespace

void WatchChannel::release(bool whole) {
  held = false;
  if (!whole) {
    std::deque<Told> newest;
    for (auto told = events.rbegin(); told != events.rend(); ++told) {
      const bool known = std::any_of(newest.begin(), newest.end(),
                                     [&](const Told& other) { return other.key == told->key; });
      if (!known) newest.push_front(std::move(*told));
    }
    events = std::move(newest);
  }
  changed.notify_all();
}

Task<CallResult<std::optional<KubeEvent>>> ChannelStream::next(Context context) {
  while (!channel_->readable()) {
    if (channel_->broken) {
      co_return tl::unexpected(
          failed(Progress::sent, Code::unavailable, "http2: the watch was cut off"));
    }
    if (channel_->ended || context.now() >= ends_at_) co_return std::optional<KubeEvent>();
    // One that stands still says nothing at all.
    const MonoTime until = channel_->held ? ends_at_ : std::min(bookmark_at_, ends_at_);
    const Wake wake = co_await channel_->changed.wait(context.until(until));
    if (wake == Wake::cancelled) {
      co_return tl::unexpected(failed(Progress::answered, Code::cancelled, "called off"));
    }
    if (wake == Wake::signalled) continue;
    if (context.expired()) {
      co_return tl::unexpected(failed(Progress::sent, Code::deadline_exceeded, "out of time"));
    }
    if (context.now() < bookmark_at_ || channel_->held) continue;
    bookmark_at_ = context.now() + kBookmarks;
    co_return std::optional(KubeEvent{KubeEvent::Kind::bookmark, of_version({}, version_())});
  }
  WatchChannel::Told told = std::move(channel_->events.front());
  channel_->events.pop_front();
  // One that is gone, or no longer asked for, is sent as it was last, with the version of now.
  if (text_at(*told.object, {"metadata", "resourceVersion"}) != told.version) {
    told.object = of_version(*told.object, std::move(told.version));
  }
  co_return std::optional(KubeEvent{told.kind, std::move(told.object)});
}

bool selected(const KubeObject& object, const KubeQuery& query) {
  if (!query.name_space.empty() && namespace_in(object) != query.name_space) return false;
  std::string_view rest = query.labels;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t equals = part.find('=');
    const std::string value = text_at(object, {"metadata", "labels", part.substr(0, equals)});
    if (equals == std::string_view::npos || value != part.substr(equals + 1)) return false;
  }
  constexpr std::string_view by_name = "metadata.name=";
  return !query.fields.starts_with(by_name) ||
         name_in(object) == query.fields.substr(by_name.size());
}

}  // namespace ichor::sim
