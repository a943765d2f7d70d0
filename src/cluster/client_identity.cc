#include "cluster/client_identity.h"

#include <fmt/format.h>

#include "secrets/certificate.h"

namespace ichor {

namespace {

using Found = OrEnd<std::optional<pki::TalosContext>>;

bool was_asked_for(const AccessOptions& access) {
  return !access.talosconfig.empty() || !access.context.empty();
}

/// Where talosctl would look; empty if there is no such place.
std::string default_file(Host& host) {
  if (auto named = host.environment.variable("TALOSCONFIG"); named && !named->empty())
    return *named;
  const auto home = host.environment.variable("HOME");
  return home && !home->empty() ? *home + "/.talos/config" : std::string();
}

/// The file to look into; empty: none.
std::string file_of(const IdentityOptions& options, Host& host) {
  if (!options.access.talosconfig.empty()) return options.access.talosconfig;
  if (!options.access.context.empty()) return default_file(host);
  const bool is_guest = options.ca.empty() && options.may_be_guest;
  if (!is_guest) return {};
  const std::string named = host.environment.variable("TALOSCONFIG").value_or("");
  return !named.empty() && host.files.has_file(named) ? named : std::string();
}

/// ". --context NAME would do", if a context of the file belongs to the cluster.
std::string better_context(const pki::Talosconfig& config, const Fingerprint& ca) {
  for (const pki::TalosContext& context : config.contexts) {
    const auto key = pki::fingerprint_of(context.ca);
    if (key && *key == ca) return fmt::format(". --context {} would do", context.name);
  }
  return {};
}

OrEnd<void> check_ca(const IdentityOptions& options, const std::string& file,
                     const pki::Talosconfig& config, const pki::TalosContext& context) {
  if (options.ca.empty()) return {};
  const auto ours = pki::fingerprint_of(options.ca);
  if (!ours) return end_with(ours.error());
  const auto theirs = pki::fingerprint_of(context.ca);
  if (theirs && *theirs == *ours) return {};
  return end_with(Exit::unsafe,
                  fmt::format("{}: the CA of context {} is not the one in the secrets of {}: it "
                              "belongs to another cluster{}",
                              file, context.name, options.cluster, better_context(config, *ours)));
}

OrEnd<void> check_client(const std::string& file, const pki::TalosContext& context, WallTime now) {
  const auto facts = pki::inspect(context.client.certificate);
  if (!facts || context.client.key.reveal().empty()) {
    return end_with(Exit::usage, fmt::format("{}: context {} has no client certificate and key",
                                             file, context.name));
  }
  if (!pki::expires_within(*facts, now, Duration::zero())) return {};
  return end_with(Exit::usage, fmt::format("{}: the client certificate of context {} is expired "
                                           "or not valid yet",
                                           file, context.name));
}

tl::unexpected<RunResult> no_context(const std::string& file, const std::string& name,
                                     const pki::Talosconfig& config) {
  std::string known;
  for (const pki::TalosContext& context : config.contexts) {
    known += (known.empty() ? "" : ", ") + context.name;
  }
  return end_with(
      Exit::usage,
      name.empty() ? fmt::format("{}: no context is the current one; say which "
                                 "with --context: {}",
                                 file, known)
                   : fmt::format("{}: there is no context {}; there are: {}", file, name, known));
}

}  // namespace

Found find_identity(const IdentityOptions& options, Host& host) {
  const bool asked = was_asked_for(options.access);
  const std::string file = file_of(options, host);
  if (file.empty()) {
    if (!asked) return std::optional<pki::TalosContext>();
    return end_with(Exit::usage,
                    "--context: of which file? Neither --talosconfig nor TALOSCONFIG "
                    "nor HOME says");
  }
  const auto text = host.files.read_secret(file);
  if (!text) return end_with(Exit::usage, text.error().message);
  const auto config = pki::read_talosconfig(text->reveal(), file);
  if (!config) return end_with(Exit::usage, config.error().message);
  std::string name = options.access.context;
  if (name.empty()) name = asked ? config->current : options.cluster;
  const pki::TalosContext* context = config->find(name);
  if (!context && !asked) return std::optional<pki::TalosContext>();
  if (!context) return no_context(file, name, *config);
  if (auto fits = check_ca(options, file, *config, *context); !fits) {
    return forward_error(fits);
  }
  if (auto good = check_client(file, *context, host.loop.clock().wall()); !good) {
    return forward_error(good);
  }
  return std::optional(*context);
}

}  // namespace ichor
