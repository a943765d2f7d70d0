#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_health(FlagSet& flags, Request& request) {
  HealthRequest& health = request.emplace<HealthRequest>();
  declare_addresses(flags, health.nodes);
  declare_identity(flags, health.nodes.access);
  declare_endpoints(flags, health.nodes.access);
  flags.text("--kubeconfig", "FILE", health.kubeconfig);
  flags.value("--wait-timeout", "TIME", [&health](const std::string& text) {
    health.wait_timeout = parse_time(text);
    return health.wait_timeout ? std::string()
                               : "\"" + text + "\" is not a time such as 90s, 5m or 1h";
  });
}

}  // namespace ichor
