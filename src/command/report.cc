#include <fmt/format.h>

#include "cluster/ask_journal.h"
#include "cluster/journal_input.h"
#include "command/commands.h"
#include "run/deliver.h"
#include "run/finish.h"
#include "view/html_report.h"
#include "view/run_history.h"

namespace ichor {

namespace {

/// Of a lab that may be off, so the folder alone says it.
std::string kubeconfig_path(const CommonOptions& common, const ProfileInput& input, Host& host) {
  const std::string path = common.lab_state.empty() ? input.folder + "kubernetes/kubeconfig"
                                                    : common.lab_state + "/kubeconfig";
  return host.files.has_file(path) ? path : "";
}

}  // namespace

Exit run(const ReportRequest& request, const CommonOptions& common, Host& host) {
  const auto journal = open_journal(common, host);
  if (!journal) return finish(journal.error(), host.terminal);
  const ProfileInput& input = journal->input;
  auto records = read_journal(journal->state->journal(), host.loop);
  if (!records) return finish(std::move(records).error(), host.terminal);
  History history{input.profile.name, *std::move(records)};
  history.kubeconfig = kubeconfig_path(common, input, host);
  if (!request.run.empty()) {
    const std::vector<JournalRun> runs = runs_of(history.records);
    const auto found = find_run(runs, request.run);
    if (!found) return finish(no_such_run(request.run, runs.size()), host.terminal);
    history.run = runs[*found].front()->run.value();
  }
  if (!request.html.empty()) {
    std::vector<TextOutput> outputs;
    outputs.push_back({"report", request.html,
                       SecretString(html_report(history.cluster, history.records, history.run)),
                       true, true});
    return deliver(std::move(outputs), true, {}, common, host);
  }
  // Programs get the records of the run; the text says what earlier runs fixed for it, too.
  if (for_programs(common.output) && !history.run.empty()) {
    std::erase_if(history.records,
                  [&](const JournalRecord& record) { return record.run.value() != history.run; });
  }
  const std::size_t count = history.records.size();
  host.terminal.display().show(history);
  RunResult result;
  result.exit = Exit::done;
  // The report is the answer; only programs need to hear that it is complete.
  if (for_programs(common.output)) result.verdict = fmt::format("{} records", count);
  return finish(summary_of(input, std::move(result)), host.terminal);
}

}  // namespace ichor
