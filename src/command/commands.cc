#include "command/commands.h"

namespace ichor {

Exit run_command(const Invocation& invocation, Host& host) {
  return std::visit([&](const auto& request) { return run(request, invocation.common, host); },
                    invocation.request);
}

}  // namespace ichor
