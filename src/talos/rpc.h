#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async/task.h"
#include "talos/connection.h"
#include "talos/methods.h"
#include "talos/real_time.h"
#include "talos/wire_fields.h"

namespace ichor {

/// No single call lasts longer, whatever its caller grants.
inline constexpr Duration kCallLimit = std::chrono::seconds(60);

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
};

/// A unary call in bytes. `request` is overwritten, because it may hold secrets.
Task<CallResult<std::string>> unary_bytes(Context context, std::shared_ptr<Connection> connection,
                                          Call call, std::string_view path, std::string request,
                                          std::size_t reply_bytes_max);

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
                              UnaryMethod<Request, Reply> method, Request request) {
  std::string bytes = request.SerializeAsString();
  forget_secrets(request);
  auto answer = co_await unary_bytes(context, std::move(connection), call, method.path,
                                     std::move(bytes), method.reply_bytes_max);
  if (!answer) co_return forward_error(answer);
  std::size_t fields = 0;
  co_return decode_reply<Reply>(call, *answer, fields);
}

template <class Request, class Reply>
Task<CallResult<std::vector<Reply>>> collect(Context context,
                                             std::shared_ptr<Connection> connection, Call call,
                                             StreamMethod<Request, Reply> method, Request request,
                                             StreamLimits limits = {}) {
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

}  // namespace ichor
