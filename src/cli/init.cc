#include "cli/command_list.h"

namespace ichor {

void declare_init(FlagSet& flags, Request& request) {
  InitRequest& init = request.emplace<InitRequest>();
  flags.text("--from", "FILE", init.from);
}

}  // namespace ichor
