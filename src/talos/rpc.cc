#include "talos/rpc.h"

#include <string.h>

namespace ichor {

void forget_secrets(machine::ApplyConfigurationRequest& request) {
  std::string& config = *request.mutable_data();
  explicit_bzero(config.data(), config.size());
}

std::optional<CallError> cannot_start(const Context& context, Connection& connection, Call call) {
  CallError error;
  error.call = call;
  if (context.cancelled()) {
    error.code = Code::cancelled;
    error.text = "called off before it was sent";
  } else if (context.expired()) {
    error.code = Code::deadline_exceeded;
    error.text = "out of time before it was sent";
  } else if (!connection.alive()) {
    error.code = Code::unavailable;
    error.text = "the connection of this session is gone";
  } else {
    return std::nullopt;
  }
  return error;
}

Task<grpc::Status> settle(Context context, std::shared_ptr<Slot<grpc::Status>> ended,
                          std::shared_ptr<grpc::ClientContext> rpc) {
  const Context patient = until_settled(context);
  const Wake wake = co_await Slot<grpc::Status>::ready(ended, patient);
  if (wake == Wake::cancelled) {
    rpc->TryCancel();
    CancelScope deaf;
    const Context last_word = patient.under(deaf);
    co_await Slot<grpc::Status>::ready(ended, last_word);
  }
  co_return ended->take();
}

}  // namespace ichor
