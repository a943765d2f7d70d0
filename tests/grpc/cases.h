#pragma once

#include <functional>
#include <map>
#include <string>

#include "tests/grpc/caller.h"

namespace ichor {

/// The interoperability cases that our client can play, by the names that gRPC gives them, and some
/// of our own.
using Case = std::function<Task<void>(Caller&)>;
const std::map<std::string, Case>& interop_cases();

}  // namespace ichor
