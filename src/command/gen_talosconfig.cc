#include "cluster/secrets_input.h"
#include "command/commands.h"
#include "model/or_end.h"
#include "run/deliver.h"
#include "run/finish.h"
#include "secrets/talosconfig.h"

namespace ichor {

Exit run(const GenTalosconfigRequest& request, const CommonOptions& common, Host& host) {
  const auto secrets = read_secrets_input(request.with_secrets, host);
  if (!secrets) return finish_aside(secrets.error(), host.terminal);
  const auto config =
      pki::make_talosconfig(request.cluster_name, secrets->os, request.endpoints, request.nodes,
                            host.loop.clock().wall(), request.roles, request.lifetime);
  if (!config) return finish_aside(end_with(config.error()).value(), host.terminal);
  std::vector<TextOutput> outputs;
  outputs.push_back({"talosconfig", request.output, pki::write_talosconfig(*config)});
  return deliver(std::move(outputs), request.force, {}, common, host);
}

}  // namespace ichor
