#include "talos/rpc.h"

#include <string.h>

namespace ichor {

namespace {

void send_only(grpc::ClientCall& rpc, std::string& request) {
  rpc.send(request);
  rpc.close_sending();
  explicit_bzero(request.data(), request.size());
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
                                          std::size_t reply_bytes_max) {
  if (auto error = cannot_start(context, *connection, call)) co_return tl::unexpected(*error);
  const auto rpc = connection->start(path, real_limit(context, kCallLimit), reply_bytes_max);
  send_only(*rpc, request);
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

Task<CallResult<std::vector<std::string>>> collect_bytes(Context context,
                                                         std::shared_ptr<Connection> connection,
                                                         Call call, std::string_view path,
                                                         std::string request, StreamLimits limits,
                                                         std::size_t reply_bytes_max) {
  if (auto error = cannot_start(context, *connection, call)) co_return tl::unexpected(*error);
  const auto rpc = connection->start(path, real_limit(context, kCallLimit), reply_bytes_max);
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
