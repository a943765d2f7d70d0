#include "cli/completion_script.h"
#include "command/commands.h"

namespace ichor {

Exit run(const CompletionRequest& request, const CommonOptions& common, Desk& desk) {
  const std::string script = completion_script(request.shell);
  if (!for_programs(common.output)) {
    desk.out() << script;
    return Exit::done;
  }
  Listing listing;
  listing.type = "completion";
  listing.rows.push_back({{"script", script}});
  desk.display().show(listing);
  Summary summary;
  summary.result.exit = Exit::done;
  desk.display().end(summary);
  return Exit::done;
}

}  // namespace ichor
