#include "sim/crash_points.h"

#include <fmt/format.h>

#include "model/provider_call.h"

namespace ichor::sim {

namespace {

/// What a bring-up writes. The one kind that is missing, node-excluded, is an operator's word
/// between runs.
constexpr std::string_view kRecords[] = {
    "run-started",       "secrets-fixed",
    "contract-fixed",    "identity-bound",
    "bootstrap-target",  "intent ApplyConfiguration",
    "intent Bootstrap",  "outcome ApplyConfiguration",
    "outcome Bootstrap", "observed",
    "run-ended",
};

/// What a bring-up calls. The others belong to reset and to the Kubernetes phases.
constexpr Call kCalls[] = {
    Call::open,
    Call::machine_status,
    Call::identity,
    Call::services,
    Call::config_digest,
    Call::etcd_data,
    Call::etcd_members,
    Call::etcd_status,
    Call::etcd_alarms,
    Call::version,
    Call::disks,
    Call::hardware,
    Call::time_status,
    Call::kubeconfig,
    Call::watch,
    Call::kube_ready,
    Call::apply_configuration,
    Call::bootstrap,
};

/// What the Kubernetes phases write, call and run besides.
constexpr std::string_view kKubeRecords[] = {
    "intent KubeApply",      "outcome KubeApply",      "intent ApproveCSR", "outcome ApproveCSR",
    "intent InstallRelease", "outcome InstallRelease", "intent KubeDelete", "outcome KubeDelete",
};

constexpr Call kKubeCalls[] = {Call::kube_read, Call::kube_apply, Call::kube_delete,
                               Call::approve_csr};

/// What an upgrade writes and calls besides.
constexpr std::string_view kUpgradeRecords[] = {"intent Upgrade", "outcome Upgrade"};

constexpr Call kUpgradeCalls[] = {
    Call::upgrade_state,           Call::pull_image, Call::upgrade,    Call::reboot,
    Call::etcd_forfeit_leadership, Call::kube_read,  Call::kube_apply, Call::evict};

constexpr std::string_view kPrograms[] = {
    "helm upgrade",   "helm get",      "helm template",   "helm version",
    "helmfile build", "helmfile sync", "kustomize build", "op read",
};

constexpr std::string_view kFiles[] = {kLockFile, kUnlockFile, kWriteFile};

std::vector<CrashPoint> make_points(Line line) {
  std::vector<CrashPoint> points;
  const auto add = [&points](CrashSite before, CrashSite after, std::string_view what) {
    points.push_back({before, what});
    points.push_back({after, what});
  };
  for (const std::string_view record : kRecords) {
    add(CrashSite::before_append, CrashSite::after_append, record);
  }
  for (const Call call : kCalls) {
    add(CrashSite::before_call, CrashSite::after_call, name_of(call));
  }
  for (const std::string_view file : kFiles) {
    add(CrashSite::before_file, CrashSite::after_file, file);
  }
  if (line == Line::talos) return points;
  if (line == Line::upgrade) {
    for (const std::string_view record : kUpgradeRecords) {
      add(CrashSite::before_append, CrashSite::after_append, record);
    }
    for (const Call call : kUpgradeCalls) {
      add(CrashSite::before_call, CrashSite::after_call, name_of(call));
    }
    return points;
  }
  for (const std::string_view record : kKubeRecords) {
    add(CrashSite::before_append, CrashSite::after_append, record);
  }
  for (const Call call : kKubeCalls) {
    add(CrashSite::before_call, CrashSite::after_call, name_of(call));
  }
  for (const std::string_view program : kPrograms) {
    add(CrashSite::before_call, CrashSite::after_call, program);
  }
  return points;
}

}  // namespace

std::string_view name_of(CrashSite site) {
  switch (site) {
    case CrashSite::before_append: return "before-journal";
    case CrashSite::after_append: return "after-journal";
    case CrashSite::before_call: return "before-call";
    case CrashSite::after_call: return "after-call";
    case CrashSite::before_file: return "before-file";
    case CrashSite::after_file: return "after-file";
  }
  return "?";
}

std::string to_text(const CrashPoint& point) {
  return fmt::format("{} {}", name_of(point.site), point.what);
}

std::string_view what_of(const JournalRecord& record) {
  const bool intent = record.kind == RecordKind::intent;
  if (!intent && record.kind != RecordKind::outcome) return name_of(record.kind);
  if (record.call >= kCreateVm) return intent ? "intent VM" : "outcome VM";
  const bool of_upgrade = record.call == Call::etcd_forfeit_leadership ||
                          (record.call >= Call::pull_image && record.call <= Call::uncordon);
  if (of_upgrade) return intent ? "intent Upgrade" : "outcome Upgrade";
  switch (record.call) {
    case Call::bootstrap: return intent ? "intent Bootstrap" : "outcome Bootstrap";
    case Call::kube_apply: return intent ? "intent KubeApply" : "outcome KubeApply";
    case Call::kube_delete: return intent ? "intent KubeDelete" : "outcome KubeDelete";
    case Call::approve_csr: return intent ? "intent ApproveCSR" : "outcome ApproveCSR";
    case Call::install_release: return intent ? "intent InstallRelease" : "outcome InstallRelease";
    default: return intent ? "intent ApplyConfiguration" : "outcome ApplyConfiguration";
  }
}

const std::vector<CrashPoint>& crash_points(Line line) {
  static const std::vector<CrashPoint> talos = make_points(Line::talos);
  static const std::vector<CrashPoint> whole = make_points(Line::whole);
  static const std::vector<CrashPoint> upgrade = make_points(Line::upgrade);
  if (line == Line::upgrade) return upgrade;
  return line == Line::whole ? whole : talos;
}

}  // namespace ichor::sim
