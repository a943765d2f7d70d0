#include "cli/command_list.h"

namespace ichor {

void declare_report(FlagSet& flags, Request& request) {
  ReportRequest& report = request.emplace<ReportRequest>();
  flags.flag("--text", report.text);
}

}  // namespace ichor
