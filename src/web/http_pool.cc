#include "web/http_pool.h"

#include <algorithm>

#include "async/slot.h"

namespace ichor {

namespace {

constexpr Duration kLimit = std::chrono::seconds(30);
constexpr Duration kPatience = std::chrono::seconds(1);
constexpr std::size_t kIdleMax = 16;
constexpr int kTooMany = 429;

CallError called_off(Call call, Progress progress) {
  return {call, progress, TlsVerdict::fine, Code::cancelled, "called off"};
}

/// Closes a connection that is still busy when its caller goes away.
class Guard {
 public:
  explicit Guard(HttpConnection& connection) : connection_(connection) {}
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard() {
    if (!settled_) connection_.close();
  }
  void settle() { settled_ = true; }

 private:
  HttpConnection& connection_;
  bool settled_{false};
};

}  // namespace

Duration http_limit(const Context& context) {
  if (context.deadline == kNever) return kLimit;
  return std::clamp(context.deadline - context.now(), Duration::zero(), kLimit);
}

HttpPool::~HttpPool() {
  for (const auto& connection : idle_) connection->close();
}

std::shared_ptr<HttpConnection> HttpPool::take() {
  while (!idle_.empty()) {
    const auto connection = idle_.back();
    idle_.pop_back();
    if (connection->reusable()) return connection;
  }
  return nullptr;
}

void HttpPool::give_back(std::shared_ptr<HttpConnection> connection) {
  if (connection->reusable() && idle_.size() < kIdleMax) {
    idle_.push_back(std::move(connection));
  } else {
    connection->close();
  }
}

Task<CallResult<HttpAnswer>> HttpPool::ask_on(Context context, HttpConnection& connection,
                                              Call call, HttpRequest request) {
  using Reply = Slot<CallResult<HttpAnswer>>;
  const auto slot = std::make_shared<Reply>();
  Guard guard(connection);
  connection.ask(call, std::move(request), http_limit(context),
                 [slot](CallResult<HttpAnswer> answer) { slot->set(std::move(answer)); });
  // The connection keeps the limit itself, in real time; only a cancellation ends the wait.
  const Context patient{context.clock, context.scope, kNever};
  if (co_await Reply::ready(slot, patient) == Wake::cancelled) {
    co_return tl::unexpected(called_off(call, Progress::sent));
  }
  guard.settle();
  co_return slot->take();
}

Task<CallResult<HttpAnswer>> HttpPool::ask_once(Context context, Call call, HttpRequest request) {
  const std::shared_ptr<HttpConnection> connection = spare();
  CallResult<HttpAnswer> answer = co_await ask_on(context, *connection, call, std::move(request));
  connection->close();
  co_return answer;
}

Task<CallResult<HttpAnswer>> HttpPool::ask_kept(Context context, Call call, HttpRequest request) {
  while (true) {
    std::shared_ptr<HttpConnection> connection = take();
    const bool kept = connection != nullptr;
    if (!kept) connection = spare();
    CallResult<HttpAnswer> answer = co_await ask_on(context, *connection, call, request);
    if (answer) give_back(std::move(connection));
    // A server may close a connection that was kept at any time. What we ask may be repeated.
    const bool stale = !answer && kept && answer.error().code == Code::unavailable;
    if (!stale) co_return answer;
  }
}

Task<CallResult<HttpAnswer>> HttpPool::ask(Context context, Call call, HttpRequest request) {
  while (true) {
    CallResult<HttpAnswer> answer = co_await ask_kept(context, call, request);
    if (!answer || answer->status != kTooMany) co_return answer;
    const Duration pause = std::max(answer->retry_after.value_or(kPatience), kPatience);
    if (later(context.now(), pause) >= context.deadline) co_return answer;
    const Wake wake = co_await sleep_for(context, pause);
    if (wake == Wake::cancelled) co_return tl::unexpected(called_off(call, Progress::answered));
  }
}

}  // namespace ichor
