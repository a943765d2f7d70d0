#include "cli/command_list.h"

namespace ichor {

void declare_watch(FlagSet&, Request& request) { request.emplace<WatchRequest>(); }

}  // namespace ichor
