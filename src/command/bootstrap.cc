#include "command/commands.h"
#include "run/partial_run.h"

namespace ichor {

Exit run(const BootstrapOptions& request, const CommonOptions& common, Host& host) {
  // The call goes only to a machine that is known, and it is not over before etcd is healthy.
  const EngineOptions options{{"discover", "bootstrap", "etcd"}, true};
  return run_phases(common, {request.nodes, request.change, request.exclude}, options, host);
}

}  // namespace ichor
