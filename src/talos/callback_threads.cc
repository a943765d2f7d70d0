#include "talos/callback_threads.h"

#include <future>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include "machine.grpc.pb.h"

namespace ichor {

CallbackThreads::CallbackThreads()
    // Without credentials a channel is lame: it never connects, and every call on it fails at once.
    : channel_(grpc::CreateChannel("nowhere", nullptr)) {
  // The first call is what ties a channel to the threads.
  const auto stub = machine::MachineService::NewStub(channel_);
  grpc::ClientContext context;
  const google::protobuf::Empty request;
  machine::VersionResponse reply;
  std::promise<void> failed;
  stub->async()->Version(&context, &request, &reply,
                         [&failed](const grpc::Status&) { failed.set_value(); });
  failed.get_future().wait();
}

CallbackThreads::~CallbackThreads() = default;

}  // namespace ichor
