#include "command/commands.h"
#include "command/partial_run.h"

namespace ichor {

Exit run(const VerifyRequest& request, const CommonOptions& common, Desk& desk) {
  return run_phases(common, {request.nodes, {}, {}}, {{"verify"}, false}, desk);
}

}  // namespace ichor
