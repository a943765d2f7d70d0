#pragma once

#include <google/protobuf/message_lite.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "async/context.h"
#include "async/task.h"
#include "grpc/channel.h"

namespace ichor {

/// Calls of gRPC's interoperability tests on one connection, and what is expected of them. The
/// first thing that is not as expected stays in complaint(); every later step is skipped.
class Caller {
 public:
  using Call = std::shared_ptr<grpc::ClientCall>;
  using Message = google::protobuf::MessageLite;

  Caller(Context context, grpc::Channel& channel) : context_(context), channel_(channel) {}

  const std::string& complaint() const { return complaint_; }
  bool fine() const { return complaint_.empty(); }
  void expect(bool holds, std::string_view what);

  /// `path` is below the test service unless it begins with a slash.
  Call start(std::string_view path, grpc::Metadata metadata = {},
             Duration limit = grpc::Channel::kNoLimit);
  void send(const Call& call, const Message& message);

  /// Waits for the next message and reads it. False: the call ended instead.
  Task<bool> receive(Call call, Message& message);
  /// As receive(), and complains if there is none.
  Task<void> expect_message(Call call, Message& message);
  /// Waits for the end; a message before it is a complaint.
  Task<void> expect_end(Call call, Code code, std::optional<std::string> text = {});
  /// A whole unary call.
  Task<void> unary(std::string_view path, const Message& request, Message& response,
                   grpc::Metadata metadata = {});

 private:
  Context context_;
  grpc::Channel& channel_;
  std::string complaint_;
};

}  // namespace ichor
