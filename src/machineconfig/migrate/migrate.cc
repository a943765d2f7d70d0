#include "machineconfig/migrate/migrate.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "machineconfig/migrate/mover.h"
#include "machineconfig/migrate/settings.h"
#include "machineconfig/patch/deletion.h"
#include "machineconfig/rules.h"
#include "machineconfig/typed_config.h"
#include "yaml/document.h"

namespace ichor {

namespace {

constexpr int kOldMinor = 13;
constexpr int kMinor = 14;

bool is_typed(const yaml::Node& root) { return root.find("kind") != nullptr; }

/// A section whose deletion by a patch deletes a document.
struct DeletedSection {
  std::string_view path;
  std::string_view kind;
  std::string_view name;
};

constexpr DeletedSection kDeleted[] = {
    {"cluster.apiServer.admissionControl", "KubeAdmissionControlConfig", "PodSecurity"},
    {"cluster.apiServer.auditPolicy", "KubeAuditPolicyConfig", ""},
    {"cluster.network.cni", "KubeFlannelCNIConfig", ""},
    {"cluster.proxy", "KubeProxyConfig", ""},
    {"cluster.coreDNS", "KubeCoreDNSConfig", ""},
    {"cluster.discovery", "DiscoveryServiceConfig", "default"},
    {"machine.install", "UnattendedInstallConfig", ""},
    {"machine.features.kubePrism", "KubePrismConfig", ""},
    {"machine.network.kubespan", "KubeSpanConfig", ""},
    {"machine.time", "TimeSyncConfig", ""},
    {"machine.sysctls", "SysctlConfig", ""},
    {"machine.udev", "UdevRulesConfig", ""},
};

void migrate_deletion(const Deletion& deletion, migrate::Mover& mover) {
  std::vector<std::string> path = deletion.path;
  const bool item = !path.empty() && path.back() == "[]";
  if (item) path.pop_back();
  const std::string text = fmt::format("{}", fmt::join(path, "."));
  const auto row = std::ranges::find(kDeleted, std::string_view(text), &DeletedSection::path);
  const bool named_item = item && text == "cluster.apiServer.admissionControl";
  if (row != std::ranges::end(kDeleted) && (!item || named_item)) {
    mover.delete_document(row->kind, named_item ? deletion.item_value : std::string(row->name));
    mover.notes().push_back(
        {Severity::warning, deletion.at, text,
         fmt::format("is deleted with its document {}, which is not proved to mean the same",
                     row->kind),
         "compare a config that it patches before and after", true});
    return;
  }
  mover.notes().push_back(
      {Severity::error, deletion.at, text, "this deletion has no typed form",
       "look for the setting in the output of `ichor gen config --talos-version v1.14`, and delete "
       "it there by hand"});
}

struct Read {
  yaml::Node old;                 // the v1alpha1 document; null if there is none
  std::vector<yaml::Node> typed;  // as they stand in the file
  std::vector<Deletion> deletions;
};

Result<Read> read(std::string_view text, const std::string& file) {
  auto parsed = yaml::parse(text, file);
  if (!parsed) return forward_error(parsed);
  Read result;
  std::vector<ConfigProblem> problems;
  for (yaml::Document& document : *parsed) {
    yaml::Node& root = document.root;
    if (root.is_null()) continue;
    if (root.is_sequence()) {
      return fail(Errc::invalid,
                  fmt::format("{}: a JSON6902 patch cannot be migrated; write it as a strategic "
                              "merge patch first: `ichor machineconfig patch` prints one",
                              file));
    }
    if (is_typed(root)) {
      result.typed.push_back(std::move(root));
      continue;
    }
    auto deletions = take_deletions(root, rules_of(kOldMinor));
    if (!deletions) {
      problems.push_back(deletions.error());
      continue;
    }
    result.deletions.insert(result.deletions.end(), deletions->begin(), deletions->end());
    if (root.is_null()) continue;
    if (auto known = read_document(root, kOldMinor, problems)) result.old = std::move(known->value);
  }
  if (!problems.empty()) return fail(Errc::invalid, to_text(problems, file));
  return result;
}

std::vector<yaml::Node> all_of(const Read& read) {
  std::vector<yaml::Node> all = read.typed;
  if (!read.old.is_null()) all.push_back(read.old);
  return all;
}

/// An API server with a document of its own has only the authorizers that have one, too.
void warn_of_lost_authorizers(migrate::Mover& mover) {
  const yaml::Node* server = mover.find_document("KubeAPIServerConfig");
  if (server == nullptr || !mover.control_plane()) return;
  const bool authorizes = std::ranges::any_of(mover.documents(), [](const yaml::Node& document) {
    const yaml::Node* kind = document.find("kind");
    return kind != nullptr && kind->text == "KubeAuthorizerConfig";
  });
  if (authorizes) return;
  mover.notes().push_back({Severity::warning, server->at, "KubeAPIServerConfig",
                           "the config has no KubeAuthorizerConfig, so the API server refuses "
                           "kubelets, Talos, controllers and people",
                           "add one of the name node and type Node, and one of the name rbac and "
                           "type RBAC"});
}

Migration convert(Read input, const MigrateOptions& options) {
  const bool patch = input.old.find_path({"machine", "type"}) == nullptr;
  migrate::Mover mover(input.old, input.typed, patch, options.kubernetes_version);
  for (const auto move : {migrate::move_identity, migrate::move_install, migrate::move_features,
                          migrate::move_network, migrate::move_system, migrate::move_registries,
                          migrate::move_node, migrate::move_cluster, migrate::move_api_server,
                          migrate::move_components, migrate::move_manifests}) {
    move(mover);
  }
  warn_of_lost_authorizers(mover);
  const migrate::SettingsOf of{patch, mover.control_plane(), mover.kubernetes_version()};
  Migration result;
  result.is_patch = patch;
  result.unproved = migrate::differing(migrate::settings_of(all_of(input), of),
                                       migrate::settings_of(mover.documents(), of));
  for (const Deletion& deletion : input.deletions) migrate_deletion(deletion, mover);
  result.documents = mover.documents();
  result.notes = std::move(mover.notes());
  std::ranges::stable_sort(result.notes, {}, [](const MigrationNote& note) {
    return std::pair(note.at.line, note.at.column);
  });
  yaml::wipe(input.old);
  return result;
}

}  // namespace

Result<Migration> migrate_config(std::string_view text, const std::string& file,
                                 const MigrateOptions& options) {
  auto input = read(text, file);
  if (!input) return forward_error(input);
  return convert(*std::move(input), options);
}

Migration migrate_part(yaml::Node old, const std::vector<Deletion>& deletions) {
  return convert({std::move(old), {}, deletions}, {});
}

}  // namespace ichor
