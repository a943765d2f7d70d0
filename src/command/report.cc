#include <fmt/format.h>

#include "command/ask_journal.h"
#include "command/commands.h"
#include "command/deliver.h"
#include "command/finish.h"
#include "command/profile_input.h"
#include "report/html_report.h"

namespace ichor {

Exit run(const ReportRequest& request, const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  auto state = desk.open_state(state_path(common, *input), Desk::Missing::refuse);
  if (!state) {
    Error error = state.error();
    if (error.code == Errc::invalid) error.message = "nothing was begun yet: " + error.message;
    return finish(end_with(error).value(), desk);
  }
  auto records = read_journal((*state)->journal(), desk);
  if (!records) return finish(std::move(records).error(), desk);
  if (!request.html.empty()) {
    std::vector<TextOutput> outputs;
    outputs.push_back({"report", request.html,
                       SecretString(html_report(input->profile.name, *records)), true, true});
    return deliver(std::move(outputs), true, {}, common, desk);
  }
  const std::size_t count = records->size();
  desk.display().show(History{input->profile.name, *std::move(records)});
  RunResult result;
  result.exit = Exit::done;
  // The report is the answer; only programs need to hear that it is complete.
  if (for_programs(common.output)) result.verdict = fmt::format("{} records", count);
  return finish(summary_of(*input, std::move(result)), desk);
}

}  // namespace ichor
