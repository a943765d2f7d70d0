#include "command/commands.h"
#include "command/partial_run.h"

namespace ichor {

Exit run(const VerifyRequest& request, const CommonOptions& common, Desk& desk) {
  ChangeOptions change;
  change.patience = request.patience;
  return run_phases(common, {request.nodes, change, {}}, {{"verify"}, false}, desk);
}

}  // namespace ichor
