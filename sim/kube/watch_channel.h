#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "async/clock.h"
#include "async/signal.h"
#include "port/kube_client.h"

namespace ichor::sim {

/// One open watch, between the server that fills it and the stream that a client reads.
class WatchChannel {
 public:
  struct Told {
    KubeEvent::Kind kind;
    std::string key;  // of the object within its kind
    std::string version;
    SeenObject object;
  };

  /// What else an object must be to be sent; empty: nothing.
  using Takes = std::function<bool(const KubeObject&)>;
  explicit WatchChannel(KubeQuery query, Takes takes = {})
      : query(std::move(query)), takes(std::move(takes)) {}

  void push(Told told) {
    events.push_back(std::move(told));
    if (!held) changed.notify_all();
  }
  /// Goes on after it stood still; what changed several times is sent once if not `whole`.
  void release(bool whole);
  void end(bool by_break) {
    ended = true;
    broken = by_break;
    changed.notify_all();
  }
  bool readable() const { return !events.empty() && !held; }

  KubeQuery query;
  Takes takes;
  std::deque<Told> events;
  bool held{false};
  bool ended{false};
  bool broken{false};
  Signal changed;
};

/// What a client reads of a channel: events, a bookmark a minute, and an end in order after some
/// minutes, as the server's own limit has it.
class ChannelStream final : public KubeStream {
 public:
  /// `version` gives the version that a bookmark names; it is asked at that time.
  using Version = std::function<std::string()>;
  ChannelStream(std::shared_ptr<WatchChannel> channel, const Context& opened, Version version)
      : channel_(std::move(channel)),
        version_(std::move(version)),
        bookmark_at_(opened.now() + kBookmarks),
        ends_at_(opened.now() + kLength) {}

  Task<CallResult<std::optional<KubeEvent>>> next(Context context) override;

  static constexpr Duration kBookmarks = std::chrono::minutes(1);
  static constexpr Duration kLength = std::chrono::minutes(5);

 private:
  std::shared_ptr<WatchChannel> channel_;
  Version version_;
  MonoTime bookmark_at_;
  MonoTime ends_at_;
};

/// Whether a query asks for this object. Selectors are the subset that ichor sends: "a=b,c=d" and
/// "metadata.name=x".
bool selected(const KubeObject& object, const KubeQuery& query);

}  // namespace ichor::sim
