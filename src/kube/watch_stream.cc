#include "kube/watch_stream.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>

#include "async/slot.h"
#include "kube/kube_status.h"
#include "kube/slim.h"
#include "model/json.h"

namespace ichor {

namespace {

constexpr std::size_t kLineMax = 8u << 20;
constexpr std::size_t kQueueMax = 16u << 20;
constexpr int kServerError = 500;
/// A server sends a bookmark every minute; a connection that is silent for longer is dead.
constexpr Duration kQuiet = std::chrono::seconds(150);

/// What has come and was not taken yet; shared with the connection's callbacks.
struct Inbox {
  std::string rest;  // a line that is not whole
  std::deque<std::string> lines;
  std::size_t size{0};
  bool ended{false};
  bool overflow{false};
  Signal changed;

  bool add(std::string_view bytes) {
    if (bytes.empty()) ended = true;
    rest.append(bytes);
    std::size_t start = 0;
    for (std::size_t end = rest.find('\n'); end != std::string::npos;
         end = rest.find('\n', start)) {
      if (end > start) lines.push_back(rest.substr(start, end - start));
      size += end - start;
      start = end + 1;
    }
    rest.erase(0, start);
    if (rest.size() > kLineMax || size > kQueueMax) overflow = true;
    changed.notify_all();
    return !overflow;
  }
};

CallError broken(Code code, std::string text) {
  return {Call::kube_read, Progress::answered, TlsVerdict::fine, code, std::move(text)};
}

/// An ERROR event carries a Status, as an answer would.
CallError error_in(const KubeObject& status) {
  HttpAnswer answer;
  const auto code = status.is_object() ? status.find("code") : status.end();
  const bool told = status.is_object() && code != status.end() && code->is_number_integer();
  answer.status = told ? code->get<int>() : kServerError;
  answer.body = SecretString(status.dump());
  return error_of(Call::kube_read, answer);
}

CallResult<std::optional<KubeEvent>> event_of(const std::string& line) {
  if (std::string excess = json_excess(line); !excess.empty()) {
    return tl::unexpected(broken(Code::resource_exhausted, "a watch event: " + excess));
  }
  auto parsed = parse_json(line);
  if (!parsed || !parsed->is_object() || !parsed->contains("object")) {
    return tl::unexpected(broken(Code::internal, "a watch event is not JSON"));
  }
  const std::string type = text_in(*parsed, "type");
  if (type == "ERROR") return tl::unexpected(error_in((*parsed)["object"]));
  KubeEvent event;
  KubeObject& object = (*parsed)["object"];
  if (!slim(object)) {
    return tl::unexpected(broken(Code::internal, "a watch event has no object with metadata"));
  }
  event.object = std::make_shared<const KubeObject>(std::move(object));
  if (type == "ADDED") event.kind = KubeEvent::Kind::added;
  if (type == "MODIFIED") event.kind = KubeEvent::Kind::modified;
  if (type == "DELETED") event.kind = KubeEvent::Kind::deleted;
  return std::optional<KubeEvent>(std::move(event));
}

class WatchStream final : public KubeStream {
 public:
  WatchStream(std::shared_ptr<HttpConnection> connection, std::shared_ptr<Inbox> inbox)
      : connection_(std::move(connection)), inbox_(std::move(inbox)) {}
  ~WatchStream() override { connection_->close(); }

  Task<CallResult<std::optional<KubeEvent>>> next(Context context) override {
    while (inbox_->lines.empty()) {
      if (inbox_->overflow) {
        co_return tl::unexpected(broken(Code::resource_exhausted, "a watch says too much"));
      }
      if (inbox_->ended) co_return std::optional<KubeEvent>();
      const Wake wake = co_await inbox_->changed.wait(context);
      if (wake == Wake::signalled) continue;
      const bool cancelled = wake == Wake::cancelled;
      co_return tl::unexpected(broken(cancelled ? Code::cancelled : Code::deadline_exceeded,
                                      cancelled ? "called off" : "nothing happened in time"));
    }
    const std::string line = std::move(inbox_->lines.front());
    inbox_->lines.pop_front();
    inbox_->size -= std::min(inbox_->size, line.size());
    co_return event_of(line);
  }

 private:
  std::shared_ptr<HttpConnection> connection_;
  std::shared_ptr<Inbox> inbox_;
};

}  // namespace

Task<CallResult<std::unique_ptr<KubeStream>>> open_watch_stream(Context context, HttpPool& pool,
                                                                std::string target) {
  using Reply = Slot<CallResult<HttpAnswer>>;
  const auto slot = std::make_shared<Reply>();
  const auto inbox = std::make_shared<Inbox>();
  const auto connection = pool.spare();
  std::unique_ptr<KubeStream> stream = std::make_unique<WatchStream>(connection, inbox);
  HttpRequest request;
  request.target = std::move(target);
  connection->follow(
      Call::kube_read, std::move(request), http_limit(context), kQuiet,
      [slot](CallResult<HttpAnswer> answer) { slot->set(std::move(answer)); },
      [inbox](std::string_view bytes) { return inbox->add(bytes); });
  const Context patient{context.clock, context.scope, kNever};
  if (co_await Reply::ready(slot, patient) == Wake::cancelled) {
    co_return tl::unexpected(broken(Code::cancelled, "called off"));
  }
  const CallResult<HttpAnswer> answer = slot->take();
  if (!answer) co_return forward_error(answer);
  if (answer->status != 200) co_return tl::unexpected(error_of(Call::kube_read, *answer));
  co_return stream;
}

}  // namespace ichor
