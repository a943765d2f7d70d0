#include "cli/command_list.h"

namespace ichor {

void declare_init(FlagSet& flags, Request& request) {
  InitRequest& init = request.emplace<InitRequest>();
  flags.text("--from", "FILE", init.from);
  flags.flag("--from-lab", init.from_lab);
  flags.rule([&init] {
    const bool both = init.from_lab && !init.from.empty();
    return both ? std::string("--from and --from-lab exclude each other") : std::string();
  });
}

}  // namespace ichor
