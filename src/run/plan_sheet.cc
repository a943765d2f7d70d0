#include "run/plan_sheet.h"

#include <fmt/format.h>

#include "run/finish.h"

namespace ichor {

namespace {

using Json = nlohmann::ordered_json;

Json action_row(const PlannedStep& step, int number) {
  Json row;
  row["order"] = number;
  row["phase"] = step.phase;
  row["node"] = step.node.value();
  row["action"] = step.action ? name_of(step.action->call) : "wait";
  row["changes_node"] = step.action && mutates(step.action->call);
  if (step.action && !step.action->payload.empty()) row["config"] = to_hex(step.action->payload);
  if (step.unverified) row["verified"] = false;
  row["why"] = step.unverified ? "unverified: " + step.text : step.text;
  return row;
}

std::string verdict_of(const RunPlan& plan, const std::string& cluster) {
  if (!plan.findings.empty()) return fmt::format("{}: the run would stop", cluster);
  const int actions = plan.action_count();
  std::string assumed;
  for (const NodeName& node : plan.unverified) {
    assumed += (assumed.empty() ? "; not verified: " : ", ") + node.value();
  }
  if (actions > 0) {
    return fmt::format("{}: {} {} planned, nothing was changed{}", cluster, actions,
                       actions == 1 ? "action is" : "actions are", assumed);
  }
  if (!plan.steps.empty()) return fmt::format("{}: nothing to do but to wait{}", cluster, assumed);
  return fmt::format("{}: nothing to do{}", cluster, assumed);
}

Exit exit_of(const RunPlan& plan, bool detailed_exitcode) {
  if (plan.unsafe) return Exit::unsafe;
  if (!plan.findings.empty()) return Exit::failed;
  return detailed_exitcode && plan.action_count() > 0 ? Exit::changes_pending : Exit::done;
}

std::string config_word(const NodeView& node, const ConfigSet& configs) {
  if (!node.config_read) return "unknown";
  if (!node.config) return "none";
  const auto wanted = configs.nodes.find(node.node);
  if (wanted == configs.nodes.end()) return "unknown";
  return wanted->second.canonical == *node.config ? "ours" : "other";
}

std::string etcd_word(const NodeView& node) {
  if (node.etcd.status) return node.etcd.status->is_learner ? "learner" : "voter";
  switch (node.etcd.has_data) {
    case Known::unknown: return "";
    case Known::no: return "none";
    case Known::yes: return node.etcd.service_state.empty() ? "data" : node.etcd.service_state;
  }
  return "";
}

Json node_row(const NodePlan& plan, const NodeView& node, const ConfigSet& configs) {
  Json row;
  row["node"] = plan.name.value();
  row["role"] = name_of(plan.role);
  row["address"] = node.address.value().empty() ? plan.address.value() : node.address.value();
  row["seen"] = name_of(node.presence);
  if (node.status) row["stage"] = name_of(node.status->stage);
  // Outside of booting and running Talos does not compute it.
  const bool is_told =
      node.status && (node.status->stage == Stage::running || node.status->stage == Stage::booting);
  if (is_told) row["ready"] = node.status->ready;
  if (node.version) row["version"] = to_text(*node.version);
  row["config"] = config_word(node, configs);
  row["etcd"] = etcd_word(node);
  if (node.identity) {
    row["uuid"] = node.identity->uuid.value();
    row["serial"] = node.identity->serial.value();
    for (const MacAddress& mac : node.identity->macs) row["macs"].push_back(mac.value());
    row["boot_id"] = node.identity->boot_id.value();
  }
  if (node.presence == Presence::maintenance) row["fingerprint"] = node.fingerprint.value();
  if (node.trouble) row["trouble"] = to_text(*node.trouble);
  if (node.status) {
    for (const UnmetCondition& unmet : node.status->unmet) {
      row["unmet"].push_back(fmt::format("{}: {}", unmet.name, unmet.reason));
    }
  }
  return row;
}

}  // namespace

Listing node_listing(const ClusterProfile& profile, const ConfigSet& configs,
                     const ClusterView& seen) {
  Listing listing;
  listing.type = "node";
  for (const NodeView& node : seen.nodes) {
    const NodePlan* plan = profile.find(node.node);
    if (plan) listing.rows.push_back(node_row(*plan, node, configs));
  }
  return listing;
}

Summary show_plan(const ProfileInput& input, const ConfigSet& configs, RunPlan plan,
                  bool detailed_exitcode, Host& host) {
  Listing nodes = node_listing(input.profile, configs, plan.seen);
  nodes.columns = {{"node", "NODE"},
                   {"role", "ROLE"},
                   {"address", "ADDRESS"},
                   {"seen", "SEEN"},
                   {"stage", "STAGE"},
                   {"fingerprint", "FINGERPRINT"},
                   {"version", "VERSION", true},
                   {"config", "CONFIG", true},
                   {"etcd", "ETCD", true},
                   {"uuid", "UUID", true},
                   {"serial", "SERIAL", true},
                   {"macs", "MACS", true},
                   {"trouble", "TROUBLE"}};
  host.terminal.display().show(nodes);
  if (!plan.steps.empty()) {
    Listing actions;
    actions.type = "action";
    actions.columns = {{"order", "#"},       {"phase", "PHASE"},         {"node", "NODE"},
                       {"action", "ACTION"}, {"config", "CONFIG", true}, {"why", "WHY"}};
    int number = 0;
    for (const PlannedStep& step : plan.steps) actions.rows.push_back(action_row(step, ++number));
    host.terminal.display().show(actions);
  }
  RunResult result;
  result.exit = exit_of(plan, detailed_exitcode);
  result.verdict = verdict_of(plan, input.profile.name);
  result.findings = std::move(plan.findings);
  Summary summary = summary_of(input, std::move(result));
  summary.planned = plan.action_count();
  if (plan.action_count() > 0 && summary.result.findings.empty()) summary.next = {"ichor up"};
  return summary;
}

}  // namespace ichor
