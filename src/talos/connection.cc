#include "talos/connection.h"

#include <utility>

#include "talos/wire_text.h"

namespace ichor {

namespace {

/// Whether a server that says this to a mutation may have carried it out all the same: apid passes
/// calls on to machined, and says these when it lost machined while it waited for the answer.
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

Progress progress_of(Call call, const grpc::CallEnd& end) {
  switch (end.by) {
    case grpc::EndedBy::unprocessed: return Progress::not_sent;
    case grpc::EndedBy::server:
      return mutates(call) && may_have_happened(end.code) ? Progress::sent : Progress::answered;
    default: return Progress::sent;
  }
}

}  // namespace

Connection::Connection(std::unique_ptr<grpc::Channel> channel, std::string forward_to)
    : channel_(std::move(channel)), forward_to_(std::move(forward_to)) {}

std::shared_ptr<grpc::ClientCall> Connection::start(std::string_view path, Duration limit) {
  grpc::CallRequest request;
  request.path = path;
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

CallError call_error(Call call, const grpc::ClientCall& ended) {
  const grpc::CallEnd& end = ended.end();
  CallError error;
  error.call = call;
  error.code = end.code;
  error.text = clean_text(end.text);
  error.progress = progress_of(call, end);
  return error;
}

CallError bad_reply(Call call, std::string text) {
  return {call, Progress::answered, TlsVerdict::fine, Code::internal, clean_text(text)};
}

}  // namespace ichor
