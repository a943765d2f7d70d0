#include "command/commands.h"
#include "command/deliver.h"
#include "command/early.h"
#include "command/finish.h"
#include "pki/secrets_bundle.h"
#include "pki/talosconfig.h"

namespace ichor {

Exit run(const GenTalosconfigRequest& request, const CommonOptions& common, Desk& desk) {
  const auto text = desk.read_input(request.with_secrets);
  if (!text) return finish_aside(end_with(Exit::usage, text.error().message).value(), desk);
  const auto secrets = pki::read_secrets(*text, request.with_secrets);
  if (!secrets) return finish_aside(end_with(secrets.error()).value(), desk);
  const auto config =
      pki::make_talosconfig(request.cluster_name, secrets->os, request.endpoints, request.nodes,
                            desk.clock().wall(), request.roles, request.lifetime);
  if (!config) return finish_aside(end_with(config.error()).value(), desk);
  std::vector<TextOutput> outputs;
  outputs.push_back({"talosconfig", request.output, pki::write_talosconfig(*config)});
  return deliver(std::move(outputs), request.force, {}, common, desk);
}

}  // namespace ichor
