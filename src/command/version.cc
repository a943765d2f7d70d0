#include "cli/version.h"

#include <fmt/format.h>

#include "command/commands.h"

namespace ichor {

Exit run(const VersionRequest&, const CommonOptions& common, Host& host) {
  if (!for_programs(common.output)) {
    host.terminal.out() << fmt::format("ichor {} ({})\n", version(), commit());
    return Exit::done;
  }
  Listing listing;
  listing.type = "version";
  listing.rows.push_back({{"version", version()}, {"commit", commit()}});
  host.terminal.display().show(listing);
  Summary summary;
  summary.result.exit = Exit::done;
  host.terminal.display().end(summary);
  return Exit::done;
}

}  // namespace ichor
