// debian_peer: Debian's gRPC as the other end of grpc_peer, for the interoperability tests
// (tests/grpc/interop.py) and as the yardstick of the benchmarks (bench/wire.py). The product does
// not link it.
//
//   debian_peer serve CERTIFICATE KEY                prints its port and serves until its input
//   ends debian_peer call CA NAME PORT CASE...            plays cases; one line for each
//   debian_peer cases                                their names
//   debian_peer rate CA NAME PORT CALLS AT_ONCE      prints "SECONDS PROCESSOR_SECONDS"
//   debian_peer hold CA NAME PORT COUNT              opens COUNT connections; prints KiB for each

#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <functional>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "bench/usage.h"
#include "interop.grpc.pb.h"

namespace {

namespace pb = grpc::testing;
using Stub = pb::TestService::Stub;

constexpr int kMessageLimit = 8 << 20;
constexpr std::array<int, 4> kRequestBytes{27182, 8, 1828, 45904};
constexpr std::array<int, 4> kResponseBytes{31415, 9, 2653, 58979};
constexpr const char* kEchoInitial = "x-grpc-test-echo-initial";
constexpr const char* kEchoTrailing = "x-grpc-test-echo-trailing-bin";

std::string zeros(int size) { return std::string(static_cast<std::size_t>(size), '\0'); }

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class Service final : public pb::TestService::Service {
  using Context = grpc::ServerContext;

  static void echo(Context* context) {
    const auto& sent = context->client_metadata();
    if (const auto found = sent.find(kEchoInitial); found != sent.end()) {
      context->AddInitialMetadata(kEchoInitial, {found->second.data(), found->second.size()});
    }
    if (const auto found = sent.find(kEchoTrailing); found != sent.end()) {
      context->AddTrailingMetadata(kEchoTrailing, {found->second.data(), found->second.size()});
    }
  }

  template <class Request>
  static grpc::Status wanted(const Request& request) {
    const auto& status = request.response_status();
    return {static_cast<grpc::StatusCode>(status.code()), status.message()};
  }

  template <class Stream>
  static bool answer(const pb::StreamingOutputCallRequest& request, Stream* stream) {
    for (const auto& part : request.response_parameters()) {
      std::this_thread::sleep_for(std::chrono::microseconds(part.interval_us()));
      pb::StreamingOutputCallResponse response;
      response.mutable_payload()->set_body(zeros(part.size()));
      if (!stream->Write(response)) return false;
    }
    return true;
  }

  grpc::Status EmptyCall(Context*, const pb::Empty*, pb::Empty*) override { return {}; }

  grpc::Status UnaryCall(Context* context, const pb::SimpleRequest* request,
                         pb::SimpleResponse* response) override {
    echo(context);
    if (request->has_response_status()) return wanted(*request);
    response->mutable_payload()->set_body(zeros(request->response_size()));
    return {};
  }

  grpc::Status StreamingOutputCall(
      Context* context, const pb::StreamingOutputCallRequest* request,
      grpc::ServerWriter<pb::StreamingOutputCallResponse>* writer) override {
    echo(context);
    if (request->has_response_status()) return wanted(*request);
    answer(*request, writer);
    return {};
  }

  grpc::Status StreamingInputCall(Context* context,
                                  grpc::ServerReader<pb::StreamingInputCallRequest>* reader,
                                  pb::StreamingInputCallResponse* response) override {
    echo(context);
    int size = 0;
    pb::StreamingInputCallRequest request;
    while (reader->Read(&request)) size += static_cast<int>(request.payload().body().size());
    response->set_aggregated_payload_size(size);
    return {};
  }

  grpc::Status FullDuplexCall(
      Context* context,
      grpc::ServerReaderWriter<pb::StreamingOutputCallResponse, pb::StreamingOutputCallRequest>*
          stream) override {
    echo(context);
    pb::StreamingOutputCallRequest request;
    while (stream->Read(&request)) {
      if (request.has_response_status()) return wanted(request);
      if (!answer(request, stream)) break;
    }
    return {};
  }
};

int serve(const std::string& certificate, const std::string& key) {
  grpc::SslServerCredentialsOptions tls;
  tls.pem_key_cert_pairs.push_back({content_of(key), content_of(certificate)});
  Service service;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(tls), &port);
  builder.SetMaxReceiveMessageSize(kMessageLimit);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  if (!server) return 1;
  std::cout << port << std::endl;
  std::cin.ignore(std::numeric_limits<std::streamsize>::max());
  server->Shutdown(std::chrono::system_clock::now());
  return 0;
}

struct Target {
  std::string ca, name, port;

  /// A channel with a connection of its own; grpc++ shares them between like channels otherwise.
  std::shared_ptr<grpc::Channel> channel() const {
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride(name);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(kMessageLimit);
    return grpc::CreateCustomChannel("127.0.0.1:" + port,
                                     grpc::SslCredentials({content_of(ca), "", ""}), arguments);
  }
};

/// The first thing that is not as expected; empty while all is.
using Case = std::function<std::string(grpc::Channel& channel, Stub& stub)>;

std::string expect(const grpc::Status& status, grpc::StatusCode code,
                   const std::string& text = "") {
  if (status.error_code() != code) {
    return "code " + std::to_string(status.error_code()) + ": " + status.error_message();
  }
  return text.empty() || status.error_message() == text ? "" : "text " + status.error_message();
}

std::string expect_size(const std::string& body, int size) {
  if (body.size() == static_cast<std::size_t>(size)) return "";
  return std::to_string(body.size()) + " bytes and not " + std::to_string(size);
}

std::string empty_unary(grpc::Channel&, Stub& stub) {
  grpc::ClientContext context;
  pb::Empty response;
  return expect(stub.EmptyCall(&context, {}, &response), grpc::OK);
}

std::string unary_of(Stub& stub, int request_bytes, int response_bytes) {
  grpc::ClientContext context;
  pb::SimpleRequest request;
  request.set_response_size(response_bytes);
  request.mutable_payload()->set_body(zeros(request_bytes));
  pb::SimpleResponse response;
  const std::string wrong = expect(stub.UnaryCall(&context, request, &response), grpc::OK);
  return wrong.empty() ? expect_size(response.payload().body(), response_bytes) : wrong;
}

std::string client_streaming(grpc::Channel&, Stub& stub) {
  grpc::ClientContext context;
  pb::StreamingInputCallResponse response;
  const auto writer = stub.StreamingInputCall(&context, &response);
  for (const int size : kRequestBytes) {
    pb::StreamingInputCallRequest request;
    request.mutable_payload()->set_body(zeros(size));
    writer->Write(request);
  }
  writer->WritesDone();
  const std::string wrong = expect(writer->Finish(), grpc::OK);
  if (!wrong.empty()) return wrong;
  return response.aggregated_payload_size() == 74922 ? "" : "the server counted other sizes";
}

std::string streamed(Stub& stub, const std::vector<int>& sizes) {
  grpc::ClientContext context;
  pb::StreamingOutputCallRequest request;
  for (const int size : sizes) request.add_response_parameters()->set_size(size);
  const auto reader = stub.StreamingOutputCall(&context, request);
  pb::StreamingOutputCallResponse response;
  std::size_t read = 0;
  for (; reader->Read(&response); ++read) {
    if (read == sizes.size()) return "too many messages";
    const std::string wrong = expect_size(response.payload().body(), sizes[read]);
    if (!wrong.empty()) return wrong;
  }
  if (read != sizes.size()) return "too few messages";
  return expect(reader->Finish(), grpc::OK);
}

std::string ping_pong(grpc::Channel&, Stub& stub) {
  grpc::ClientContext context;
  const auto stream = stub.FullDuplexCall(&context);
  for (std::size_t i = 0; i < kRequestBytes.size(); ++i) {
    pb::StreamingOutputCallRequest request;
    request.add_response_parameters()->set_size(kResponseBytes[i]);
    request.mutable_payload()->set_body(zeros(kRequestBytes[i]));
    stream->Write(request);
    pb::StreamingOutputCallResponse response;
    if (!stream->Read(&response)) return "no message";
    const std::string wrong = expect_size(response.payload().body(), kResponseBytes[i]);
    if (!wrong.empty()) return wrong;
  }
  stream->WritesDone();
  return expect(stream->Finish(), grpc::OK);
}

std::string empty_stream(grpc::Channel&, Stub& stub) {
  grpc::ClientContext context;
  const auto stream = stub.FullDuplexCall(&context);
  stream->WritesDone();
  pb::StreamingOutputCallResponse response;
  if (stream->Read(&response)) return "a message";
  return expect(stream->Finish(), grpc::OK);
}

std::string timeout_on_sleeping_server(grpc::Channel& channel, Stub& stub) {
  {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(1));
    const auto stream = stub.FullDuplexCall(&context);
    pb::StreamingOutputCallRequest request;
    auto& part = *request.add_response_parameters();
    part.set_size(31415);
    part.set_interval_us(2'000'000);
    stream->Write(request);
    const std::string wrong = expect(stream->Finish(), grpc::DEADLINE_EXCEEDED);
    if (!wrong.empty()) return wrong;
  }
  return empty_unary(channel, stub);
}

std::string cancel_after_begin(grpc::Channel& channel, Stub& stub) {
  {
    grpc::ClientContext context;
    pb::StreamingInputCallResponse response;
    const auto writer = stub.StreamingInputCall(&context, &response);
    context.TryCancel();
    const std::string wrong = expect(writer->Finish(), grpc::CANCELLED);
    if (!wrong.empty()) return wrong;
  }
  return empty_unary(channel, stub);
}

std::string cancel_after_first_response(grpc::Channel& channel, Stub& stub) {
  {
    grpc::ClientContext context;
    const auto stream = stub.FullDuplexCall(&context);
    pb::StreamingOutputCallRequest request;
    request.add_response_parameters()->set_size(31415);
    stream->Write(request);
    pb::StreamingOutputCallResponse response;
    if (!stream->Read(&response)) return "no message";
    context.TryCancel();
    const std::string wrong = expect(stream->Finish(), grpc::CANCELLED);
    if (!wrong.empty()) return wrong;
  }
  return empty_unary(channel, stub);
}

std::string echoed_status(Stub& stub, const std::string& text) {
  grpc::ClientContext context;
  pb::SimpleRequest request;
  request.mutable_response_status()->set_code(grpc::UNKNOWN);
  request.mutable_response_status()->set_message(text);
  pb::SimpleResponse response;
  return expect(stub.UnaryCall(&context, request, &response), grpc::UNKNOWN, text);
}

std::string custom_metadata(grpc::Channel&, Stub& stub) {
  grpc::ClientContext context;
  context.AddMetadata(kEchoInitial, "test_initial_metadata_value");
  context.AddMetadata(kEchoTrailing, "\xab\xab\xab");
  pb::SimpleResponse response;
  const std::string wrong = expect(stub.UnaryCall(&context, {}, &response), grpc::OK);
  if (!wrong.empty()) return wrong;
  const auto has = [](const auto& metadata, const char* name, const char* value) {
    const auto found = metadata.find(name);
    return found != metadata.end() && found->second == value;
  };
  if (!has(context.GetServerInitialMetadata(), kEchoInitial, "test_initial_metadata_value")) {
    return "no echo before the messages";
  }
  return has(context.GetServerTrailingMetadata(), kEchoTrailing, "\xab\xab\xab")
             ? ""
             : "no echo after the messages";
}

std::string unimplemented(grpc::Channel& channel, const char* path) {
  grpc::ClientContext context;
  pb::Empty response;
  const grpc::internal::RpcMethod method(path, grpc::internal::RpcMethod::NORMAL_RPC);
  return expect(
      grpc::internal::BlockingUnaryCall(&channel, method, &context, pb::Empty(), &response),
      grpc::UNIMPLEMENTED);
}

const std::map<std::string, Case>& cases() {
  static const std::map<std::string, Case> known{
      {"empty_unary", empty_unary},
      {"large_unary", [](auto&, Stub& stub) { return unary_of(stub, 271828, 314159); }},
      {"four_mebibytes",
       [](auto&, Stub& stub) { return unary_of(stub, (4 << 20) - 64, (4 << 20) - 64); }},
      {"client_streaming", client_streaming},
      {"server_streaming",
       [](auto&, Stub& stub) {
         return streamed(stub, {kResponseBytes.begin(), kResponseBytes.end()});
       }},
      {"long_stream",
       [](auto&, Stub& stub) { return streamed(stub, std::vector<int>(1000, 10'000)); }},
      {"ping_pong", ping_pong},
      {"empty_stream", empty_stream},
      {"timeout_on_sleeping_server", timeout_on_sleeping_server},
      {"cancel_after_begin", cancel_after_begin},
      {"cancel_after_first_response", cancel_after_first_response},
      {"status_code_and_message",
       [](auto&, Stub& stub) { return echoed_status(stub, "test status message"); }},
      {"special_status_message",
       [](auto&, Stub& stub) {
         return echoed_status(
             stub, "\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \U0001F608\t\n");
       }},
      {"custom_metadata", custom_metadata},
      {"unimplemented_method",
       [](auto& channel, Stub&) {
         return unimplemented(channel, "/grpc.testing.TestService/UnimplementedCall");
       }},
      {"unimplemented_service",
       [](auto& channel, Stub&) {
         return unimplemented(channel, "/grpc.testing.UnimplementedService/UnimplementedCall");
       }},
  };
  return known;
}

int call(const Target& target, const std::vector<std::string>& names) {
  const auto channel = target.channel();
  Stub stub(channel);
  int failed = 0;
  for (const std::string& name : names) {
    const auto found = cases().find(name);
    const std::string wrong =
        found == cases().end() ? "no such case" : found->second(*channel, stub);
    if (!wrong.empty()) ++failed;
    std::cout << name << (wrong.empty() ? " passed" : " failed: " + wrong) << std::endl;
  }
  return failed > 0 ? 1 : 0;
}

/// One call that grpc++ makes in the background.
struct Flight {
  grpc::ClientContext context;
  pb::Empty response;
  grpc::Status status;
  std::unique_ptr<grpc::ClientAsyncResponseReader<pb::Empty>> reader;
};

int rate(const Target& target, int calls, int at_once) {
  Stub stub(target.channel());
  grpc::CompletionQueue queue;
  const auto launch = [&] {
    auto* flight = new Flight;  // deleted where the queue returns it
    flight->reader = stub.AsyncEmptyCall(&flight->context, {}, &queue);
    flight->reader->Finish(&flight->response, &flight->status, flight);
  };
  const auto fly = [&](int count) {
    int started = 0;
    for (; started < at_once && started < count; ++started) launch();
    for (int ended = 0; ended < count; ++ended) {
      void* tag = nullptr;
      bool fine = false;
      if (!queue.Next(&tag, &fine)) return false;
      const std::unique_ptr<Flight> flight(static_cast<Flight*>(tag));
      if (!flight->status.ok()) return false;
      if (started < count) {
        launch();
        ++started;
      }
    }
    return true;
  };
  if (!fly(at_once)) return 1;  // the handshake and the first calls are not measured
  const Usage before = Usage::now();
  if (!fly(calls)) return 1;
  std::cout << Usage::now().since(before) << std::endl;
  return 0;
}

int hold(const Target& target, int count) {
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  const auto open = [&] {
    channels.push_back(target.channel());
    Stub stub(channels.back());
    return empty_unary(*channels.back(), stub).empty();
  };
  if (!open()) return 1;  // what the first connection sets up is not measured
  const long before = resident_kib();
  for (int i = 0; i < count; ++i) {
    if (!open()) return 1;
  }
  std::cout << (resident_kib() - before) / static_cast<double>(count) << std::endl;
  return 0;
}

int run(const std::vector<std::string>& words) {
  const std::size_t count = words.size();
  const std::string verb = count > 0 ? words[0] : "";
  if (verb == "cases") {
    for (const auto& [name, unused] : cases()) std::cout << name << '\n';
    return 0;
  }
  if (verb == "serve" && count == 3) return serve(words[1], words[2]);
  if (count >= 5) {
    const Target target{words[1], words[2], words[3]};
    if (verb == "call") return call(target, {words.begin() + 4, words.end()});
    if (verb == "rate" && count == 6) return rate(target, std::stoi(words[4]), std::stoi(words[5]));
    if (verb == "hold" && count == 5) return hold(target, std::stoi(words[4]));
  }
  std::cerr << "usage: debian_peer serve CERTIFICATE KEY | call CA NAME PORT CASE... | cases |\n"
               "       rate CA NAME PORT CALLS AT_ONCE | hold CA NAME PORT COUNT\n";
  return 64;
}

}  // namespace

int main(int argc, char** argv) { return run({argv + 1, argv + argc}); }
