#pragma once

#include <memory>
#include <optional>
#include <string>

#include "command/desk.h"
#include "command/early.h"
#include "command/profile_input.h"
#include "engine/world.h"
#include "model/config_set.h"
#include "model/journal_facts.h"
#include "pki/secrets_bundle.h"

namespace ichor {

/// Everything a command needs to work on one cluster: its state, its secrets, the configs made of
/// them, and the way to its nodes.
struct Workspace {
  std::unique_ptr<StateDir> state;  // null: there is none yet, and none was to be made
  pki::SecretsBundle secrets;
  bool secrets_are_new{false};  // made just now; if there is no state, they are not kept
  ConfigSet configs;
  JournalFacts facts;  // of earlier runs
  std::unique_ptr<Site> site;
};

struct WorkspaceWish {
  std::string state_dir;
  bool read_only{false};  // nothing is made or written
  /// Without secrets a talosconfig will do, with read_only: then there are no configs.
  bool as_guest{false};
  bool adopt{false};  // go on with a journal that was begun on another machine
  std::function<IpAddress(const IpAddress&)> dial;  // as in Access
};

/// Opens the state folder, loads the cluster's secrets or makes them, generates the configs, keeps
/// a talosconfig for people, and opens the way to the nodes. Secrets are made only for a cluster
/// that the journal knows nothing of: regenerated ones would lock us out of it.
OrEnd<Workspace> open_workspace(const ProfileInput& input, const WorkspaceWish& wish, Desk& desk);

}  // namespace ichor
