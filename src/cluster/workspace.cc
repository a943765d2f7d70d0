#include "cluster/workspace.h"

#include <fmt/format.h>

#include "cluster/ask_journal.h"
#include "cluster/client_identity.h"
#include "cluster/config_folder.h"
#include "cluster/machine_search.h"
#include "cluster/secrets_input.h"
#include "lint/rules.h"
#include "machineconfig/check_configs.h"
#include "machineconfig/generate.h"
#include "machineconfig/kubeconfig.h"
#include "machineconfig/recipe_config.h"
#include "profile/formats.h"
#include "profile/profile_layout.h"
#include "secrets/sops_file.h"
#include "secrets/talosconfig.h"

namespace ichor {

namespace {

constexpr const char* kSecretsFile = "secrets.yaml";
constexpr const char* kTalosconfigFile = "talosconfig";
/// A client certificate that lives shorter than this is renewed.
constexpr Duration kRenewBefore = std::chrono::hours(24 * 30);

/// Null if the folder is missing and was not to be made.
OrEnd<std::unique_ptr<ClusterState>> open_state(const WorkspaceOptions& options, Host& host) {
  auto state =
      host.states.open_state(options.state_dir, options.read_only ? ClusterStates::Missing::refuse
                                                                  : ClusterStates::Missing::make);
  if (state) return *std::move(state);
  if (options.read_only && state.error().code == Errc::invalid)
    return std::unique_ptr<ClusterState>();
  return end_with(state.error());
}

/// A journal from elsewhere does not know what its original has seen since.
OrEnd<void> settle_origin(const WorkspaceOptions& options, ClusterState& state, Host& host) {
  if (!state.copied()) return {};
  if (!options.adopt) {
    return end_with(
        Exit::unsafe,
        fmt::format("the journal in {} was created on another machine. If no run continues "
                    "with the cluster there, say so with --adopt",
                    state.path()),
        "L6");
  }
  if (auto adopted = state.adopt(host.environment.owner()); !adopted)
    return end_with(adopted.error());
  return {};
}

OrEnd<JournalFacts> load_facts(ClusterState* state, Host& host) {
  JournalFacts facts;
  if (!state) return facts;
  auto records = read_journal(state->journal(), host.loop);
  if (!records) return forward_error(records);
  for (const JournalRecord& record : *records) facts.fold(record, host.loop.clock().now());
  return facts;
}

/// Where the profile wants the secrets; empty: in the state folder. On a lab the real ones have no
/// business: the secrets of a lab node lie on this machine's disk in plain text.
std::string secrets_place(const ProfileInput& input, const WorkspaceOptions& options) {
  const std::string& named = input.profile.talos.secrets_file;
  return named.empty() || options.throw_away_secrets ? "" : at_profile(input.folder, named);
}

/// The text of the secrets: from the profile's own file, or from the state folder; nothing if there
/// are none yet.
OrEnd<std::optional<SecretString>> load_secrets(const std::string& place, ClusterState* state,
                                                Host& host) {
  if (!place.empty() && host.files.has_file(place)) {
    auto text = read_secret_file(place, host);
    if (!text) return end_with(text.error());
    return std::optional<SecretString>(*std::move(text));
  }
  if (!state) return std::optional<SecretString>();
  auto text = state->load(kSecretsFile);
  if (!text) return end_with(text.error());
  if (!*text) return std::optional<SecretString>();
  auto plain = open_if_sealed(**std::move(text), kSecretsFile, host);
  if (!plain) return end_with(plain.error());
  return std::optional<SecretString>(*std::move(plain));
}

/// Keeps new secrets where the profile wants them, or in the state folder. If another run was
/// faster, its secrets count.
OrEnd<pki::SecretsBundle> keep_secrets(pki::SecretsBundle bundle, const std::string& place,
                                       ClusterState& state, Host& host) {
  if (place.empty()) {
    const auto created = state.create(kSecretsFile, pki::write_secrets(bundle));
    if (!created) return end_with(created.error());
    if (*created) return bundle;
  } else {
    const auto text = text_for_secrets_file(place, bundle, host);
    if (!text) return end_with(text.error());
    const auto created = host.files.create_private(place, *text, false);
    if (created) return bundle;
    if (!host.files.has_file(place)) return end_with(created.error());
  }
  const auto text = load_secrets(place, &state, host);
  if (!text) return forward_error(text);
  if (!*text) return end_with(Exit::failed, "secrets.yaml came and went");
  return parse_secrets(**text, place.empty() ? kSecretsFile : place, host);
}

void tell_of_keys(const char* what, Host& host) {
  Event event;
  event.at = host.loop.clock().now();
  event.phase = "secrets";
  event.text = what;
  host.terminal.display().emit(event);
}

/// Those of ready-made configs, or fresh ones. What is not kept, or kept for a lab only, need not
/// be waited for: a key for service accounts as talosctl makes it takes seconds.
Result<pki::SecretsBundle> first_secrets(const ClusterProfile& profile, const ReadyConfigs* ready,
                                         bool for_good, Host& host) {
  if (ready) return secrets_of(*ready);
  if (!for_good) {
    return pki::throw_away_secrets(host.loop.clock().wall(), profile.talos.contract);
  }
  pki::SecretsBundle bundle = fresh_secrets(profile.talos.contract, host);
  tell_of_keys("the keys of the cluster are made", host);
  return bundle;
}

/// Starts the slow part of secrets that are due, so that it is done when they are wanted.
OrEnd<void> begin_keys(const ProfileInput& input, const ReadyConfigs* ready,
                       const WorkspaceOptions& options, const Workspace& space, Host& host) {
  const bool may_begin = options.makes_secrets && !options.read_only &&
                         !options.throw_away_secrets && ready == nullptr;
  if (!may_begin || !space.facts.secrets().empty()) return {};
  const auto present = load_secrets(secrets_place(input, options), space.state.get(), host);
  if (!present) return forward_error(present);
  if (*present) return {};
  tell_of_keys("making the keys of the cluster, beside the checks", host);
  if (pki::service_account_kind(input.profile.talos.contract) == pki::KeyKind::rsa) {
    host.keys.begin_rsa_key();
  }
  return {};
}

OrEnd<void> begin_secrets(const ProfileInput& input, const ReadyConfigs* ready,
                          const WorkspaceOptions& options, Workspace& space, Host& host) {
  const std::string place = secrets_place(input, options);
  space.secrets_kept = options.makes_secrets && !options.read_only;
  const bool for_good = space.secrets_kept && !options.throw_away_secrets;
  auto bundle = first_secrets(input.profile, ready, for_good, host);
  if (!bundle) return end_with(bundle.error());
  space.secrets = *std::move(bundle);
  if (!space.secrets_kept) return {};
  auto kept = keep_secrets(std::move(space.secrets), place, *space.state, host);
  if (!kept) return forward_error(kept);
  space.secrets = *std::move(kept);
  return {};
}

using GivenIdentity = std::optional<pki::TalosContext>;

/// Finds or makes the secrets, and the identity that was given instead of one made of them. Without
/// secrets that is all there is, if it is enough.
OrEnd<GivenIdentity> settle_secrets(const ProfileInput& input, const ReadyConfigs* ready,
                                    const WorkspaceOptions& options, Workspace& space, Host& host) {
  const std::string place = secrets_place(input, options);
  auto text = load_secrets(place, space.state.get(), host);
  if (!text) return forward_error(text);
  if (!*text && !ready && !space.facts.secrets().empty()) {
    return end_with(
        Exit::unsafe,
        fmt::format("the secrets of {} are gone, and the journal says that it was created "
                    "with some. Put {} back: new ones lock you out of live nodes",
                    input.profile.name,
                    place.empty() ? space.state->path() + "/" + kSecretsFile : place),
        "T9");
  }
  IdentityOptions identity{input.access, input.profile.name, {}, options.as_guest};
  if (*text) {
    auto bundle = parse_secrets(**text, place.empty() ? kSecretsFile : place, host);
    if (!bundle) return forward_error(bundle);
    space.secrets = *std::move(bundle);
  } else {
    auto given = find_identity(identity, host);
    if (!given) return forward_error(given);
    if (*given && options.as_guest) return *std::move(given);
    if (*given && !ready) {
      return end_with(Exit::usage,
                      fmt::format("--talosconfig is for a cluster that exists, and there are no "
                                  "secrets of {0} here. Name them as secrets_file in the profile; "
                                  "`ichor gen secrets --from-controlplane-config` takes them from "
                                  "a machine config",
                                  input.profile.name));
    }
    if (auto begun = begin_secrets(input, ready, options, space, host); !begun) {
      return forward_error(begun);
    }
  }
  identity.ca = space.secrets.os.certificate;
  return find_identity(identity, host);
}

/// The contract is that of the cluster's first run: a newer one changes what is generated, so it is
/// taken only by the operator's word.
OrEnd<ClusterProfile> settle_contract(const ClusterProfile& profile, const JournalFacts& facts,
                                      bool raise) {
  ClusterProfile settled = profile;
  const auto known = parse_version(facts.contract(), true);
  if (!known) return settled;
  TalosVersion& contract = settled.talos.contract;
  if (!raise && !profile.talos.contract_given) {
    contract = *known;
  } else if (contract < *known) {
    return end_with(
        Exit::unsafe,
        fmt::format("the cluster was created with the contract {}; it cannot go back to "
                    "{}.{}. Correct talos.contract",
                    facts.contract(), contract.major, contract.minor));
  } else if (contract != *known && !raise) {
    return end_with(
        Exit::unsafe,
        fmt::format("the cluster was created with the contract {0}, and the profile asks "
                    "for {1}.{2}. Say talos.contract: v{0}, or --raise-contract if all "
                    "its nodes run Talos {1}.{2}",
                    facts.contract(), contract.major, contract.minor));
  }
  return settled;
}

OrEnd<ConfigSet> make_configs(const ProfileInput& input, const ReadyConfigs* ready, bool raise,
                              const Workspace& space) {
  if (ready) {
    RunResult result;
    ConfigSet configs = take_ready_configs(*ready, input.profile, space.secrets, result.findings);
    if (!configs.nodes.empty()) return configs;
    result.exit = Exit::findings;
    result.verdict = ready->folder + ": the configs must be corrected first";
    return tl::unexpected(std::move(result));
  }
  const auto profile = settle_contract(input.profile, space.facts, raise);
  if (!profile) return forward_error(profile);
  auto configs = input.recipe ? cook_all(*profile, *input.recipe, space.secrets)
                              : generate_all(*profile, space.secrets, input.patches);
  if (!configs) return end_with(Exit::findings, configs.error().message);
  RunResult refused;
  for (Finding& finding : check_configs(*profile, *configs)) {
    if (finding.severity == Severity::error) refused.findings.push_back(std::move(finding));
  }
  if (refused.findings.empty()) return *std::move(configs);
  settle(refused.findings);
  refused.exit = Exit::findings;
  refused.verdict = "the nodes would refuse these configs: nothing was sent";
  return tl::unexpected(std::move(refused));
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

/// A talosconfig of all nodes, with a new client certificate.
OrEnd<pki::Talosconfig> fresh_talosconfig(const ProfileInput& input,
                                          const WorkspaceOptions& options, const Workspace& space,
                                          Host& host) {
  const auto dialled = [&](const IpAddress& address) {
    return (options.dial ? options.dial(address) : address).value();
  };
  std::vector<std::string> endpoints, nodes;
  for (const NodePlan& plan : input.everybody) {
    nodes.push_back(dialled(plan.address));
    if (plan.role == Role::control_plane) endpoints.push_back(nodes.back());
  }
  auto made = pki::make_talosconfig(input.profile.name, space.secrets.os, endpoints, nodes,
                                    host.loop.clock().wall());
  if (!made) return end_with(made.error());
  return *std::move(made);
}

/// Makes a client certificate for this run, and keeps a talosconfig for people.
OrEnd<pki::TalosContext> settle_talosconfig(const ProfileInput& input,
                                            const WorkspaceOptions& options, const Workspace& space,
                                            Host& host) {
  const auto made = fresh_talosconfig(input, options, space, host);
  if (!made) return forward_error(made);
  const WallTime now = host.loop.clock().wall();
  const pki::TalosContext& context = made->contexts.front();
  const Digest& begun_with = space.facts.secrets();
  // The run will refuse other secrets; what people use must not be made of them before that.
  const bool ours = begun_with.empty() || begun_with == space.configs.secrets_fingerprint;
  if (!options.read_only && space.secrets_kept && ours) {
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

OrEnd<void> renew_talosconfig(const ProfileInput& input, const WorkspaceOptions& options,
                              Workspace& space, Host& host) {
  if (space.secrets.os.certificate.empty() || !space.secrets_kept) {
    return end_with(Exit::usage, "the secrets of " + input.profile.name +
                                     " are not here, and only they can issue a talosconfig");
  }
  const auto made = fresh_talosconfig(input, options, space, host);
  if (!made) return forward_error(made);
  const auto written = space.state->files().write(kTalosconfigFile, pki::write_talosconfig(*made));
  if (!written) return end_with(written.error());
  return {};
}

OrEnd<Workspace> open_workspace(const ProfileInput& input, const WorkspaceOptions& options,
                                Host& host) {
  Workspace space;
  auto state = open_state(options, host);
  if (!state) return forward_error(state);
  space.state = *std::move(state);
  if (!options.read_only) {
    if (auto settled = settle_origin(options, *space.state, host); !settled) {
      return forward_error(settled);
    }
  }
  auto facts = load_facts(space.state.get(), host);
  if (!facts) return forward_error(facts);
  space.facts = *std::move(facts);
  auto ready = find_ready_configs(input, options.config_dir, host);
  if (!ready) return forward_error(ready);
  const ReadyConfigs* taken = *ready ? &**ready : nullptr;
  space.ready_made = taken != nullptr;
  if (auto begun = begin_keys(input, taken, options, space, host); !begun) {
    return forward_error(begun);
  }
  if (options.meanwhile) {
    if (auto refused = options.meanwhile(space)) return tl::unexpected(*std::move(refused));
  }
  auto given = settle_secrets(input, taken, options, space, host);
  if (!given) return forward_error(given);
  const bool is_guest = *given && space.secrets.os.certificate.empty();
  if (!is_guest) {
    auto configs = make_configs(input, taken, options.raise_contract, space);
    if (!configs) return forward_error(configs);
    space.configs = *std::move(configs);
    // The plan of a few nodes says nothing about edits of the profile.
    if (input.narrowed()) space.configs.plan = {};
    auto own = settle_talosconfig(input, options, space, host);
    if (!own) return forward_error(own);
    if (!*given) *given = *std::move(own);
  }
  // What no node will ever get is nothing to hold later runs to.
  if (!space.secrets_kept) space.configs.secrets_fingerprint = {};
  if (!space.secrets_kept) space.configs.contract = {};
  if (!space.secrets_kept) space.configs.plan = {};
  const pki::TalosContext& context = **given;
  auto apis = host.network.reach(Access{context.ca, context.client.certificate, context.client.key,
                                        options.dial, input.endpoints});
  if (!apis) return end_with(apis.error());
  space.apis = *std::move(apis);
  // What a lab bound is known, and the rest of its network is not there. Behind endpoints nodes are
  // not dialled at all.
  const bool dials = !options.dial && input.endpoints.empty();
  if (dials) space.finder = make_finder(input.profile, {}, *space.apis, input.scan);
  return space;
}

KubeconfigCheck kubeconfig_check(const ClusterProfile& profile, const Workspace& space) {
  if (!space.secrets_kept || space.secrets.k8s.certificate.empty()) return {};
  KubeconfigTerms terms{profile.name, profile.network.api_endpoint, space.secrets.k8s.certificate};
  return
      [terms = std::move(terms)](const SecretString& text) { return own_kubeconfig(text, terms); };
}

}  // namespace ichor
