#include "run/config_export.h"

#include <algorithm>
#include <fmt/format.h>

#include "profile/profile_layout.h"
#include "secrets/talosconfig.h"

namespace ichor {

namespace {

/// The state folder's talosconfig, beside the contexts of other clusters in the file at `path`.
Result<SecretString> merged_talosconfig(const std::string& path, const SecretString& own,
                                        Desk& desk) {
  if (!desk.has_file(path)) return own;
  const auto text = desk.read_secret(path);
  if (!text) return tl::unexpected(text.error());
  auto there = pki::read_talosconfig(text->reveal(), path);
  if (!there) return tl::unexpected(std::move(there).error());
  const auto added = pki::read_talosconfig(own.reveal(), "talosconfig");
  if (!added) return tl::unexpected(added.error());
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

Result<WrittenFiles> export_configs(const Ground& ground, const ProfileInput& input,
                                    Workspace& space, Desk& desk) {
  WrittenFiles written;
  if (ground.config_dir.empty() || !space.secrets_kept) return written;
  std::vector<std::pair<std::string, SecretString>> files;
  for (const auto& [name, config] : space.configs.nodes) {
    if (space.ready_made) break;
    files.emplace_back(
        fmt::format("{}/{}-{}.yaml", ground.config_dir, input.profile.name, name.value()),
        SecretString(std::string(kGeneratedMark) + std::string(config.bytes.reveal())));
  }
  const std::string talosconfig = ground.config_dir + "/talosconfig";
  if (auto allowed = desk.may_export(talosconfig); !allowed) {
    return tl::unexpected(std::move(allowed).error());
  }
  for (const auto& [path, text] : files) {
    if (auto allowed = desk.may_export(path); !allowed) {
      return tl::unexpected(std::move(allowed).error());
    }
  }
  for (const auto& [path, text] : files) {
    if (auto done = desk.write_private(path, text); !done) {
      return tl::unexpected(std::move(done).error());
    }
  }
  if (!files.empty()) written.emplace_back("configs", ground.config_dir);
  const auto own = space.state->load("talosconfig");
  if (!own) return tl::unexpected(own.error());
  if (!*own) return written;
  const auto text = merged_talosconfig(talosconfig, **own, desk);
  if (!text) return tl::unexpected(text.error());
  if (auto done = desk.export_secret(talosconfig, *text); !done) {
    return tl::unexpected(std::move(done).error());
  }
  written.emplace_back("talosconfig", talosconfig);
  return written;
}

}  // namespace ichor
