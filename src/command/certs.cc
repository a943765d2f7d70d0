#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "cluster/fresh_state.h"
#include "cluster/machine_search.h"
#include "command/commands.h"
#include "engine/live_look.h"
#include "run/certificate_list.h"
#include "run/partial_run.h"

namespace ichor {

namespace {

Task<void> look_into(Context context, World& world, const ClusterProfile& profile,
                     const JournalFacts& facts, std::vector<LiveNode>& nodes) {
  nodes = co_await look_live(context, world, profile, facts, LiveConfigs::left_out);
}

OrEnd<std::vector<LiveNode>> see_nodes(const ProfileInput& input, Workspace& space, Host& host) {
  if (auto found = find_machines(input.profile, space, host); !found) return forward_error(found);
  ReadOnlyWorld looking(space, host);
  CancelScope scope;
  std::vector<LiveNode> nodes;
  const Context context{&host.loop.clock(), &scope};
  const int signal = host.loop.drive(
      look_into(context, looking.world(), input.profile, space.facts, nodes), scope);
  if (signal == SIGTERM) return end_with(Exit::terminated, "terminated");
  if (signal != 0) return end_with(Exit::interrupted, "interrupted");
  return nodes;
}

RunResult status_result(const std::string& cluster, const std::vector<CertificateRow>& rows,
                        WallTime now) {
  RunResult result;
  result.findings = certificate_findings(rows, now);
  const auto expired = std::ranges::count_if(
      result.findings, [](const Finding& one) { return one.severity == Severity::error; });
  result.exit = expired > 0 ? Exit::findings : Exit::done;
  const auto first = std::ranges::min_element(rows, {}, [](const CertificateRow& row) {
    return row.kind == CertificateRow::Kind::node ? std::numeric_limits<std::int64_t>::max()
                                                  : row.expires.unix_ms;
  });
  if (expired > 0) {
    result.verdict = fmt::format("{}: {} certificate{} expired", cluster, expired,
                                 expired == 1 ? " has" : "s have");
  } else if (first == rows.end()) {
    result.verdict = cluster + ": there are no certificates yet";
  } else {
    result.verdict = fmt::format("{}: {} certificates; the first to expire is {}", cluster,
                                 rows.size(), first->name);
  }
  return result;
}

}  // namespace

Exit run(const CertsStatusRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {request.nodes, {}, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  auto space = open_to_look(common, *input, host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  const auto nodes = see_nodes(*input, *space, host);
  if (!nodes) return finish(nodes.error(), host.terminal);
  const WallTime now = host.loop.clock().wall();
  const std::vector<CertificateRow> rows =
      list_certificates(input->profile.name, *space, *nodes, target->kubeconfig, host.files);
  host.terminal.display().show(certificate_listing(rows, now));
  return finish(summary_of(*input, status_result(input->profile.name, rows, now)), host.terminal);
}

Exit run(const CertsRenewRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {request.nodes, request.change, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  const std::string& exported = target->kubeconfig;
  const bool has_export = host.files.has_file(exported);
  if (has_export) {
    if (auto allowed = host.files.may_export(exported); !allowed) {
      return finish(end_with(allowed.error()).value(), host.terminal);
    }
  }
  const WorkspaceOptions place = target->workspace_options(request.change);
  auto space = open_workspace(*input, place, host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  if (auto renewed = renew_talosconfig(*input, place, *space, host); !renewed) {
    return finish(std::move(renewed).error(), host.terminal);
  }
  space->state = without_kubeconfig(std::move(space->state));
  Summary summary =
      summary_of(*input, run_engine(input->profile, *space, {{"kubeconfig"}, false}, host));
  summary.written.emplace_back("talosconfig", space->state->path() + "/talosconfig");
  if (summary.result.exit != Exit::done) {
    summary.result.verdict = "the talosconfig is renewed; " + summary.result.verdict;
    return finish(std::move(summary), host.terminal);
  }
  summary.written.emplace_back("kubeconfig", space->state->path() + "/kubeconfig");
  if (has_export) {
    const MergeOptions options{input->profile.name, OnConflict::refuse, false};
    const auto merged = export_kubeconfig(exported, target->outside, options, *space, host);
    if (!merged) return finish(end_with(merged.error()).value(), host.terminal);
    summary.written.emplace_back("kubeconfig", exported);
  }
  summary.result.verdict = input->profile.name + ": talosconfig and kubeconfig are renewed";
  return finish(std::move(summary), host.terminal);
}

}  // namespace ichor
