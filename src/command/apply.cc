#include "command/commands.h"
#include "run/partial_run.h"

namespace ichor {

Exit run(const ApplyOptions& request, const CommonOptions& common, Host& host) {
  // A config goes only to a machine that is known, so the machines are found out first.
  const EngineOptions options{{"preflight", "discover", "edits", "apply"}, true};
  return run_phases(common, {request.nodes, request.change, {}}, options, host);
}

}  // namespace ichor
