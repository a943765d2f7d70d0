#include "talos/rpc.h"

#include <string.h>

namespace ichor {

namespace {

void send_only(grpc::ClientCall& rpc, std::string& request) {
  rpc.send(request);
  rpc.close_sending();
  explicit_bzero(request.data(), request.size());
}

/// How much of an upload waits in memory for the peer to take it, and how soon we look again.
constexpr std::size_t kUnsentMax = 1u << 20;
constexpr Duration kSendPause = std::chrono::milliseconds(2);

/// The one message that a call ends with.
Task<CallResult<std::string>> only_reply(Context context, std::shared_ptr<Connection> connection,
                                         Call call, std::shared_ptr<grpc::ClientCall> rpc) {
  std::optional<std::string> reply;
  while (!rpc->ended() || rpc->has_message()) {
    co_await await_news(context, rpc);
    if (!rpc->has_message()) continue;
    if (reply) co_return tl::unexpected(bad_reply(call, "more than one reply"));
    reply = rpc->take_message();
  }
  if (!rpc->end().ok()) co_return tl::unexpected(connection->error_of(call, *rpc));
  if (!reply) co_return tl::unexpected(bad_reply(call, "a success without a reply"));
  co_return *std::move(reply);
}

}  // namespace

void forget_secrets(machine::ApplyConfigurationRequest& request) {
  std::string& config = *request.mutable_data();
  explicit_bzero(config.data(), config.size());
}

std::optional<CallError> cannot_start(const Context& context, const Connection& connection,
                                      Call call) {
  CallError error;
  error.call = call;
  if (context.cancelled()) {
    error.code = Code::cancelled;
    error.text = "cancelled before it was sent";
  } else if (context.expired()) {
    error.code = Code::deadline_exceeded;
    error.text = "out of time before it was sent";
  } else if (!connection.alive()) {
    error.code = Code::unavailable;
    error.text = "the connection of this session is gone";
  } else {
    return std::nullopt;
  }
  return error;
}

Task<void> await_news(Context context, std::shared_ptr<grpc::ClientCall> rpc) {
  const Context patient = until_settled(context);
  while (!rpc->ended() && !rpc->has_message()) {
    const Wake wake = co_await rpc->changed().wait(patient);
    if (wake == Wake::cancelled) {
      rpc->cancel(Code::cancelled, "called off", grpc::EndedBy::caller);
    }
  }
}

Task<CallResult<std::string>> unary_bytes(Context context, std::shared_ptr<Connection> connection,
                                          Call call, std::string_view path, std::string request,
                                          std::size_t reply_bytes_max, Duration limit) {
  if (auto error = cannot_start(context, *connection, call)) co_return tl::unexpected(*error);
  const auto rpc = connection->start(path, real_limit(context, limit), reply_bytes_max);
  send_only(*rpc, request);
  co_return co_await only_reply(context, connection, call, rpc);
}

Task<CallResult<std::string>> upload_bytes(Context context, std::shared_ptr<Connection> connection,
                                           Call call, std::string_view path, NextMessage next,
                                           std::size_t reply_bytes_max) {
  if (auto error = cannot_start(context, *connection, call)) co_return tl::unexpected(*error);
  const auto rpc = connection->start(path, real_limit(context, kBulkLimit), reply_bytes_max);
  while (!rpc->ended()) {
    if (context.cancelled()) rpc->cancel(Code::cancelled, "called off", grpc::EndedBy::caller);
    if (rpc->unsent_bytes() > kUnsentMax) {
      co_await sleep_for(until_settled(context), kSendPause);
      continue;
    }
    auto message = next();
    // Destroying the call resets it, so the node never takes half an upload for a whole one.
    if (!message) co_return forward_error(message);
    if (!*message) break;
    rpc->send(**message);
  }
  rpc->close_sending();
  co_return co_await only_reply(context, connection, call, rpc);
}

Task<CallResult<void>> stream_bytes(Context context, std::shared_ptr<Connection> connection,
                                    Call call, std::string_view path, std::string request,
                                    std::size_t reply_bytes_max, TakeMessage take) {
  if (auto error = cannot_start(context, *connection, call)) co_return tl::unexpected(*error);
  const auto rpc = connection->start(path, real_limit(context, kBulkLimit), reply_bytes_max);
  send_only(*rpc, request);
  while (!rpc->ended() || rpc->has_message()) {
    co_await await_news(context, rpc);
    if (!rpc->has_message()) continue;
    if (auto taken = take(rpc->take_message()); !taken) co_return forward_error(taken);
  }
  if (!rpc->end().ok()) co_return tl::unexpected(connection->error_of(call, *rpc));
  co_return CallResult<void>();
}

Task<CallResult<std::vector<std::string>>> collect_bytes(Context context,
                                                         std::shared_ptr<Connection> connection,
                                                         Call call, std::string_view path,
                                                         std::string request, StreamLimits limits,
                                                         std::size_t reply_bytes_max) {
  if (auto error = cannot_start(context, *connection, call)) co_return tl::unexpected(*error);
  const auto rpc = connection->start(path, real_limit(context, limits.longest), reply_bytes_max);
  send_only(*rpc, request);
  std::vector<std::string> replies;
  std::size_t bytes = 0;
  while (!rpc->ended() || rpc->has_message()) {
    co_await await_news(context, rpc);
    if (!rpc->has_message()) continue;
    replies.push_back(rpc->take_message());
    bytes += replies.back().size();
    if (replies.size() > limits.messages_max || bytes > limits.bytes_max) {
      co_return tl::unexpected(bad_reply(call, "more than a reply may hold"));
    }
    if (replies.size() == limits.enough) co_return replies;
  }
  // A stream of news never ends by itself: what came before the time was up is the answer.
  const bool out_of_time = rpc->end().by == grpc::EndedBy::deadline;
  if (limits.enough > 0 && out_of_time && !replies.empty()) co_return replies;
  if (!rpc->end().ok()) co_return tl::unexpected(connection->error_of(call, *rpc));
  co_return replies;
}

}  // namespace ichor
