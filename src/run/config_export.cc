#include "run/config_export.h"

#include <algorithm>
#include <fmt/format.h>

#include "profile/profile_layout.h"
#include "secrets/talosconfig.h"

namespace ichor {

namespace {

/// The state folder's talosconfig, beside the contexts of other clusters in the file at `path`.
Result<SecretString> merged_talosconfig(const std::string& path, const SecretString& own,
                                        Host& host) {
  if (!host.files.has_file(path)) return own;
  const auto text = host.files.read_secret(path);
  if (!text) return forward_error(text);
  auto there = pki::read_talosconfig(text->reveal(), path);
  if (!there) return forward_error(there);
  const auto added = pki::read_talosconfig(own.reveal(), "talosconfig");
  if (!added) return forward_error(added);
  for (const pki::TalosContext& context : added->contexts) {
    const auto found =
        std::find_if(there->contexts.begin(), there->contexts.end(),
                     [&](const pki::TalosContext& other) { return other.name == context.name; });
    if (found != there->contexts.end()) {
      *found = context;
    } else {
      there->contexts.push_back(context);
    }
  }
  if (there->current.empty()) there->current = added->current;
  return pki::write_talosconfig(*there);
}

}  // namespace

Result<WrittenFiles> export_configs(const RunTarget& target, const ProfileInput& input,
                                    Workspace& space, Host& host) {
  WrittenFiles written;
  if (target.config_dir.empty() || !space.secrets_kept) return written;
  std::vector<std::pair<std::string, SecretString>> files;
  for (const auto& [name, config] : space.configs.nodes) {
    if (space.ready_made) break;
    files.emplace_back(
        fmt::format("{}/{}-{}.yaml", target.config_dir, input.profile.name, name.value()),
        SecretString(std::string(kGeneratedMark) + std::string(config.bytes.reveal())));
  }
  const std::string talosconfig = target.config_dir + "/talosconfig";
  if (auto allowed = host.files.may_export(talosconfig); !allowed) {
    return forward_error(allowed);
  }
  for (const auto& [path, text] : files) {
    if (auto allowed = host.files.may_export(path); !allowed) {
      return forward_error(allowed);
    }
  }
  for (const auto& [path, text] : files) {
    if (auto done = host.files.write_private(path, text); !done) {
      return forward_error(done);
    }
  }
  if (!files.empty()) written.emplace_back("configs", target.config_dir);
  const auto own = space.state->load("talosconfig");
  if (!own) return forward_error(own);
  if (!*own) return written;
  const auto text = merged_talosconfig(talosconfig, **own, host);
  if (!text) return forward_error(text);
  if (auto done = host.files.export_secret(talosconfig, *text); !done) {
    return forward_error(done);
  }
  written.emplace_back("talosconfig", talosconfig);
  return written;
}

}  // namespace ichor
