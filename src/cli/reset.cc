#include <fmt/format.h>

#include "base/words.h"
#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

namespace {

std::string take_list(const std::string& text, std::vector<std::string>& list) {
  for (std::string& word : split_list(text)) list.push_back(std::move(word));
  return list.empty() ? "must not be empty" : "";
}

std::string take_disks(const std::string& text, std::vector<std::string>& disks) {
  if (std::string wrong = take_list(text, disks); !wrong.empty()) return wrong;
  for (const std::string& disk : disks) {
    if (disk.starts_with("/dev/")) continue;
    return fmt::format("\"{}\" is not a path such as /dev/sdb", disk);
  }
  return {};
}

std::string broken(const ResetOptions& reset) {
  if (reset.all && !reset.nodes.nodes.empty()) return "names nodes, or says --all; not both";
  if (reset.all && reset.cluster_name.empty()) {
    return "--all needs --cluster-name NAME, so that it is certain which cluster goes";
  }
  if (!reset.all && reset.nodes.nodes.empty()) return "needs the nodes that go back, or --all";
  if (!reset.all && !reset.cluster_name.empty()) return "--cluster-name goes with --all";
  return {};
}

}  // namespace

void declare_reset(FlagSet& flags, Request& request) {
  ResetOptions& reset = request.emplace<ResetOptions>();
  flags.arguments(
      "NODE", [&reset](const std::string& text) { return take_names(text, reset.nodes.nodes); });
  flags.flag("--all", reset.all);
  flags.text("--cluster-name", "NAME", reset.cluster_name);
  flags.choice<std::optional<bool>>("--graceful", "BOOL", {{"true", true}, {"false", false}},
                                    reset.graceful);
  flags.toggle("--reboot", reset.reboot);
  flags.value(
      "--system-labels-to-wipe", "LABELS",
      [&reset](const std::string& text) { return take_list(text, reset.partitions); },
      FlagSet::Times::many);
  flags.value(
      "--user-disks-to-wipe", "DISKS",
      [&reset](const std::string& text) { return take_disks(text, reset.user_disks); },
      FlagSet::Times::many);
  declare_dry_run(flags, reset.change);
  declare_adopt(flags, reset.change);
  declare_addresses(flags, reset.nodes);
  declare_identity(flags, reset.nodes.access);
  declare_consents(flags, reset.nodes);
  flags.rule([&reset] { return broken(reset); });
}

}  // namespace ichor
