#include "command/doctor_node.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "cluster/profile_input.h"
#include "cluster/workspace.h"
#include "engine/node_link.h"
#include "run/engine_run.h"
#include "run/finish.h"
#include "run/run_target.h"

namespace ichor {

namespace {

constexpr int kEventsShown = 10;
constexpr int kKernelLinesShown = 10;

/// One node as closely as it lets us look.
struct CloseLook {
  NodeView view;
  std::vector<std::string> events;
  std::vector<std::string> kernel;
};

/// What only the doctor asks for. A read that is not served leaves its part empty: older versions
/// and maintenance mode have less to tell.
Task<void> look_closer(Context context, TalosSession& session, Duration limit, CloseLook& look) {
  if (auto services = co_await session.services(context.within(limit))) {
    look.view.services = *std::move(services);
  }
  if (auto synced = co_await session.time_synced(context.within(limit))) {
    look.view.time_synced = *synced;
  }
  if (auto disks = co_await session.disks(context.within(limit))) {
    look.view.disks = *std::move(disks);
  }
  if (auto hardware = co_await session.hardware(context.within(limit))) {
    look.view.hardware = *std::move(hardware);
  }
  if (auto events = co_await session.events(context.within(limit), kEventsShown)) {
    look.events = *std::move(events);
  }
  if (auto lines = co_await session.dmesg(context.within(limit), kKernelLinesShown)) {
    look.kernel = *std::move(lines);
  }
}

Task<void> look_into(Context context, NodeLink& link, Duration limit, CloseLook& look) {
  constexpr Reads everything{
      .status = true, .version = true, .config = true, .etcd = true, .etcd_health = true};
  look.view = co_await link.look(context, everything);
  const std::shared_ptr<TalosSession> session = link.session();
  if (session) co_await look_closer(context, *session, limit, look);
}

nlohmann::ordered_json node_row(const CloseLook& look) {
  const NodeView& view = look.view;
  nlohmann::ordered_json row;
  row["node"] = view.node.value();
  row["seen"] = name_of(view.presence);
  row["address"] = view.address.value();
  row["stage"] = view.status ? name_of(view.status->stage) : "";
  row["ready"] = view.status ? nlohmann::ordered_json(view.status->ready) : nullptr;
  row["version"] = view.version ? to_text(*view.version) : "";
  row["etcd"] = view.etcd.service_state;
  row["time"] = view.time_synced ? (*view.time_synced ? "in sync" : "not in sync") : "";
  return row;
}

void show_services(const CloseLook& look, Host& host) {
  if (!look.view.services) return;
  Listing listing{"service",
                  {{"service", "SERVICE"},
                   {"state", "STATE"},
                   {"health", "HEALTH"},
                   {"message", "LAST MESSAGE"}},
                  {}};
  for (const ServiceStatus& service : *look.view.services) {
    nlohmann::ordered_json row;
    row["service"] = service.id;
    row["state"] = service.state;
    row["health"] = service.health_unknown ? "?" : service.healthy ? "good" : "bad";
    row["message"] = service.last_message;
    listing.rows.push_back(std::move(row));
  }
  host.terminal.display().show(listing);
}

void show_lines(const std::string& type, const std::string& title,
                const std::vector<std::string>& lines, Host& host) {
  if (lines.empty()) return;
  Listing listing{type, {{"text", title}}, {}};
  for (const std::string& line : lines) {
    nlohmann::ordered_json row;
    row["text"] = line;
    listing.rows.push_back(std::move(row));
  }
  host.terminal.display().show(listing);
}

}  // namespace

Exit examine_one(const DoctorRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {request.nodes, {}, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const NodePlan* plan = input->profile.find(NodeName(request.subject));
  auto space = open_to_look(common, *input, host);
  if (!space) return finish(std::move(space).error(), host.terminal);

  ReadOnlyWorld looking(*space, host);
  Bell changed;
  NodeLink link(looking.world(), input->profile, *plan, space->facts, changed);
  CloseLook look;
  CancelScope scope;
  const Context context{&host.loop.clock(), &scope};
  const int signal =
      host.loop.drive(look_into(context, link, input->profile.budgets.call, look), scope);
  if (signal != 0) {
    const Exit exit = signal == SIGTERM ? Exit::terminated : Exit::interrupted;
    return finish(end_with(exit, "interrupted").value(), host.terminal);
  }
  host.terminal.display().show(Listing{"node",
                                       {{"node", "NODE"},
                                        {"seen", "SEEN"},
                                        {"address", "ADDRESS"},
                                        {"stage", "STAGE"},
                                        {"ready", "READY"},
                                        {"version", "VERSION"},
                                        {"etcd", "ETCD"},
                                        {"time", "TIME"}},
                                       {node_row(look)}});
  show_services(look, host);
  show_lines("event", "LAST EVENTS", look.events, host);
  show_lines("kernel", "LAST KERNEL MESSAGES", look.kernel, host);

  RunResult result;
  result.findings = examine_node({input->profile, space->configs, space->facts}, *plan, look.view);
  const auto errors =
      std::count_if(result.findings.begin(), result.findings.end(),
                    [](const Finding& finding) { return finding.severity == Severity::error; });
  result.exit = errors > 0 ? Exit::findings : Exit::done;
  result.verdict = errors > 0 ? fmt::format("{}: {} unmet", plan->name.value(), errors)
                              : fmt::format("{}: nothing is wrong with it", plan->name.value());
  return finish(summary_of(*input, std::move(result)), host.terminal);
}

}  // namespace ichor
