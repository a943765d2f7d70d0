#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_kubeconfig(FlagSet& flags, Request& request) {
  KubeconfigRequest& kubeconfig = request.emplace<KubeconfigRequest>();
  const auto take = [&kubeconfig](const std::string& text) {
    kubeconfig.path = text;
    return text.empty() ? std::string("must not be empty") : std::string();
  };
  declare_identity(flags, kubeconfig.nodes.access);
  declare_endpoints(flags, kubeconfig.nodes.access);
  flags.flag("--merge", kubeconfig.merge);
  flags.flag("--force", kubeconfig.force);
  flags.flag("--use-context", kubeconfig.use_context);
  flags.argument("FILE", FlagSet::Need::optional, take);
}

}  // namespace ichor
