#include <algorithm>
#include <fmt/format.h>

#include "command/ask_journal.h"
#include "command/commands.h"
#include "command/doctor_node.h"
#include "command/finish.h"
#include "command/profile_input.h"
#include "doctor/explain.h"
#include "doctor/last_run.h"
#include "doctor/match.h"
#include "lint/rules.h"

namespace ichor {

namespace {

/// Programs get rows, people a text.
Exit tell(std::vector<nlohmann::ordered_json> rows, const std::vector<std::string>& lines,
          std::string verdict, const CommonOptions& common, Desk& desk) {
  if (for_programs(common.output)) {
    desk.display().show(Listing{"fault", {}, std::move(rows)});
    return finish(end_with(Exit::done, std::move(verdict)).value(), desk);
  }
  for (const std::string& line : lines) desk.out() << line << "\n";
  return Exit::done;
}

Exit tell_row(const Fault& fault, const CommonOptions& common, Desk& desk) {
  return tell({row_of(fault)}, explain(fault), std::string(fault.title), common, desk);
}

Exit tell_invariant(const Invariant& invariant, const CommonOptions& common, Desk& desk) {
  nlohmann::ordered_json row;
  row["id"] = invariant.id;
  row["title"] = invariant.title;
  row["promise"] = invariant.promise;
  return tell({std::move(row)}, explain(invariant), std::string(invariant.title), common, desk);
}

Exit tell_match(const Match& match, const CommonOptions& common, Desk& desk) {
  nlohmann::ordered_json row = row_of(*match.fault);
  row["evidence"] = match.evidence;
  if (!match.cause.empty()) row["this"] = match.cause;
  std::vector<std::string> lines = explain(*match.fault);
  lines.insert(lines.begin() + 1, "  evidence  " + match.evidence);
  if (!match.cause.empty()) lines.insert(lines.begin() + 2, "  here      " + match.cause);
  return tell({std::move(row)}, lines, std::string(match.fault->title), common, desk);
}

Exit tell_all(const DoctorRequest& request, Desk& desk) {
  if (request.markdown) {
    desk.out() << catalogue_markdown();
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
  desk.display().show(listing);
  return finish(
      end_with(Exit::done, fmt::format("{} faults; `ichor doctor ID` explains one", count)).value(),
      desk);
}

Exit tell_last(const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  auto state = desk.open_state(state_path(common, *input), Desk::Missing::refuse);
  if (!state) return finish(end_with(state.error()).value(), desk);
  const auto records = read_journal((*state)->journal(), desk);
  if (!records) {
    RunResult damaged = records.error();
    damaged.findings.push_back(finding_of("L5", {}, "journal", damaged.verdict));
    return finish(summary_of(*input, std::move(damaged)), desk);
  }
  auto last = last_run(*records);
  if (!last) {
    return finish(summary_of(*input, end_with(Exit::done, "nothing has been run yet").value()),
                  desk);
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
  desk.display().show(changes);
  RunResult result;
  result.exit = Exit::done;
  result.verdict =
      last->exit
          ? fmt::format("run {} ended with exit {}: {}", last->number, *last->exit, last->verdict)
          : fmt::format("run {} did not end: it was killed (L1), or it still runs", last->number);
  result.findings = std::move(last->findings);
  return finish(summary_of(*input, std::move(result)), desk);
}

bool is_node(const std::string& subject, const CommonOptions& common, Desk& desk) {
  if (subject.find(' ') != std::string::npos) return false;
  const auto input = read_profile_input(common, {}, desk);
  return input && input->profile.find(NodeName(subject)) != nullptr;
}

Exit tell_lint_rule(const LintRule& rule, const std::string& id, Desk& desk) {
  desk.out() << id << ": " << rule.title << "\n  cause     " << rule.reason << "\n  see       "
             << rule.page() << "\n";
  return Exit::done;
}

}  // namespace

Exit run(const DoctorRequest& request, const CommonOptions& common, Desk& desk) {
  if (request.all) return tell_all(request, desk);
  if (request.last) return tell_last(common, desk);
  const std::string& subject = request.subject;
  if (const Fault* fault = find_fault(subject)) return tell_row(*fault, common, desk);
  if (const Invariant* found = find_invariant(subject)) {
    return tell_invariant(*found, common, desk);
  }
  if (is_node(subject, common, desk)) return examine_one(request, common, desk);
  if (const LintRule* rule = rule_of(subject)) return tell_lint_rule(*rule, subject, desk);
  const auto match = match_error(subject);
  if (match && match->fault) return tell_match(*match, common, desk);
  return finish(end_with(Exit::failed,
                         fmt::format("\"{}\" is no id, no node of {} and no error that is known; "
                                     "`ichor doctor --all` lists what is",
                                     subject, common.profile))
                    .value(),
                desk);
}

}  // namespace ichor
