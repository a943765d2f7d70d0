#include "cli/completion_script.h"
#include "cluster/ask_journal.h"
#include "cluster/journal_input.h"
#include "command/commands.h"
#include "command/explain.h"
#include "lab/fault.h"
#include "view/run_history.h"

namespace ichor {

namespace {

/// Enough of a run's id for a person to take it up.
constexpr std::size_t kShortId = 8;

std::vector<std::string> node_names(const CommonOptions& common, Host& host) {
  std::vector<std::string> names;
  const auto input = read_profile_input(common, {}, host);
  if (!input) return names;
  for (const NodePlan& plan : input->everybody) names.push_back(plan.name.value());
  return names;
}

std::vector<std::string> cluster_names(const CommonOptions& common, Host& host) {
  CommonOptions any = common;
  any.cluster.clear();
  const auto input = read_profile_input(any, {}, host);
  return input ? std::vector<std::string>{input->profile.name} : std::vector<std::string>{};
}

std::vector<std::string> run_names(const CommonOptions& common, Host& host) {
  std::vector<std::string> names;
  const auto journal = open_journal(common, host);
  if (!journal) return names;
  const auto records = read_journal(journal->state->journal(), host.loop);
  if (!records) return names;
  for (const RunEntry& entry : run_entries(runs_of(*records))) {
    names.push_back(entry.id.substr(0, kShortId));
  }
  return names;
}

/// What is not known is left out: a shell that completes a line has no place for errors.
std::vector<std::string> names_of(NameKind kind, const CommonOptions& common, Host& host) {
  switch (kind) {
    case NameKind::nodes: return node_names(common, host);
    case NameKind::clusters: return cluster_names(common, host);
    case NameKind::ids: return all_ids();
    case NameKind::runs: return run_names(common, host);
    case NameKind::faults: break;
  }
  std::vector<std::string> names;
  for (const lab::FaultKind& fault : lab::fault_kinds()) names.emplace_back(fault.name);
  return names;
}

}  // namespace

Exit run(const CompletionRequest& request, const CommonOptions& common, Host& host) {
  std::string text;
  if (request.names) {
    for (const std::string& name : names_of(*request.names, common, host)) text += name + "\n";
  } else {
    text = completion_script(request.shell);
  }
  if (!for_programs(common.output)) {
    host.terminal.out() << text;
    return Exit::done;
  }
  Listing listing;
  listing.type = "completion";
  listing.rows.push_back({{request.names ? "names" : "script", text}});
  host.terminal.display().show(listing);
  Summary summary;
  summary.result.exit = Exit::done;
  host.terminal.display().end(summary);
  return Exit::done;
}

}  // namespace ichor
