#include "tests/grpc/caller.h"

#include <fmt/format.h>
#include <utility>

namespace ichor {

void Caller::expect(bool holds, std::string_view what) {
  if (!holds && complaint_.empty()) complaint_ = what;
}

Caller::Call Caller::start(std::string_view path, grpc::Metadata metadata, Duration limit) {
  grpc::CallRequest request;
  request.path =
      path.starts_with('/') ? std::string(path) : "/grpc.testing.TestService/" + std::string(path);
  request.metadata = std::move(metadata);
  if (limit != grpc::Channel::kNoLimit) request.timeout = limit;
  return channel_.start(std::move(request), limit);
}

void Caller::send(const Call& call, const Message& message) {
  call->send(message.SerializeAsString());
}

Task<bool> Caller::receive(Call call, Message& message) {
  while (!call->has_message() && !call->ended()) {
    const Wake wake = co_await call->changed().wait(context_);
    expect(wake == Wake::signalled, "nothing came within the time");
    if (wake != Wake::signalled) co_return false;
  }
  if (!call->has_message()) co_return false;
  expect(message.ParseFromString(call->take_message()), "a message cannot be decoded");
  co_return true;
}

Task<void> Caller::expect_message(Call call, Message& message) {
  const bool came = co_await receive(call, message);
  if (came || !fine()) co_return;
  expect(false, fmt::format("no message but code {}: {}", static_cast<int>(call->end().code),
                            call->end().text));
}

Task<void> Caller::expect_end(Call call, Code code, std::optional<std::string> text) {
  while (!call->ended()) {
    const Wake wake = co_await call->changed().wait(context_);
    expect(wake == Wake::signalled, "the call did not end within the time");
    if (wake != Wake::signalled) co_return;
  }
  expect(!call->has_message(), "a message without a request");
  const grpc::CallEnd& end = call->end();
  expect(end.code == code, fmt::format("code {} and not {}: {}", static_cast<int>(end.code),
                                       static_cast<int>(code), end.text));
  if (text) expect(end.text == *text, "the text is: " + end.text);
}

Task<void> Caller::unary(std::string_view path, const Message& request, Message& response,
                         grpc::Metadata metadata) {
  const Call call = start(path, std::move(metadata));
  send(call, request);
  call->close_sending();
  co_await expect_message(call, response);
  co_await expect_end(call, Code::ok);
}

}  // namespace ichor
