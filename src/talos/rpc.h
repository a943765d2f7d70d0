#pragma once

#include <functional>
#include <grpcpp/support/client_callback.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "async/slot.h"
#include "talos/connection.h"
#include "talos/real_time.h"

namespace ichor {

/// No single call lasts longer, whatever its caller grants.
inline constexpr Duration kCallLimit = std::chrono::seconds(60);

/// A call as gRPC's threads see it. Both sides own it: gRPC until its last callback, the coroutine
/// while it waits. A coroutine that goes away cancels it.
template <class Request>
struct Rpc {
  grpc::ClientContext context;
  Request request;
  std::shared_ptr<Slot<grpc::Status>> ended{std::make_shared<Slot<grpc::Status>>()};
};

/// Cancels a call unless it has ended. Cancelling twice or too late does no harm.
class CancelOnExit {
 public:
  explicit CancelOnExit(std::shared_ptr<grpc::ClientContext> context)
      : context_(std::move(context)) {}
  CancelOnExit(const CancelOnExit&) = delete;
  CancelOnExit& operator=(const CancelOnExit&) = delete;
  ~CancelOnExit() { context_->TryCancel(); }

 private:
  std::shared_ptr<grpc::ClientContext> context_;
};

/// Overwrites what a request holds in secret; gRPC's own copies are beyond reach.
template <class Request>
void forget_secrets(Request&) {}
void forget_secrets(machine::ApplyConfigurationRequest& request);

/// Why a call cannot even start, if so.
std::optional<CallError> cannot_start(const Context& context, Connection& connection, Call call);

/// Waits for the end of a call. When the caller is called off, so is the call, and gRPC's last word
/// on it is still awaited, because only that tells how far it came; it comes at once.
Task<grpc::Status> settle(Context context, std::shared_ptr<Slot<grpc::Status>> ended,
                          std::shared_ptr<grpc::ClientContext> rpc);

/// A unary call. `method` is one of the callback stubs of `service`, which `connection` owns.
template <class Service, class Request, class Reply>
Task<CallResult<Reply>> unary(Context context, std::shared_ptr<Connection> connection, Call call,
                              Service* service,
                              void (Service::*method)(grpc::ClientContext*, const Request*, Reply*,
                                                      std::function<void(grpc::Status)>),
                              Request request) {
  if (auto error = cannot_start(context, *connection, call)) co_return tl::unexpected(*error);
  struct State : Rpc<Request> {
    Reply reply;
  };
  const auto state = std::make_shared<State>();
  state->request = std::move(request);
  connection->address(state->context);
  state->context.set_deadline(real_deadline(real_limit(context, kCallLimit)));
  const std::shared_ptr<grpc::ClientContext> rpc(state, &state->context);
  const CancelOnExit cancel(rpc);
  (service->*method)(&state->context, &state->request, &state->reply,
                     [state, mailbox = connection->mailbox_ref()](grpc::Status status) {
                       mailbox->post([ended = state->ended, status] { ended->set(status); });
                     });
  const grpc::Status status = co_await settle(context, state->ended, rpc);
  forget_secrets(state->request);
  if (!status.ok()) {
    co_return tl::unexpected(call_error(call, status, *connection));
  }
  co_return std::move(state->reply);
}

/// How much a server may stream at us before we hang up.
struct StreamLimits {
  std::size_t messages_max{4096};
  std::size_t bytes_max{8u << 20};
  std::size_t enough{0};  // after so many messages we hang up content; zero: the server ends it
};

/// Reads a server stream to its end, on gRPC's threads. Deletes nothing: its owners are the
/// callback chain (through `self`) and the coroutine.
template <class Request, class Reply>
class StreamReader final : public grpc::ClientReadReactor<Reply>,
                           public Rpc<Request>,
                           public std::enable_shared_from_this<StreamReader<Request, Reply>> {
 public:
  StreamReader(StreamLimits limits, std::shared_ptr<Mailbox> mailbox)
      : limits_(limits), mailbox_(std::move(mailbox)) {}

  void begin() {
    self_ = this->shared_from_this();
    this->StartRead(&reply_);
    this->StartCall();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    bytes_ += reply_.ByteSizeLong();
    if (replies.size() == limits_.messages_max || bytes_ > limits_.bytes_max) {
      too_much = true;
      this->context.TryCancel();
      return;
    }
    replies.push_back(std::move(reply_));
    reply_.Clear();
    if (replies.size() == limits_.enough) {
      this->context.TryCancel();
      return;
    }
    this->StartRead(&reply_);
  }

  void OnDone(const grpc::Status& status) override {
    mailbox_->post([ended = this->ended, status] { ended->set(status); });
    const auto last = std::move(self_);  // may end this object, so nothing may follow
  }

  // Read by the coroutine, after the end.
  std::vector<Reply> replies;
  bool too_much{false};

 private:
  StreamLimits limits_;
  std::shared_ptr<Mailbox> mailbox_;
  std::shared_ptr<StreamReader> self_;
  Reply reply_;
  std::size_t bytes_{0};
};

/// All messages of a server stream that ends by itself, or by limits.enough or the context's time.
template <class Service, class Request, class Reply>
Task<CallResult<std::vector<Reply>>> collect(
    Context context, std::shared_ptr<Connection> connection, Call call, Service* service,
    void (Service::*method)(grpc::ClientContext*, const Request*, grpc::ClientReadReactor<Reply>*),
    Request request, StreamLimits limits = {}) {
  if (auto error = cannot_start(context, *connection, call)) co_return tl::unexpected(*error);
  using Reader = StreamReader<Request, Reply>;
  const auto reader = std::make_shared<Reader>(limits, connection->mailbox_ref());
  reader->request = std::move(request);
  connection->address(reader->context);
  reader->context.set_deadline(real_deadline(real_limit(context, kCallLimit)));
  const std::shared_ptr<grpc::ClientContext> rpc(reader, &reader->context);
  const CancelOnExit cancel(rpc);
  (service->*method)(&reader->context, &reader->request, reader.get());
  reader->begin();
  const grpc::Status status = co_await settle(context, reader->ended, rpc);
  if (reader->too_much) co_return tl::unexpected(bad_reply(call, "more than a reply may hold"));
  if (limits.enough > 0 && !context.cancelled()) {
    // A stream of news never ends by itself: what came before the time was up is the answer.
    const bool hung_up = reader->replies.size() == limits.enough ||
                         status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED;
    if (hung_up && !reader->replies.empty()) co_return std::move(reader->replies);
  }
  if (!status.ok()) {
    co_return tl::unexpected(call_error(call, status, *connection));
  }
  co_return std::move(reader->replies);
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
