#include "base/address_set.h"
#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

namespace {

std::string take_addresses(const std::string& text, ScanOptions& scan) {
  // Several flags are one list.
  const std::string whole = scan.addresses.empty() ? text : scan.addresses + "," + text;
  const auto set = AddressSet::parse(whole);
  if (!set) return set.error().message;
  scan.addresses = whole;
  return {};
}

void declare_scan(FlagSet& flags, ScanOptions& scan) {
  flags.value(
      "--scan", "ADDRESSES",
      [&scan](const std::string& text) { return take_addresses(text, scan); },
      FlagSet::Times::many);
  flags.number("--scan-rate", "N", 1, 100'000,
               [&scan](std::int64_t rate) { scan.rate = static_cast<int>(rate); });
  flags.flag("--watch", scan.watch);
  flags.number("--count", "N", 1, 10'000,
               [&scan](std::int64_t count) { scan.count = static_cast<int>(count); });
  flags.flag("--match-by-order", scan.match_by_order);
  flags.text("--write", "FILE", scan.write);
  flags.rule([&scan]() -> std::string {
    if (scan.count && !scan.watch) return "--count needs --watch";
    return !scan.write.empty() && scan.addresses.empty() ? "--write needs --scan ADDRESSES" : "";
  });
}

}  // namespace

void declare_discover(FlagSet& flags, Request& request) {
  DiscoverRequest& discover = request.emplace<DiscoverRequest>();
  declare_nodes(flags, discover.nodes);
  declare_identity(flags, discover.nodes.access);
  declare_trust(flags, discover.nodes.trust);
  declare_scan(flags, discover.scan);
}

}  // namespace ichor
