#include "talos/connection.h"

#include <utility>

#include "base/clean_text.h"

namespace ichor {

namespace {

/// Whether a call may have been carried out although apid says this: it passes calls on to
/// machined, and says these when it lost machined while it waited for the answer.
bool may_have_happened(Code code) {
  switch (code) {
    case Code::cancelled:
    case Code::deadline_exceeded:
    case Code::unavailable:
    case Code::internal:
    case Code::data_loss:
    case Code::resource_exhausted: return true;
    default: return false;
  }
}

}  // namespace

Connection::Connection(std::unique_ptr<grpc::Channel> channel, Server server,
                       std::string forward_to)
    : channel_(std::move(channel)), server_(server), forward_to_(std::move(forward_to)) {}

std::shared_ptr<grpc::ClientCall> Connection::start(std::string_view path, Duration limit,
                                                    std::size_t reply_bytes_max) {
  grpc::CallRequest request;
  request.path = path;
  request.message_bytes_max = reply_bytes_max;
  if (!forward_to_.empty()) request.metadata.emplace_back("node", forward_to_);
  return channel_->start(std::move(request), limit);
}

void Connection::register_stream(const std::shared_ptr<grpc::ClientCall>& stream) {
  std::erase_if(streams_, [](const auto& open) { return open.expired(); });
  streams_.push_back(stream);
}

void Connection::end_streams() {
  for (const auto& open : std::exchange(streams_, {})) {
    if (const auto stream = open.lock()) {
      stream->cancel(Code::cancelled, "a config is applied", grpc::EndedBy::caller);
    }
  }
}

CallError Connection::error_of(Call call, const grpc::ClientCall& ended) const {
  const grpc::CallEnd& end = ended.end();
  CallError error;
  error.call = call;
  error.code = end.code;
  error.text = clean_text(end.text);
  error.progress = Progress::sent;
  const bool told_by_another = mutates(call) && server_ == Server::behind_apid;
  if (end.by == grpc::EndedBy::unprocessed) {
    error.progress = Progress::not_sent;
  } else if (end.by == grpc::EndedBy::server && !(told_by_another && may_have_happened(end.code))) {
    error.progress = Progress::answered;
  }
  return error;
}

CallError bad_reply(Call call, std::string text) {
  return {call, Progress::answered, TlsVerdict::fine, Code::internal, clean_text(text)};
}

}  // namespace ichor
