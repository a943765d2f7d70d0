#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async/task.h"
#include "model/outcome.h"
#include "talos/connection.h"
#include "talos/methods.h"
#include "talos/real_time.h"
#include "talos/wire_fields.h"

namespace ichor {

/// Why a call cannot even start, if so.
std::optional<CallError> cannot_start(const Context& context, const Connection& connection,
                                      Call call);

/// Waits for the next message or the end of a call. When the caller is called off, so is the call.
Task<void> await_news(Context context, std::shared_ptr<grpc::ClientCall> rpc);

/// Fields of all messages of one call, see wire_fields(): some 30 MiB once they are decoded.
inline constexpr std::size_t kFieldsMax = 300'000;

/// How much a server may stream at us before we hang up.
struct StreamLimits {
  std::size_t messages_max{4096};
  std::size_t bytes_max{8u << 20};  // of all messages together
  std::size_t enough{0};  // after so many messages we hang up content; zero: the server ends it
  Duration longest{kCallLimit};
};

/// Takes one message of a stream; an error ends the stream.
using TakeMessage = std::function<CallResult<void>(std::string message)>;

/// Streams that carry a whole database have their own limits: none on how much comes, and this one
/// on how long it takes.
inline constexpr Duration kBulkLimit = std::chrono::minutes(30);

/// Hands on the messages of a server stream one by one, so that it can be of any length.
Task<CallResult<void>> stream_bytes(Context context, std::shared_ptr<Connection> connection,
                                    Call call, std::string_view path, std::string request,
                                    std::size_t reply_bytes_max, TakeMessage take);

/// Gives the next message of an upload; nothing at its end.
using NextMessage = std::function<CallResult<std::optional<std::string>>()>;

/// Any number of messages for one, never many of them in memory.
Task<CallResult<std::string>> upload_bytes(Context context, std::shared_ptr<Connection> connection,
                                           Call call, std::string_view path, NextMessage next,
                                           std::size_t reply_bytes_max);

/// A unary call in bytes. `request` is overwritten, because it may hold secrets.
Task<CallResult<std::string>> unary_bytes(Context context, std::shared_ptr<Connection> connection,
                                          Call call, std::string_view path, std::string request,
                                          std::size_t reply_bytes_max, Duration limit = kCallLimit);

/// All messages of a server stream that ends by itself, or by limits.enough or the context's time.
Task<CallResult<std::vector<std::string>>> collect_bytes(Context context,
                                                         std::shared_ptr<Connection> connection,
                                                         Call call, std::string_view path,
                                                         std::string request, StreamLimits limits,
                                                         std::size_t reply_bytes_max);

/// Decodes one message of a reply. `fields` is how many the call's messages had before, and grows.
template <class Reply>
CallResult<Reply> decode_reply(Call call, const std::string& bytes, std::size_t& fields) {
  fields += wire_fields(bytes);
  if (fields > kFieldsMax) {
    return tl::unexpected(bad_reply(call, "more than a reply may hold: 300000 fields"));
  }
  Reply reply;
  if (!reply.ParseFromString(bytes)) {
    return tl::unexpected(bad_reply(call, "the reply cannot be decoded"));
  }
  return reply;
}

/// Overwrites what a request holds in secret.
template <class Request>
void forget_secrets(Request&) {}
void forget_secrets(machine::ApplyConfigurationRequest& request);

template <class Request, class Reply>
Task<CallResult<Reply>> unary(Context context, std::shared_ptr<Connection> connection, Call call,
                              UnaryMethod<Request, Reply> method, Request request,
                              Duration limit = kCallLimit) {
  std::string bytes = request.SerializeAsString();
  forget_secrets(request);
  auto answer =
      co_await unary_bytes(context, std::move(connection), call, method.path, std::move(bytes),
                           method.reply_bytes_max, std::max(limit, method.longest));
  if (!answer) co_return forward_error(answer);
  std::size_t fields = 0;
  co_return decode_reply<Reply>(call, *answer, fields);
}

template <class Request, class Reply>
Task<CallResult<std::vector<Reply>>> collect(Context context,
                                             std::shared_ptr<Connection> connection, Call call,
                                             StreamMethod<Request, Reply> method, Request request,
                                             StreamLimits limits = {}) {
  limits.longest = method.longest;
  auto answers =
      co_await collect_bytes(context, std::move(connection), call, method.path,
                             request.SerializeAsString(), limits, method.reply_bytes_max);
  if (!answers) co_return forward_error(answers);
  std::vector<Reply> replies;
  std::size_t fields = 0;
  for (const std::string& bytes : *answers) {
    auto reply = decode_reply<Reply>(call, bytes, fields);
    if (!reply) co_return forward_error(reply);
    replies.push_back(*std::move(reply));
  }
  co_return replies;
}

/// The error that a reply's item carries although the call as a whole succeeded: apid reports the
/// failure of one node that way.
template <class Item>
std::optional<CallError> item_error(Call call, const Item& item) {
  const common::Metadata& metadata = item.metadata();
  if (metadata.error().empty()) return std::nullopt;
  const int code = metadata.has_status() ? metadata.status().code() : 0;
  CallError error = bad_reply(call, metadata.error());
  error.code = code > 0 && code <= static_cast<int>(Code::unauthenticated) ? static_cast<Code>(code)
                                                                           : Code::unknown;
  return error;
}

/// The one item of a unary reply, or the error it carries.
template <class Reply>
auto only_item(Call call, CallResult<Reply> reply)
    -> CallResult<std::decay_t<decltype(reply->messages(0))>> {
  if (!reply) return forward_error(reply);
  if (reply->messages_size() != 1) return tl::unexpected(bad_reply(call, "not one item"));
  if (auto error = item_error(call, reply->messages(0))) return tl::unexpected(*error);
  return std::move(*reply->mutable_messages(0));
}

/// How a mutation ended whose reply says no more than that it was done.
template <class Reply>
Outcome outcome_of(Call call, CallResult<Reply> reply) {
  if (!reply) return Outcome::failed(std::move(reply).error());
  for (const auto& item : reply->messages()) {
    if (auto error = item_error(call, item)) return Outcome::failed(*std::move(error));
  }
  return Outcome::done();
}

}  // namespace ichor
