#include "command/workspace.h"

#include <fmt/format.h>

#include "command/sops_file.h"
#include "machineconfig/generate.h"
#include "pki/talosconfig.h"

namespace ichor {

namespace {

constexpr const char* kSecretsFile = "secrets.yaml";
constexpr const char* kTalosconfigFile = "talosconfig";
/// A client certificate that lives shorter than this is renewed.
constexpr Duration kRenewBefore = std::chrono::hours(24 * 30);

/// Null if the folder is missing and was not to be made.
OrEnd<std::unique_ptr<StateDir>> open_state(const WorkspaceWish& wish, Desk& desk) {
  auto state =
      desk.open_state(wish.state_dir, wish.read_only ? Desk::Missing::refuse : Desk::Missing::make);
  if (state) return *std::move(state);
  if (wish.read_only && state.error().code == Errc::invalid) return std::unique_ptr<StateDir>();
  return end_with(state.error());
}

/// A journal from elsewhere does not know what its original has seen since.
OrEnd<void> settle_origin(const WorkspaceWish& wish, StateDir& state, Desk& desk) {
  if (!state.copied()) return {};
  if (!wish.adopt) {
    return end_with(Exit::unsafe,
                    fmt::format("the journal in {} was begun on another machine. If nobody goes on "
                                "with the cluster there, say so with --adopt",
                                state.path()));
  }
  if (auto adopted = state.adopt(desk.owner()); !adopted) return end_with(adopted.error());
  return {};
}

OrEnd<JournalFacts> load_facts(StateDir* state, MonoTime now) {
  JournalFacts facts;
  if (!state) return facts;
  const auto records = state->journal().read();
  if (!records) return end_with(records.error());
  for (const JournalRecord& record : *records) facts.fold(record, now);
  return facts;
}

/// The text of the secrets: from the profile's own file, or from the state folder; nothing if there
/// are none yet.
OrEnd<std::optional<SecretString>> load_secrets(const ProfileInput& input, StateDir* state,
                                                Desk& desk) {
  const std::string& named = input.profile.talos.secrets_file;
  if (!named.empty()) {
    auto text = read_secret_file(named.starts_with('/') ? named : input.folder + named, desk);
    if (!text) return end_with(text.error());
    return std::optional<SecretString>(*std::move(text));
  }
  if (!state) return std::optional<SecretString>();
  auto text = state->load(kSecretsFile);
  if (!text) return end_with(text.error());
  if (!*text) return std::optional<SecretString>();
  auto plain = open_if_sealed(**std::move(text), kSecretsFile, desk);
  if (!plain) return end_with(plain.error());
  return std::optional<SecretString>(*std::move(plain));
}

OrEnd<pki::SecretsBundle> parse_secrets(const SecretString& text, const std::string& file) {
  auto bundle = pki::read_secrets(text.reveal(), file);
  if (!bundle) return end_with(bundle.error());
  return *std::move(bundle);
}

/// Makes secrets and keeps them. If another run was faster, its secrets count.
OrEnd<pki::SecretsBundle> make_secrets(const ClusterProfile& profile, StateDir* state,
                                       bool read_only, Desk& desk) {
  pki::SecretsOptions options;
  options.contract = profile.talos.contract;
  pki::SecretsBundle bundle = pki::generate_secrets(desk.clock().wall(), options);
  if (read_only) return bundle;
  const auto created = state->create(kSecretsFile, pki::write_secrets(bundle));
  if (!created) return end_with(created.error());
  if (*created) return bundle;
  auto text = state->load(kSecretsFile);
  if (!text) return end_with(text.error());
  if (!*text) return end_with(Exit::failed, "secrets.yaml came and went");
  return parse_secrets(**text, kSecretsFile);
}

OrEnd<void> settle_secrets(const ProfileInput& input, bool read_only, Workspace& space,
                           Desk& desk) {
  auto text = load_secrets(input, space.state.get(), desk);
  if (!text) return tl::unexpected(std::move(text).error());
  if (!*text && !space.facts.secrets().empty()) {
    return end_with(
        Exit::unsafe,
        fmt::format("the secrets of {} are gone, and the journal says that it was begun "
                    "with some. Put {}/{} back: new ones lock you out of live nodes",
                    input.profile.name, space.state->path(), kSecretsFile));
  }
  space.secrets_are_new = !text->has_value();
  auto bundle = *text ? parse_secrets(**text, kSecretsFile)
                      : make_secrets(input.profile, space.state.get(), read_only, desk);
  if (!bundle) return tl::unexpected(std::move(bundle).error());
  space.secrets = *std::move(bundle);
  return {};
}

/// Whether the talosconfig in the state folder still serves.
bool still_good(const SecretString& text, const pki::TalosContext& wanted, WallTime now) {
  const auto present = pki::read_talosconfig(text.reveal(), kTalosconfigFile);
  const pki::TalosContext* context = present ? present->find(wanted.name) : nullptr;
  if (!context || context->ca != wanted.ca || context->endpoints != wanted.endpoints ||
      context->nodes != wanted.nodes) {
    return false;
  }
  const auto facts = pki::inspect(context->client.certificate);
  return facts && !pki::expires_within(*facts, now, kRenewBefore);
}

/// Makes a client certificate for this run, and keeps a talosconfig for people.
OrEnd<pki::TalosContext> settle_talosconfig(const ClusterProfile& profile,
                                            const WorkspaceWish& wish, const Workspace& space,
                                            Desk& desk) {
  const auto dialled = [&](const IpAddress& address) {
    return (wish.dial ? wish.dial(address) : address).value();
  };
  std::vector<std::string> endpoints, nodes;
  for (const NodePlan& plan : profile.nodes) {
    nodes.push_back(dialled(plan.address));
    if (plan.role == Role::control_plane) endpoints.push_back(nodes.back());
  }
  const WallTime now = desk.clock().wall();
  const auto made = pki::make_talosconfig(profile.name, space.secrets.os, endpoints, nodes, now);
  if (!made) return end_with(made.error());
  const pki::TalosContext& context = made->contexts.front();
  if (!wish.read_only) {
    const auto present = space.state->load(kTalosconfigFile);
    if (!present) return end_with(present.error());
    if (!*present || !still_good(**present, context, now)) {
      const auto written =
          space.state->files().write(kTalosconfigFile, pki::write_talosconfig(*made));
      if (!written) return end_with(written.error());
    }
  }
  return context;
}

}  // namespace

OrEnd<Workspace> open_workspace(const ProfileInput& input, const WorkspaceWish& wish, Desk& desk) {
  Workspace space;
  auto state = open_state(wish, desk);
  if (!state) return tl::unexpected(std::move(state).error());
  space.state = *std::move(state);
  if (!wish.read_only) {
    if (auto settled = settle_origin(wish, *space.state, desk); !settled) {
      return tl::unexpected(std::move(settled).error());
    }
  }
  auto facts = load_facts(space.state.get(), desk.clock().now());
  if (!facts) return tl::unexpected(std::move(facts).error());
  space.facts = *std::move(facts);
  if (auto settled = settle_secrets(input, wish.read_only, space, desk); !settled) {
    return tl::unexpected(std::move(settled).error());
  }
  auto configs = generate_all(input.profile, space.secrets, input.patches);
  if (!configs) return end_with(Exit::findings, configs.error().message);
  space.configs = *std::move(configs);
  auto context = settle_talosconfig(input.profile, wish, space, desk);
  if (!context) return tl::unexpected(std::move(context).error());
  auto site =
      desk.reach(Access{context->ca, context->client.certificate, context->client.key, wish.dial});
  if (!site) return end_with(site.error());
  space.site = *std::move(site);
  return space;
}

}  // namespace ichor
