#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/secret.h"
#include "base/time.h"
#include "model/call.h"
#include "model/config_set.h"
#include "model/ids.h"
#include "model/kube_object.h"
#include "model/reset_request.h"
#include "model/upgrade_request.h"
#include "model/wanted_release.h"

namespace ichor {

/// A call to one node.
struct NodeCall {
  Call call{Call::apply_configuration};
  NodeName node;
  Digest payload;   // of the config to send; empty for Bootstrap
  std::string why;  // "in maintenance mode, no config yet"
  /// What it was decided on may have changed after this moment: then it is not sent any more.
  MonoTime sound_until{kNever};
  ResetRequest reset{};      // Reset only
  bool no_reboot{false};     // ApplyConfiguration only: refuse what a reboot would be needed for
  EtcdMemberId member{};     // EtcdRemoveMemberByID only
  bool recover{false};       // Bootstrap only: from the snapshot that was uploaded
  UpgradeRequest upgrade{};  // ImagePull and Upgrade only
  std::vector<UpgradeRequest> images{};  // ImagePull only: several, instead of `upgrade`
  /// ApplyConfiguration only: instead of the node's config in the ConfigSet. Of an upgrade of
  /// Kubernetes, which changes one component at a time.
  std::shared_ptr<const MachineConfig> config{};
  std::vector<PodToEvict> pods{};  // eviction only
  std::string object_uid{};        // of the Node, for cordon and uncordon; of kube-proxy
  std::string purpose{};           // EtcdSnapshot only: the version that is upgraded to
};

/// What becomes of an object or a release: for plans and reports.
struct ObjectChange {
  std::string object;
  std::string change;              // "create", "update", "none"
  std::vector<std::string> lines;  // of an update
};

/// Server-side apply of one object.
struct ApplyObject {
  KubeObject object;
  bool force{false};  // takes fields of other managers over
  ObjectChange change;
  /// A file that is written before the object leaves: a key that would be lost otherwise.
  struct Keep {
    std::string file;
    SecretString content;
  };
  std::optional<Keep> keep{};
};

struct DeleteObject {
  KubeRef ref;
  std::string uid;  // only the object that was seen
  std::string why;
};

struct ApproveCsr {
  KubeObject csr;  // as it was seen
  std::string why;
};

struct InstallRelease {
  WantedRelease release;
  ObjectChange change;
};

/// One mutation, decided but not yet done: what plan prints and act executes.
using Action = std::variant<NodeCall, ApplyObject, DeleteObject, ApproveCsr, InstallRelease>;

Call call_of(const Action& action);

/// What it changes: the node, the object or the release, as the journal names it.
std::string key_of(const Action& action);

/// Why, or what for, in one line.
std::string reason_of(const Action& action);

}  // namespace ichor
