#include "doctor/examine_node.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/check.h"
#include "doctor/explain.h"
#include "doctor/fault.h"
#include "model/etcd_advice.h"
#include "wait/retry_table.h"

namespace ichor {

namespace {

constexpr std::uint64_t kMiB = 1u << 20;
/// As Talos' own health check has them, with its allowance for what the firmware keeps.
constexpr std::uint64_t kControlPlaneMemoryMin = 1698 * kMiB;
constexpr std::uint64_t kWorkerMemoryMin = 874 * kMiB;

/// Which row a condition of MachineStatus belongs to.
std::string_view fault_of_condition(std::string_view name) {
  struct Row {
    std::string_view condition;
    std::string_view fault;
  };
  static constexpr std::array<Row, 5> rows{{{"time", "T7"},
                                            {"network", "N2"},
                                            {"services", "A1"},
                                            {"staticPods", "K3"},
                                            {"nodeReady", "K1"}}};
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.condition == name; });
  return found == rows.end() ? "I13" : found->fault;
}

/// One node under examination.
class Examination {
 public:
  Examination(const Expected& expected, const NodePlan& plan, const NodeView& view)
      : expected_(expected), plan_(plan), view_(view) {}

  std::vector<Finding> run() {
    if (view_.presence == Presence::stranger) {
      add("D8", "identity",
          fmt::format("another machine answers at {}: {}", view_.address.value(),
                      view_.identity ? encode_identity(*view_.identity, {}) : "identity unread"));
    }
    if (view_.trouble) {
      add(rule_for(*view_.trouble).fault, "connection", to_text(*view_.trouble));
    }
    look_at_stage();
    look_at_services();
    look_at_hardware();
    if (plan_.role == Role::control_plane && view_.presence == Presence::configured) look_at_etcd();
    return std::move(findings_);
  }

 private:
  void add(std::string_view fault, std::string where, std::string what) {
    findings_.push_back(finding_of(fault, plan_.name, std::move(where), std::move(what)));
  }
  void note(std::string_view fault, std::string where, std::string what) {
    add(fault, std::move(where), std::move(what));
    findings_.back().severity = Severity::note;
  }

  void look_at_stage() {
    if (view_.presence == Presence::maintenance) {
      if (expected_.facts.settled(plan_.name)) {
        add("T2", "stage", "it is in maintenance mode, but the journal says that it was installed");
      } else if (expected_.facts.last(Call::apply_configuration, plan_.name)) {
        note("D1", "stage", "it is in maintenance mode although a config was sent to it");
      }
    }
    if (view_.status) {
      const Stage stage = view_.status->stage;
      if (stage == Stage::installing)
        note("D2", "stage", "it is installing, and the installation pulls an image");
      for (const UnmetCondition& unmet : view_.status->unmet) {
        add(fault_of_condition(unmet.name), "unmet " + unmet.name, unmet.reason);
      }
    }
    const auto wanted = expected_.configs.nodes.find(plan_.name);
    if (view_.config && wanted != expected_.configs.nodes.end() &&
        *view_.config != wanted->second.canonical) {
      add("O4", "config", "its config is not the one that the profile generates");
    }
    if (view_.version && *view_.version < expected_.profile.talos.contract) {
      add("D10", "version",
          fmt::format("it runs Talos {}, older than the contract {}", to_text(*view_.version),
                      to_text(expected_.profile.talos.contract)));
    } else if (view_.version && *view_.version != expected_.profile.talos.version) {
      note("D10", "version",
           fmt::format("it runs Talos {}, and the profile says {}", to_text(*view_.version),
                       to_text(expected_.profile.talos.version)));
    }
    if (view_.time_synced && !*view_.time_synced) add("T7", "time", "its clock is not in sync");
  }

  void look_at_services() {
    if (!view_.services) return;
    for (const ServiceStatus& service : *view_.services) {
      const bool ill = service.state == "Failed" ||
                       (service.state == "Running" && !service.health_unknown && !service.healthy);
      const bool waits = service.state == "Waiting" || service.state == "Preparing";
      if (!ill && !waits) continue;
      const std::string what = fmt::format("{}: {}", service.state, service.last_message);
      const std::string_view fault = service.id == "etcd" ? "E2" : "A1";
      if (ill) {
        add(fault, "service " + service.id, what);
      } else {
        note(fault, "service " + service.id, what);
      }
    }
  }

  void look_at_hardware() {
    const bool control_plane = plan_.role == Role::control_plane;
    const std::uint64_t least = control_plane ? kControlPlaneMemoryMin : kWorkerMemoryMin;
    if (view_.hardware && view_.hardware->memory_bytes && *view_.hardware->memory_bytes < least) {
      add("D5", "memory",
          fmt::format("{} MiB, and a {} needs {}", *view_.hardware->memory_bytes / kMiB,
                      name_of(plan_.role), least / kMiB));
    }
    if (!view_.disks || view_.presence != Presence::maintenance) return;
    for (const Disk& disk : *view_.disks) {
      if (!disk.has_volumes || disk.cdrom) continue;
      note("D3", "disk " + disk.dev_path,
           fmt::format("it holds data: {} {} serial {}", disk.model, disk.transport, disk.serial));
    }
  }

  void look_at_etcd() {
    const EtcdView& etcd = view_.etcd;
    if (etcd.has_data == Known::yes && !etcd.service_healthy) {
      add("E2", "etcd", fmt::format("it has data and is not healthy ({})", etcd.service_state));
    }
    if (etcd.status && etcd.status->leader == EtcdMemberId{}) {
      add("E8", "etcd", "it knows no leader");
    }
    if (etcd.status && etcd.status->is_learner) add("E7", "etcd", "it is still a learner");
    const std::vector<RaisedAlarm> alarms = raised_alarms(etcd);
    // The status repeats the alarms; whatever else it says is this member's own.
    if (etcd.status && etcd.status->errors.size() > alarms.size()) {
      add("E9", "etcd", etcd.status->errors.front());
      findings_.back().fix = fmt::format(
          "see `talosctl -n {} etcd status` and `talosctl -n {} "
          "logs etcd`",
          plan_.name.value(), plan_.name.value());
    }
    for (const RaisedAlarm& raised : alarms) look_at_alarm(raised);
    look_at_members(etcd.members.value_or(std::vector<EtcdMember>{}));
  }

  /// An alarm belongs to its member, whichever node was asked: an alarm of another node is reported
  /// as such.
  void look_at_alarm(const RaisedAlarm& raised) {
    add("E9", "etcd", "alarm " + to_text(raised));
    Finding& finding = findings_.back();
    const bool planned = expected_.profile.find(NodeName(raised.hostname)) != nullptr;
    finding.node = planned ? NodeName(raised.hostname) : NodeName();
    finding.fix = alarm_advice(expected_.profile, view_.etcd, raised);
  }

  void look_at_members(const std::vector<EtcdMember>& members) {
    const bool ours = has_member_of(expected_.profile, members);
    for (const EtcdMember& member : unknown_members(expected_.profile, members)) {
      add("E5", "etcd",
          fmt::format("the member {} is not a control plane of the profile", member.hostname));
      // Data of a cluster that has nodes of the profile is this cluster's: nothing of it may go.
      if (!ours) continue;
      findings_.back().why = "A control plane left the profile, or joined by hand.";
      findings_.back().fix = unknown_member_advice(expected_.profile, members, member);
    }
  }

  const Expected& expected_;
  const NodePlan& plan_;
  const NodeView& view_;
  std::vector<Finding> findings_;
};

}  // namespace

Finding finding_of(std::string_view fault, const NodeName& node, std::string where,
                   std::string what) {
  Finding finding;
  finding.id = fault;
  finding.node = node;
  finding.where = std::move(where);
  finding.what = std::move(what);
  if (const Fault* row = find_fault(fault)) {
    finding.why = row->cause;
    for (const std::string_view step : row->steps) {
      if (!finding.fix.empty()) finding.fix += "; ";
      finding.fix += fill_in(step, node.value());
    }
    return finding;
  }
  const Invariant* invariant = find_invariant(fault);
  check(invariant != nullptr, "a finding names a row of the catalogue");
  finding.why = invariant->promise;
  finding.fix = "run `ichor up` again: it continues";
  return finding;
}

std::vector<Finding> examine_node(const Expected& expected, const NodePlan& plan,
                                  const NodeView& view) {
  return Examination(expected, plan, view).run();
}

}  // namespace ichor
