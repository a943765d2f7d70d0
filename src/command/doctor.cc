#include <algorithm>
#include <fmt/format.h>

#include "cluster/ask_journal.h"
#include "cluster/journal_input.h"
#include "cluster/profile_input.h"
#include "command/commands.h"
#include "command/doctor_node.h"
#include "command/explain.h"
#include "doctor/explain.h"
#include "doctor/last_run.h"
#include "doctor/match.h"
#include "run/finish.h"

namespace ichor {

namespace {

Exit tell_match(const Match& match, const CommonOptions& common, Host& host) {
  nlohmann::ordered_json row = row_of(*match.fault);
  row["evidence"] = match.evidence;
  if (!match.cause.empty()) row["this"] = match.cause;
  std::vector<std::string> lines = explain(*match.fault);
  lines.insert(lines.begin() + 1, "  evidence  " + match.evidence);
  if (!match.cause.empty()) lines.insert(lines.begin() + 2, "  here      " + match.cause);
  return tell({std::move(row)}, lines, std::string(match.fault->title), common, host);
}

Exit tell_all(const DoctorRequest& request, Host& host) {
  if (request.markdown) {
    host.terminal.out() << catalogue_markdown();
    return Exit::done;
  }
  Listing listing{"fault",
                  {{"id", "ID"},
                   {"title", "TITLE"},
                   {"recovers", "ENDS"},
                   {"holds", "HOLDS", true},
                   {"signs", "SIGNS", true}},
                  {}};
  for (const Fault& fault : faults()) listing.rows.push_back(row_of(fault));
  const std::size_t count = listing.rows.size();
  host.terminal.display().show(listing);
  return finish(
      end_with(Exit::done, fmt::format("{} faults; `ichor doctor ID` explains one", count)).value(),
      host.terminal);
}

Exit tell_last(const CommonOptions& common, Host& host) {
  const auto journal = open_journal(common, host);
  if (!journal) return finish(journal.error(), host.terminal);
  const ProfileInput* const input = &journal->input;
  const auto records = read_journal(journal->state->journal(), host.loop);
  if (!records) {
    RunResult damaged = records.error();
    damaged.findings.push_back(finding_of("L5", {}, "journal", damaged.verdict));
    return finish(summary_of(*input, std::move(damaged)), host.terminal);
  }
  auto last = last_run(*records);
  if (!last) {
    return finish(summary_of(*input, end_with(Exit::done, "nothing has been run yet").value()),
                  host.terminal);
  }
  Listing changes{
      "change",
      {{"node", "NODE"}, {"call", "LAST CHANGE"}, {"outcome", "OUTCOME"}, {"text", "TEXT"}},
      {}};
  for (const LastRun::Change& change : last->changes) {
    nlohmann::ordered_json row;
    row["node"] = change.node.value();
    row["call"] = name_of(change.call);
    row["outcome"] = change.outcome ? name_of(*change.outcome) : "not written";
    row["text"] = change.text;
    changes.rows.push_back(std::move(row));
  }
  host.terminal.display().show(changes);
  RunResult result;
  result.exit = Exit::done;
  result.verdict =
      last->exit
          ? fmt::format("run {} ended with exit {}: {}", last->number, *last->exit, last->verdict)
          : fmt::format("run {} did not end: it was killed (L1), or it still runs", last->number);
  result.findings = std::move(last->findings);
  return finish(summary_of(*input, std::move(result)), host.terminal);
}

bool is_node(const std::string& subject, const CommonOptions& common, Host& host) {
  if (subject.find(' ') != std::string::npos) return false;
  const auto input = read_profile_input(common, {}, host);
  return input && input->profile.find(NodeName(subject)) != nullptr;
}

}  // namespace

Exit run(const DoctorRequest& request, const CommonOptions& common, Host& host) {
  if (request.all) return tell_all(request, host);
  if (request.last) return tell_last(common, host);
  const std::string& subject = request.subject;
  const bool is_row = find_fault(subject) || find_invariant(subject);
  if (!is_row && is_node(subject, common, host)) return examine_one(request, common, host);
  if (auto explained = explain_id(subject)) {
    return tell(std::move(explained->rows), explained->lines, std::move(explained->title), common,
                host);
  }
  const auto match = match_error(subject);
  if (match && match->fault) return tell_match(*match, common, host);
  return finish(
      end_with(Exit::failed, fmt::format("\"{}\" is not an ID, a node of {} or a known error; "
                                         "`ichor doctor --all` lists what is",
                                         subject, common.profile))
          .value(),
      host.terminal);
}

}  // namespace ichor
