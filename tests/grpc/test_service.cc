#include "tests/grpc/test_service.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include "interop.pb.h"

namespace ichor {

using ::grpc::testing::Payload;
using ::grpc::testing::SimpleRequest;
using ::grpc::testing::SimpleResponse;
using ::grpc::testing::StreamingInputCallRequest;
using ::grpc::testing::StreamingInputCallResponse;
using ::grpc::testing::StreamingOutputCallRequest;
using ::grpc::testing::StreamingOutputCallResponse;

namespace {

constexpr std::string_view kService = "/grpc.testing.TestService/";
constexpr std::string_view kEchoInitial = "x-grpc-test-echo-initial";
constexpr std::string_view kEchoTrailing = "x-grpc-test-echo-trailing-bin";
/// How soon to try again when a client reads slower than we write.
constexpr Duration kRetryDelay = std::chrono::milliseconds(5);

enum class Method { empty, unary, output, input, full_duplex, half_duplex };

std::optional<Method> method_of(std::string_view path) {
  static const std::map<std::string_view, Method> known{
      {"EmptyCall", Method::empty},
      {"UnaryCall", Method::unary},
      {"StreamingOutputCall", Method::output},
      {"StreamingInputCall", Method::input},
      {"FullDuplexCall", Method::full_duplex},
      {"HalfDuplexCall", Method::half_duplex},
  };
  if (!path.starts_with(kService)) return std::nullopt;
  const auto found = known.find(path.substr(kService.size()));
  if (found == known.end()) return std::nullopt;
  return found->second;
}

void fill(Payload& payload, int size) {
  payload.set_body(std::string(static_cast<std::size_t>(std::max(size, 0)), '\0'));
}

grpc::Metadata echoed(const grpc::Metadata& sent, std::string_view name) {
  grpc::Metadata found;
  for (const auto& header : sent) {
    if (header.first == name) found.push_back(header);
  }
  return found;
}

}  // namespace

struct TestService::Serving {
  struct Reply {
    MonoTime due;
    std::string message;
  };

  Call stream;
  Method method{Method::empty};
  std::deque<Reply> replies;
  int input_bytes{0};
  bool finished{false};
  Clock::CallId wake{0};
  Clock::CallId deadline{0};
};

TestService::TestService(Clock& clock) : clock_(clock) {}

TestService::~TestService() = default;

grpc::Http2Server::Events TestService::events() {
  grpc::Http2Server::Events events;
  events.on_call = [this](const Call& call) { begin(call); };
  events.on_message = [this](const Call& call) {
    if (const auto serving = find(call)) receive(*serving);
  };
  events.on_half_close = [this](const Call& call) {
    if (const auto serving = find(call)) half_close(*serving);
  };
  events.on_end = [this](const Call& call) { forget(call); };
  return events;
}

TestService::ServingPtr TestService::find(const Call& call) const {
  const auto found = calls_.find(call.get());
  return found == calls_.end() ? nullptr : found->second;
}

void TestService::begin(const Call& call) {
  const auto method = method_of(call->path());
  if (!method) return call->finish(Code::unimplemented, "unknown method " + call->path());
  const auto serving = std::make_shared<Serving>();
  serving->stream = call;
  serving->method = *method;
  calls_[call.get()] = serving;
  call->set_initial_metadata(echoed(call->metadata(), kEchoInitial));
  if (call->timeout()) {
    const auto give_up = [this, serving] {
      serving->deadline = 0;
      finish(*serving, Code::deadline_exceeded, "the deadline has passed");
    };
    serving->deadline = clock_.call_at(later(clock_.now(), *call->timeout()), give_up);
  }
}

void TestService::forget(const Call& call) {
  const auto serving = find(call);
  if (!serving) return;
  clock_.cancel(serving->wake);
  clock_.cancel(serving->deadline);
  calls_.erase(call.get());
}

void TestService::receive(Serving& serving) {
  if (serving.finished || !serving.stream->has_message()) return;
  const std::string message = serving.stream->take_message();
  switch (serving.method) {
    case Method::empty: break;
    case Method::unary: return answer_unary(serving, message);
    case Method::input: {
      StreamingInputCallRequest request;
      if (!request.ParseFromString(message)) {
        return finish(serving, Code::internal, "not a message");
      }
      serving.input_bytes += static_cast<int>(request.payload().body().size());
      return;
    }
    case Method::output:
    case Method::full_duplex:
    case Method::half_duplex: return take_order(serving, message);
  }
}

void TestService::answer_unary(Serving& serving, const std::string& message) {
  SimpleRequest request;
  if (!request.ParseFromString(message)) return finish(serving, Code::internal, "not a message");
  if (request.has_response_status()) {
    const auto& status = request.response_status();
    return finish(serving, static_cast<Code>(status.code()), status.message());
  }
  SimpleResponse response;
  fill(*response.mutable_payload(), request.response_size());
  if (request.fill_server_id()) response.set_server_id("ichor");
  serving.replies.push_back({clock_.now(), response.SerializeAsString()});
}

void TestService::take_order(Serving& serving, const std::string& message) {
  StreamingOutputCallRequest request;
  if (!request.ParseFromString(message)) return finish(serving, Code::internal, "not a message");
  if (request.has_response_status()) {
    const auto& status = request.response_status();
    return finish(serving, static_cast<Code>(status.code()), status.message());
  }
  MonoTime due = serving.replies.empty() ? clock_.now() : serving.replies.back().due;
  for (const auto& wanted : request.response_parameters()) {
    due = later(due, std::chrono::microseconds(wanted.interval_us()));
    StreamingOutputCallResponse response;
    fill(*response.mutable_payload(), wanted.size());
    serving.replies.push_back({due, response.SerializeAsString()});
  }
  if (serving.method == Method::full_duplex) send_due(find(serving.stream));
}

void TestService::half_close(Serving& serving) {
  if (serving.method == Method::empty) serving.replies.push_back({clock_.now(), ""});
  if (serving.method == Method::input) {
    StreamingInputCallResponse response;
    response.set_aggregated_payload_size(serving.input_bytes);
    serving.replies.push_back({clock_.now(), response.SerializeAsString()});
  }
  send_due(find(serving.stream));
}

void TestService::send_due(const ServingPtr& serving) {
  if (!serving || serving->finished || serving->stream->over()) return;
  clock_.cancel(std::exchange(serving->wake, 0));
  MonoTime next = kNever;
  while (!serving->replies.empty() && next == kNever) {
    const Serving::Reply& reply = serving->replies.front();
    if (reply.due > clock_.now()) {
      next = reply.due;
    } else if (serving->stream->write(reply.message)) {
      serving->replies.pop_front();
    } else {
      next = later(clock_.now(), kRetryDelay);
    }
  }
  if (next != kNever) {
    serving->wake = clock_.call_at(next, [this, serving] {
      serving->wake = 0;
      send_due(serving);
    });
  } else if (serving->stream->half_closed()) {
    finish(*serving, Code::ok, "");
  }
}

void TestService::finish(Serving& serving, Code code, const std::string& text) {
  if (std::exchange(serving.finished, true)) return;
  serving.stream->finish(code, text, echoed(serving.stream->metadata(), kEchoTrailing));
}

}  // namespace ichor
