#pragma once

#include <string>

#include "async/task.h"
#include "grpc/channel.h"

namespace ichor {

/// Makes `calls` empty calls, `at_once` of them at any time, and writes "SECONDS
/// PROCESSOR_SECONDS" into `result`; leaves it empty if a call fails. As many calls as fly at once
/// come first and are not measured.
Task<void> measure_rate(Context context, grpc::Channel& channel, int calls, int at_once,
                        std::string& result);

}  // namespace ichor
