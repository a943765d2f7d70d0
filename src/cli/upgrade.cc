#include <charconv>
#include <fmt/format.h>

#include "base/words.h"
#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

namespace {

constexpr int kKeepMax = 10'000;

std::string take_version(const std::string& text, std::optional<TalosVersion>& version) {
  TalosVersion read;
  const char* at = text.data() + (text.starts_with('v') ? 1 : 0);
  const char* const end = text.data() + text.size();
  bool valid = true;
  for (int* part : {&read.major, &read.minor, &read.patch}) {
    const auto [next, error] = std::from_chars(at, end, *part);
    const bool is_last = part == &read.patch;
    valid = valid && error == std::errc{} && (is_last ? next == end : next < end && *next == '.');
    at = next + (is_last || next == end ? 0 : 1);
  }
  if (!valid) return fmt::format("\"{}\" is not a version such as v1.13.9", text);
  version = read;
  return {};
}

std::string take_share(const std::string& text, UpgradeOptions& upgrade) {
  constexpr int kPercentMax = 100;
  constexpr int kCountMax = 10'000;
  const bool percent = text.ends_with('%');
  const char* const end = text.data() + text.size() - (percent ? 1 : 0);
  int number = 0;
  const auto [next, error] = std::from_chars(text.data(), end, number);
  const bool valid = error == std::errc{} && next == end && number >= 1 &&
                     number <= (percent ? kPercentMax : kCountMax);
  if (!valid)
    return fmt::format("\"{}\" is neither a number of nodes nor a share such as 25%", text);
  upgrade.workers_at_once = number;
  upgrade.in_percent = percent;
  return {};
}

std::string take_limit(const std::string& text, std::optional<Duration>& limit) {
  limit = parse_time(text);
  return limit ? "" : fmt::format("\"{}\" is not a time such as 10m", text);
}

}  // namespace

void declare_upgrade(FlagSet& flags, Request& request) {
  UpgradeOptions& upgrade = request.emplace<UpgradeOptions>();
  flags.value("--to", "VERSION",
              [&upgrade](const std::string& text) { return take_version(text, upgrade.to); });
  flags.text("--schematic", "ID", upgrade.schematic);
  flags.value("--concurrency", "N",
              [&upgrade](const std::string& text) { return take_share(text, upgrade); });
  flags.toggle("--drain", upgrade.drain);
  flags.value("--drain-timeout", "TIME", [&upgrade](const std::string& text) {
    return take_limit(text, upgrade.drain_timeout);
  });
  flags.text("--consent-downtime", "NAME", upgrade.consent_downtime);
  flags.flag("--no-snapshot", upgrade.no_snapshot);
  flags.text("--snapshot-file", "FILE", upgrade.snapshot_path);
  flags.number("--keep", "N", 1, kKeepMax,
               [&upgrade](std::int64_t count) { upgrade.keep = static_cast<int>(count); });
  flags.flag("--encrypt", upgrade.encrypt);
  flags.value(
      "--age", "RECIPIENT",
      [&upgrade](const std::string& text) {
        for (std::string& one : split_list(text)) upgrade.recipients.push_back(std::move(one));
        return std::string(upgrade.recipients.empty() ? "must not be empty" : "");
      },
      FlagSet::Times::many);
  flags.rule([&upgrade] {
    const bool about = !upgrade.snapshot_path.empty() || upgrade.keep > 0 || upgrade.encrypt ||
                       !upgrade.recipients.empty();
    return std::string(upgrade.no_snapshot && about
                           ? "--no-snapshot takes none: leave --snapshot-file, "
                             "--keep, --encrypt and --age out"
                           : "");
  });
  declare_dry_run(flags, upgrade.change);
  declare_adopt(flags, upgrade.change);
  declare_nodes(flags, upgrade.nodes);
  declare_identity(flags, upgrade.nodes.access);
}

void declare_upgrade_k8s(FlagSet& flags, Request& request) {
  UpgradeK8sOptions& upgrade = request.emplace<UpgradeK8sOptions>();
  flags.value("--to", "VERSION", [&upgrade](const std::string& text) {
    std::optional<TalosVersion> version;
    std::string wrong = take_version(text, version);
    if (version) upgrade.to = to_text(*version);
    return wrong;
  });
  declare_dry_run(flags, upgrade.change);
  declare_adopt(flags, upgrade.change);
  declare_addresses(flags, upgrade.nodes);
  declare_identity(flags, upgrade.nodes.access);
  declare_patience(flags, upgrade.change.patience);
}

}  // namespace ichor
