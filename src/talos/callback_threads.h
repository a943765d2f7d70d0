#pragma once

#include <memory>

namespace grpc {
class Channel;
}

namespace ichor {

/// Keeps gRPC's callback threads for as long as it lives.
///
/// gRPC 1.51 ends these threads when the last channel that used them goes, and waits for their end
/// on whichever thread that happens. On one of themselves it cannot wait, goes on regardless, and
/// frees their queue twice. A session may end anywhere, so this holds a channel of its own that
/// leads nowhere. It must go after all sessions, on a thread that is not gRPC's.
class CallbackThreads {
 public:
  CallbackThreads();
  CallbackThreads(const CallbackThreads&) = delete;
  CallbackThreads& operator=(const CallbackThreads&) = delete;
  ~CallbackThreads();

 private:
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace ichor
