#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/profile_input.h"
#include "engine/finder.h"
#include "engine/world.h"
#include "model/config_set.h"
#include "model/journal_facts.h"
#include "model/or_end.h"
#include "port/host.h"
#include "secrets/secrets_bundle.h"

namespace ichor {

/// Everything a command needs to work on one cluster: its state, its secrets, the configs made of
/// them, and the way to its nodes.
struct Workspace {
  std::unique_ptr<ClusterState> state;  // null: there is none yet, and none was to be made
  pki::SecretsBundle secrets;
  bool secrets_kept{true};  // else they were made for this look only, and no node knows them
  ConfigSet configs;
  bool ready_made{false};  // the configs were made elsewhere
  JournalFacts facts;      // of earlier runs
  std::unique_ptr<ClusterApis> apis;
  std::unique_ptr<Finder> finder;  // of machines whose addresses are not known; null on a lab
  std::vector<Finding> findings;   // of the search for machines, besides what ends the command
};

struct WorkspaceOptions {
  std::string state_dir;
  bool read_only{false};      // nothing is made or written
  bool makes_secrets{false};  // a cluster without secrets gets some, and they are kept
  /// The profile's own secrets are not used, because the nodes are those of a lab.
  bool throw_away_secrets{false};
  /// Without secrets a talosconfig will do, with read_only: then there are no configs.
  bool as_guest{false};
  bool adopt{false};           // go on with a journal that another machine started
  bool raise_contract{false};  // the profile's contract may be newer than that of the journal
  std::string config_dir;      // ready-made configs; empty: the profile's, or generated ones
  std::function<IpAddress(const IpAddress&)> dial;  // as in Access
  /// Called when state and facts are known and nothing is made yet; what it returns ends the
  /// command. If secrets are due, their slow key is made beside it.
  std::function<std::optional<RunResult>(const Workspace&)> meanwhile;
};

/// Checks that a kubeconfig is one of this cluster and writes it again, see own_kubeconfig(). Null
/// where the cluster's CA is not known: a guest has a talosconfig only.
using KubeconfigCheck = std::function<Result<SecretString>(const SecretString&)>;
KubeconfigCheck kubeconfig_check(const ClusterProfile& profile, const Workspace& space);

/// Writes a talosconfig with a new client certificate into the state folder, whatever the present
/// one is; what was there is kept as a backup. The cluster's secrets are needed for that.
OrEnd<void> renew_talosconfig(const ProfileInput& input, const WorkspaceOptions& options,
                              Workspace& space, Host& host);

/// Opens the state folder, loads the cluster's secrets or makes them, generates the configs or
/// takes ready-made ones, keeps a talosconfig for people, and opens the way to the nodes. Secrets
/// are made only for a cluster that the journal knows nothing of, because regenerated ones would
/// lock us out of it; and they are kept only if `makes_secrets` says so, so that looking first
/// leaves all choices open.
OrEnd<Workspace> open_workspace(const ProfileInput& input, const WorkspaceOptions& options,
                                Host& host);

}  // namespace ichor
