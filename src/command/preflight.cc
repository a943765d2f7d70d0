#include "command/commands.h"
#include "command/partial_run.h"

namespace ichor {

Exit run(const PreflightRequest& request, const CommonOptions& common, Desk& desk) {
  return run_phases(common, {request.nodes, {}, {}}, {{"preflight"}, false}, desk);
}

}  // namespace ichor
