#include "command/commands.h"

namespace ichor {

Exit run_command(const Invocation& invocation, Desk& desk) {
  return std::visit([&](const auto& request) { return run(request, invocation.common, desk); },
                    invocation.request);
}

}  // namespace ichor
