#include <algorithm>
#include <fmt/format.h>

#include "command/commands.h"
#include "machineconfig/schematic_input.h"
#include "phase/extension_check.h"
#include "run/cluster_checks.h"
#include "run/partial_run.h"
#include "run/vm_search.h"

namespace ichor {

namespace {

constexpr int kTries = 3;

/// Everything that was found, with the worst of each node for the last table.
struct Findings {
  Listing listing;
  RunResult result;
  int failed{0};

  void note(const NodeName& node, const Check& check) {
    nlohmann::ordered_json row;
    row["node"] = node.value();
    row["check"] = check.name;
    row["result"] = name_of(check.verdict);
    row["detail"] = check.detail;
    row["fault"] = check.finding.id;
    row["fix"] = check.finding.fix;
    listing.rows.push_back(std::move(row));
    const bool complains = check.verdict == Verdict::failed || check.verdict == Verdict::warning;
    if (complains) result.findings.push_back(check.finding);
    if (check.verdict == Verdict::failed) ++failed;
  }
};

void judge_node(const std::vector<Check>& checks, const NodeView& view, Findings& found) {
  NodeResult node;
  for (const Check& check : checks) {
    found.note(view.node, check);
    if (check.verdict == Verdict::failed) node.reason = check.finding.what;
  }
  node.node = view.node;
  node.phase = "preflight";
  if (view.status) node.stage = view.status->stage;
  node.end = node.reason.empty() ? StepEnd::passed : StepEnd::failed;
  found.result.nodes.push_back(std::move(node));
}

}  // namespace

Exit run(const PreflightRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {request.nodes, {}, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  WorkspaceOptions place = target->workspace_options();
  place.read_only = true;
  auto space = open_workspace(*input, place, host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  if (auto learned = learn_vms(*input, *target, *space, host); !learned) {
    return finish(summary_of(*input, std::move(learned).error()), host.terminal);
  }
  const auto seen = look_around(input->profile, *space, host, kTries);
  if (!seen) return finish(seen.error(), host.terminal);

  Findings found;
  found.listing.type = "check";
  found.listing.columns = {{"node", "NODE"},     {"check", "CHECK"}, {"result", "RESULT"},
                           {"detail", "DETAIL"}, {"fault", "FAULT"}, {"fix", "FIX", true}};
  for (const Check& check : cluster_checks(*input, *target, *space, host)) found.note({}, check);
  for (const Check& check : tool_checks(input->profile, *target, host)) found.note({}, check);
  for (const Check& check : image_checks(input->profile, *target, host)) found.note({}, check);
  found.note({}, twin_check(*seen));
  const Wanted wanted{input->profile, space->configs, space->facts, host.loop.clock().now()};
  const auto extensions = wanted_extensions(input->profile, input->folder, host.files);
  for (const NodeView& view : seen->nodes) {
    std::vector<Check> checks = preflight_checks(wanted, *wanted.profile.find(view.node), view);
    checks.push_back(extension_check(input->profile, extensions, view));
    judge_node(checks, view, found);
  }
  host.terminal.display().show(found.listing);

  RunResult& result = found.result;
  std::ranges::move(space->findings, std::back_inserter(result.findings));
  result.exit = found.failed == 0 ? Exit::done : Exit::findings;
  result.verdict = found.failed == 0
                       ? fmt::format("{}: every node can be brought up", input->profile.name)
                       : fmt::format("{}: {} {} failed", input->profile.name, found.failed,
                                     found.failed == 1 ? "check" : "checks");
  return finish(summary_of(*input, std::move(result)), host.terminal);
}

}  // namespace ichor
