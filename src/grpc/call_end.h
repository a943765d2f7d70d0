#pragma once

#include <string>

#include "model/call.h"

namespace ichor::grpc {

/// Who ended a call, as far as this side can prove it.
enum class EndedBy {
  server,       // its trailers say so
  not_grpc,     // an HTTP answer, a reset or bytes that no gRPC server sends
  unprocessed,  // the peer proves that it never looked at the call, or it never left this machine
  connection,   // it broke while the call was open
  deadline,     // ours
  caller,       // it lost interest
  limit,        // the peer sent more than the call may receive
};

/// How a call ended. For a success the code is ok and the server ended it.
struct CallEnd {
  Code code{Code::unknown};
  std::string text;     // from the peer: not fit for a terminal
  std::string details;  // serialized google.rpc.Status; empty if there are none
  EndedBy by{EndedBy::connection};

  bool ok() const { return code == Code::ok && by == EndedBy::server; }
};

}  // namespace ichor::grpc
