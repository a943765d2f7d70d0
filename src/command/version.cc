#include "cli/version.h"

#include <fmt/format.h>

#include "command/commands.h"

namespace ichor {

Exit run(const VersionRequest&, const CommonOptions& common, Desk& desk) {
  if (!for_programs(common.output)) {
    desk.out() << fmt::format("ichor {} ({})\n", version(), commit());
    return Exit::done;
  }
  Listing listing;
  listing.type = "version";
  listing.rows.push_back({{"version", version()}, {"commit", commit()}});
  desk.display().show(listing);
  Summary summary;
  summary.result.exit = Exit::done;
  desk.display().end(summary);
  return Exit::done;
}

}  // namespace ichor
