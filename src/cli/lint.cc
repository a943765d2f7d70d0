#include "cli/command_list.h"

namespace ichor {

void declare_lint(FlagSet&, Request& request) { request.emplace<LintRequest>(); }

}  // namespace ichor
