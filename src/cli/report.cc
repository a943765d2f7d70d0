#include "cli/command_list.h"

namespace ichor {

void declare_report(FlagSet& flags, Request& request) {
  ReportRequest& report = request.emplace<ReportRequest>();
  flags.argument("RUN", FlagSet::Need::optional, [&report](const std::string& word) {
    report.run = word;
    return std::string();
  });
  flags.flag("--text", report.text);
  flags.text("--html", "FILE|-", report.html);
  flags.rule([&report]() -> std::string {
    return report.text && !report.html.empty() ? "takes --text or --html, not both" : "";
  });
}

}  // namespace ichor
