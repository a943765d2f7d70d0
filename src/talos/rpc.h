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

namespace ichor {

/// No single call lasts longer, whatever its caller grants.
inline constexpr Duration kCallLimit = std::chrono::seconds(60);

/// Why a call cannot even start, if so.
std::optional<CallError> cannot_start(const Context& context, const Connection& connection,
                                      Call call);

/// Waits for the next message or the end of a call. When the caller is called off, so is the call.
Task<void> await_news(Context context, std::shared_ptr<grpc::ClientCall> rpc);

/// How much a server may stream at us before we hang up.
struct StreamLimits {
  std::size_t messages_max{4096};
  std::size_t bytes_max{8u << 20};
  std::size_t enough{0};  // after so many messages we hang up content; zero: the server ends it
};

/// A unary call in bytes. `request` is overwritten, because it may hold secrets.
Task<CallResult<std::string>> unary_bytes(Context context, std::shared_ptr<Connection> connection,
                                          Call call, std::string_view path, std::string request);

/// All messages of a server stream that ends by itself, or by limits.enough or the context's time.
Task<CallResult<std::vector<std::string>>> collect_bytes(Context context,
                                                         std::shared_ptr<Connection> connection,
                                                         Call call, std::string_view path,
                                                         std::string request, StreamLimits limits);

/// Overwrites what a request holds in secret.
template <class Request>
void forget_secrets(Request&) {}
void forget_secrets(machine::ApplyConfigurationRequest& request);

template <class Request, class Reply>
Task<CallResult<Reply>> unary(Context context, std::shared_ptr<Connection> connection, Call call,
                              UnaryMethod<Request, Reply> method, Request request) {
  std::string bytes = request.SerializeAsString();
  forget_secrets(request);
  auto answer =
      co_await unary_bytes(context, std::move(connection), call, method.path, std::move(bytes));
  if (!answer) co_return tl::unexpected(std::move(answer).error());
  Reply reply;
  if (!reply.ParseFromString(*answer)) {
    co_return tl::unexpected(bad_reply(call, "the reply cannot be decoded"));
  }
  co_return reply;
}

template <class Request, class Reply>
Task<CallResult<std::vector<Reply>>> collect(Context context,
                                             std::shared_ptr<Connection> connection, Call call,
                                             StreamMethod<Request, Reply> method, Request request,
                                             StreamLimits limits = {}) {
  auto answers = co_await collect_bytes(context, std::move(connection), call, method.path,
                                        request.SerializeAsString(), limits);
  if (!answers) co_return tl::unexpected(std::move(answers).error());
  std::vector<Reply> replies;
  for (const std::string& bytes : *answers) {
    Reply reply;
    if (!reply.ParseFromString(bytes)) {
      co_return tl::unexpected(bad_reply(call, "a message of the reply cannot be decoded"));
    }
    replies.push_back(std::move(reply));
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
