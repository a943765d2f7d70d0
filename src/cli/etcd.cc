#include <fmt/format.h>

#include "base/words.h"
#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

namespace {

constexpr int kKeepMax = 10'000;

}  // namespace

void declare_etcd_status(FlagSet& flags, Request& request) {
  EtcdStatusRequest& status = request.emplace<EtcdStatusRequest>();
  declare_addresses(flags, status.nodes);
  declare_identity(flags, status.nodes.access);
  declare_endpoints(flags, status.nodes.access);
}

void declare_etcd_snapshot(FlagSet& flags, Request& request) {
  EtcdSnapshotRequest& snapshot = request.emplace<EtcdSnapshotRequest>();
  flags.argument("FILE", FlagSet::Need::required, [&snapshot](const std::string& text) {
    snapshot.path = text;
    return std::string(text.empty() || text.back() == '/' ? "a snapshot needs the name of a file"
                                                          : "");
  });
  declare_nodes(flags, snapshot.nodes);
  flags.number("--keep", "N", 1, kKeepMax,
               [&snapshot](std::int64_t count) { snapshot.keep = static_cast<int>(count); });
  flags.flag("--encrypt", snapshot.encrypt);
  flags.value(
      "--age", "RECIPIENT",
      [&snapshot](const std::string& text) {
        for (std::string& one : split_list(text)) snapshot.recipients.push_back(std::move(one));
        return std::string(snapshot.recipients.empty() ? "must not be empty" : "");
      },
      FlagSet::Times::many);
  declare_identity(flags, snapshot.nodes.access);
  declare_endpoints(flags, snapshot.nodes.access);
  flags.rule([&snapshot] {
    return std::string(snapshot.nodes.nodes.size() > 1
                           ? "a snapshot is of one member; --nodes names at most one node"
                           : "");
  });
}

void declare_etcd_restore(FlagSet& flags, Request& request) {
  EtcdRestoreRequest& restore = request.emplace<EtcdRestoreRequest>();
  flags.argument("FILE", FlagSet::Need::optional, [&restore](const std::string& text) {
    restore.path = text;
    return std::string(text.empty() ? "a snapshot needs the name of a file" : "");
  });
  flags.text("--cluster-name", "NAME", restore.cluster_name);
  flags.flag("--abandon", restore.abandon);
  declare_dry_run(flags, restore.change);
  declare_adopt(flags, restore.change);
  declare_addresses(flags, restore.nodes);
  declare_trust(flags, restore.nodes.trust);
  declare_consents(flags, restore.nodes);
  declare_patience(flags, restore.change.patience);
  flags.rule([&restore]() -> std::string {
    if (restore.cluster_name.empty()) {
      return "--cluster-name NAME is needed, so that it is certain which cluster is restored";
    }
    if (restore.abandon != restore.path.empty()) {
      return "needs the FILE of a snapshot, or --abandon to give a restore up; not both";
    }
    return {};
  });
}

void declare_etcd_defrag(FlagSet& flags, Request& request) {
  EtcdDefragRequest& defrag = request.emplace<EtcdDefragRequest>();
  declare_nodes(flags, defrag.nodes);
  declare_dry_run(flags, defrag.change);
  declare_adopt(flags, defrag.change);
  declare_identity(flags, defrag.nodes.access);
}

}  // namespace ichor
