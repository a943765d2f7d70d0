#include "tests/grpc/cases.h"

#include <array>
#include <fmt/format.h>
#include <vector>

#include "interop.pb.h"

namespace ichor {

using ::grpc::testing::Empty;
using ::grpc::testing::Payload;
using ::grpc::testing::SimpleRequest;
using ::grpc::testing::SimpleResponse;
using ::grpc::testing::StreamingInputCallRequest;
using ::grpc::testing::StreamingInputCallResponse;
using ::grpc::testing::StreamingOutputCallRequest;
using ::grpc::testing::StreamingOutputCallResponse;

namespace {

constexpr std::array<int, 4> kRequestBytes{27182, 8, 1828, 45904};
constexpr std::array<int, 4> kResponseBytes{31415, 9, 2653, 58979};

void fill(Payload& payload, int size) {
  payload.set_body(std::string(static_cast<std::size_t>(size), '\0'));
}

StreamingOutputCallRequest order(int request_bytes, int response_bytes) {
  StreamingOutputCallRequest request;
  fill(*request.mutable_payload(), request_bytes);
  request.add_response_parameters()->set_size(response_bytes);
  return request;
}

void expect_size(Caller& caller, const Payload& payload, int size) {
  caller.expect(payload.body().size() == static_cast<std::size_t>(size),
                fmt::format("{} bytes and not {}", payload.body().size(), size));
}

Task<void> empty_unary(Caller& caller) {
  Empty response;
  co_await caller.unary("EmptyCall", Empty(), response);
  caller.expect(response.ByteSizeLong() == 0, "the response is not empty");
}

Task<void> large_unary(Caller& caller) {
  SimpleRequest request;
  request.set_response_size(314159);
  fill(*request.mutable_payload(), 271828);
  SimpleResponse response;
  co_await caller.unary("UnaryCall", request, response);
  expect_size(caller, response.payload(), 314159);
}

Task<void> client_streaming(Caller& caller) {
  const Caller::Call call = caller.start("StreamingInputCall");
  for (const int size : kRequestBytes) {
    StreamingInputCallRequest request;
    fill(*request.mutable_payload(), size);
    caller.send(call, request);
  }
  call->close_sending();
  StreamingInputCallResponse response;
  co_await caller.expect_message(call, response);
  caller.expect(response.aggregated_payload_size() == 74922, "the server counted other sizes");
  co_await caller.expect_end(call, Code::ok);
}

Task<void> server_streaming(Caller& caller) {
  StreamingOutputCallRequest request;
  for (const int size : kResponseBytes) request.add_response_parameters()->set_size(size);
  const Caller::Call call = caller.start("StreamingOutputCall");
  caller.send(call, request);
  call->close_sending();
  for (const int size : kResponseBytes) {
    StreamingOutputCallResponse response;
    co_await caller.expect_message(call, response);
    expect_size(caller, response.payload(), size);
  }
  co_await caller.expect_end(call, Code::ok);
}

Task<void> ping_pong(Caller& caller) {
  const Caller::Call call = caller.start("FullDuplexCall");
  for (std::size_t i = 0; i < kRequestBytes.size() && caller.fine(); ++i) {
    caller.send(call, order(kRequestBytes[i], kResponseBytes[i]));
    StreamingOutputCallResponse response;
    co_await caller.expect_message(call, response);
    expect_size(caller, response.payload(), kResponseBytes[i]);
  }
  call->close_sending();
  co_await caller.expect_end(call, Code::ok);
}

Task<void> empty_stream(Caller& caller) {
  const Caller::Call call = caller.start("FullDuplexCall");
  call->close_sending();
  co_await caller.expect_end(call, Code::ok);
}

Task<void> timeout_on_sleeping_server(Caller& caller) {
  const Caller::Call call = caller.start("FullDuplexCall", {}, std::chrono::milliseconds(1));
  StreamingOutputCallRequest request = order(27182, 31415);
  request.mutable_response_parameters(0)->set_interval_us(10'000'000);
  caller.send(call, request);
  co_await caller.expect_end(call, Code::deadline_exceeded);
  co_await empty_unary(caller);
}

Task<void> cancel_after_begin(Caller& caller) {
  const Caller::Call call = caller.start("StreamingInputCall");
  call->cancel(Code::cancelled, "", grpc::EndedBy::caller);
  co_await caller.expect_end(call, Code::cancelled);
  co_await empty_unary(caller);
}

Task<void> cancel_after_first_response(Caller& caller) {
  const Caller::Call call = caller.start("FullDuplexCall");
  caller.send(call, order(27182, 31415));
  StreamingOutputCallResponse response;
  co_await caller.expect_message(call, response);
  call->cancel(Code::cancelled, "", grpc::EndedBy::caller);
  co_await caller.expect_end(call, Code::cancelled);
  co_await empty_unary(caller);
}

/// A unary call and a stream that end with this code and text.
Task<void> echo_status(Caller& caller, Code code, std::string text, bool with_stream) {
  SimpleRequest request;
  request.mutable_response_status()->set_code(static_cast<int>(code));
  request.mutable_response_status()->set_message(text);
  const Caller::Call unary = caller.start("UnaryCall");
  caller.send(unary, request);
  unary->close_sending();
  co_await caller.expect_end(unary, code, text);
  if (!with_stream) co_return;
  StreamingOutputCallRequest streamed;
  *streamed.mutable_response_status() = request.response_status();
  const Caller::Call stream = caller.start("FullDuplexCall");
  caller.send(stream, streamed);
  stream->close_sending();
  co_await caller.expect_end(stream, code, text);
}

Task<void> status_code_and_message(Caller& caller) {
  return echo_status(caller, Code::unknown, "test status message", true);
}

Task<void> special_status_message(Caller& caller) {
  const std::string text =
      "\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \U0001F608\t\n";
  return echo_status(caller, Code::unknown, text, false);
}

bool has(const grpc::Metadata& metadata, std::string_view name, std::string_view value) {
  for (const auto& [known, held] : metadata) {
    if (known == name && held == value) return true;
  }
  return false;
}

Task<void> custom_metadata(Caller& caller) {
  const std::string initial = "x-grpc-test-echo-initial";
  const std::string trailing = "x-grpc-test-echo-trailing-bin";
  const std::string text = "test_initial_metadata_value";
  // What a client is given as metadata goes out, and comes in, as it is.
  const std::string bytes = grpc::encode_binary("\xab\xab\xab");
  const grpc::Metadata sent{{initial, text}, {trailing, bytes}};
  SimpleRequest request;
  request.set_response_size(1);
  const std::vector<Caller::Call> calls{caller.start("UnaryCall", sent),
                                        caller.start("FullDuplexCall", sent)};
  caller.send(calls[0], request);
  caller.send(calls[1], order(1, 1));
  for (const Caller::Call& call : calls) {
    call->close_sending();
    SimpleResponse response;  // both kinds of response have the payload in the same field
    co_await caller.expect_message(call, response);
    co_await caller.expect_end(call, Code::ok);
    caller.expect(has(call->initial_metadata(), initial, text), "no echo before the messages");
    caller.expect(has(call->trailing_metadata(), trailing, bytes), "no echo after the messages");
  }
}

Task<void> unimplemented(Caller& caller, std::string_view path) {
  const Caller::Call call = caller.start(path);
  caller.send(call, Empty());
  call->close_sending();
  co_await caller.expect_end(call, Code::unimplemented);
}

Task<void> unimplemented_method(Caller& caller) {
  return unimplemented(caller, "UnimplementedCall");
}

Task<void> unimplemented_service(Caller& caller) {
  return unimplemented(caller, "/grpc.testing.UnimplementedService/UnimplementedCall");
}

// Cases of our own.

/// More calls at once than a window of 64 KiB holds responses of.
Task<void> many_at_once(Caller& caller) {
  SimpleRequest request;
  request.set_response_size(50'000);
  fill(*request.mutable_payload(), 20'000);
  std::vector<Caller::Call> calls;
  for (int i = 0; i < 64; ++i) {
    calls.push_back(caller.start("UnaryCall"));
    caller.send(calls.back(), request);
    calls.back()->close_sending();
  }
  for (const Caller::Call& call : calls) {
    SimpleResponse response;
    co_await caller.expect_message(call, response);
    expect_size(caller, response.payload(), 50'000);
    co_await caller.expect_end(call, Code::ok);
  }
}

/// Four mebibytes in one message, there and back; a server of Go takes no more.
Task<void> four_mebibytes(Caller& caller) {
  constexpr int kBytes = (4 << 20) - 64;
  SimpleRequest request;
  request.set_response_size(kBytes);
  fill(*request.mutable_payload(), kBytes);
  SimpleResponse response;
  co_await caller.unary("UnaryCall", request, response);
  expect_size(caller, response.payload(), kBytes);
}

/// A stream of a thousand messages whose reader takes its time, so that windows close and open.
Task<void> long_stream(Caller& caller) {
  constexpr int kMessages = 1000;
  StreamingOutputCallRequest request;
  for (int i = 0; i < kMessages; ++i) request.add_response_parameters()->set_size(10'000);
  const Caller::Call call = caller.start("StreamingOutputCall");
  caller.send(call, request);
  call->close_sending();
  for (int i = 0; i < kMessages && caller.fine(); ++i) {
    if (i % 100 == 0) co_await empty_unary(caller);
    StreamingOutputCallResponse response;
    co_await caller.expect_message(call, response);
    expect_size(caller, response.payload(), 10'000);
  }
  co_await caller.expect_end(call, Code::ok);
}

}  // namespace

const std::map<std::string, Case>& interop_cases() {
  static const std::map<std::string, Case> cases{
      {"empty_unary", empty_unary},
      {"large_unary", large_unary},
      {"client_streaming", client_streaming},
      {"server_streaming", server_streaming},
      {"ping_pong", ping_pong},
      {"empty_stream", empty_stream},
      {"timeout_on_sleeping_server", timeout_on_sleeping_server},
      {"cancel_after_begin", cancel_after_begin},
      {"cancel_after_first_response", cancel_after_first_response},
      {"status_code_and_message", status_code_and_message},
      {"special_status_message", special_status_message},
      {"custom_metadata", custom_metadata},
      {"unimplemented_method", unimplemented_method},
      {"unimplemented_service", unimplemented_service},
      {"many_at_once", many_at_once},
      {"four_mebibytes", four_mebibytes},
      {"long_stream", long_stream},
  };
  return cases;
}

}  // namespace ichor
