// Golden tests: codes and texts of the error table in real-talos/README.md and of talos-api.md 3.3
// and 3.4, row by row, for both personalities.

#include <functional>
#include <gtest/gtest.h>
#include <ostream>
#include <string>

#include "sim/node/bench.h"

namespace ichor::sim {
namespace {

using Mode = Node::ApplyMode;

enum class Where { maintenance, cri_down, control_plane, bootstrapped, worker };

struct Said {
  Code code{Code::ok};
  std::string text;
};

template <class T>
Said said(const Answer<T>& answer) {
  return answer ? Said{} : Said{answer.error().code, answer.error().text};
}
Said said(const Answer<Node::ApplyReply>& answer) {
  return answer ? Said{Code::ok, answer->mode_details}
                : Said{answer.error().code, answer.error().text};
}

struct Row {
  const char* name;
  Personality personality;
  Platform platform;
  Where where;
  std::function<Said(Node&)> call;
  Code code;
  std::string text;
};
std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

constexpr auto v12 = Personality::v1_12;
constexpr auto v13 = Personality::v1_13;
constexpr auto box = Platform::container;
constexpr auto metal = Platform::metal;

const Caller nobody = Bench::insecure;
const Caller admin = Bench::admin;
const Caller reader = Bench::reader;

Said apply(Node& node, const Caller& caller, const std::string& config, Mode mode,
           bool dry_run = false) {
  return said(node.apply(caller, config, mode, dry_run));
}

/// A call of a method that the model does not implement itself.
Said rpc(Node& node, const Caller& caller, const char* method, Need need,
         const char* service = "machine.MachineService") {
  return said(node.admit(caller, service, method, need));
}

struct Answers : ::testing::TestWithParam<Row> {
  Node& node_at(Bench& bench, Where where) {
    const std::string name = where == Where::worker ? "worker1" : "cp1";
    if (where == Where::worker) bench.configured("cp9");  // for its trustd
    bench.judge.know("network only", [] {
      ConfigFacts facts;
      facts.complete = false;
      return facts;
    }());
    ConfigFacts other = Bench::facts(name);
    bench.judge.know("same but for a label", other);
    other.needs_reboot.bytes.fill(9);
    bench.judge.know("other kernel args", other);
    if (where == Where::maintenance || where == Where::cri_down) {
      Node& node = bench.add(name);
      node.power_on();
      bench.run_to(node, Stage::maintenance);
      if (where == Where::maintenance) return node;
      bench.apply(node, name);
      bench.run_to([&] { return node.listener() == Listener::apid; });
      return node;
    }
    Node& node = bench.configured(name);
    if (where != Where::bootstrapped) return node;
    EXPECT_TRUE(node.bootstrap(Bench::admin));
    EXPECT_TRUE(bench.run_to([&] { return node.api_server_ready(); }));
    return node;
  }
};

TEST_P(Answers, AreTalosOwn) {
  const Row& row = GetParam();
  Bench bench(row.personality, row.platform);
  Node& node = node_at(bench, row.where);
  const Said answer = row.call(node);
  EXPECT_EQ(name_of(answer.code), name_of(row.code));
  EXPECT_EQ(answer.text, row.text);
}

std::string row_name(const ::testing::TestParamInfo<Row>& info) { return info.param.name; }

// Maintenance mode: what is served, and what is said instead.
const Row maintenance_rows[] = {
    {"Version12", v12, box, Where::maintenance, [](Node& n) { return said(n.version(nobody)); },
     Code::unimplemented, "API is not implemented in maintenance mode"},
    {"Version13", v13, box, Where::maintenance, [](Node& n) { return said(n.version(nobody)); },
     Code::ok, ""},
    {"VersionResource12", v12, box, Where::maintenance,
     [](Node& n) { return said(n.version_resource(nobody)); }, Code::ok, ""},
    {"MetaWrite12", v12, metal, Where::maintenance,
     [](Node& n) { return rpc(n, nobody, "MetaWrite", Need::admin); }, Code::unimplemented,
     "API is not implemented in maintenance mode"},
    {"MetaWrite13", v13, metal, Where::maintenance,
     [](Node& n) { return rpc(n, nobody, "MetaWrite", Need::admin); }, Code::permission_denied,
     "not authorized"},
    {"Reset12", v12, metal, Where::maintenance, [](Node& n) { return said(n.reset(nobody, {})); },
     Code::unimplemented, "API is not implemented in maintenance mode"},
    {"Reset13", v13, metal, Where::maintenance, [](Node& n) { return said(n.reset(nobody, {})); },
     Code::permission_denied, "not authorized"},
    {"Upgrade12", v12, metal, Where::maintenance,
     [](Node& n) { return rpc(n, nobody, "Upgrade", Need::admin); }, Code::unimplemented,
     "API is not implemented in maintenance mode"},
    {"ClientConfiguration12", v12, metal, Where::maintenance,
     [](Node& n) { return rpc(n, nobody, "GenerateClientConfiguration", Need::admin); },
     Code::unimplemented,
     "client configuration (talosconfig) can't be generated in the maintenance mode"},
    {"TimeService12", v12, metal, Where::maintenance,
     [](Node& n) { return rpc(n, nobody, "Time", Need::reader, "time.TimeService"); },
     Code::unimplemented, "unknown service time.TimeService"},
    {"TimeService13", v13, metal, Where::maintenance,
     [](Node& n) { return rpc(n, nobody, "Time", Need::reader, "time.TimeService"); }, Code::ok,
     ""},
    {"BlockDeviceWipe12", v12, metal, Where::maintenance,
     [](Node& n) {
       return rpc(n, nobody, "BlockDeviceWipe", Need::admin, "storage.StorageService");
     },
     Code::ok, ""},
    {"BlockDeviceWipe13", v13, metal, Where::maintenance,
     [](Node& n) {
       return rpc(n, nobody, "BlockDeviceWipe", Need::admin, "storage.StorageService");
     },
     Code::ok, ""},
    {"Dmesg12", v12, metal, Where::maintenance,
     [](Node& n) { return rpc(n, nobody, "Dmesg", Need::reader); }, Code::unimplemented,
     "method Dmesg not implemented"},
    {"Dmesg13", v13, metal, Where::maintenance,
     [](Node& n) { return rpc(n, nobody, "Dmesg", Need::reader); }, Code::ok, ""},
    {"Services12", v12, metal, Where::maintenance, [](Node& n) { return said(n.services(nobody)); },
     Code::unimplemented, "method ServiceList not implemented"},
    {"Services13", v13, metal, Where::maintenance, [](Node& n) { return said(n.services(nobody)); },
     Code::ok, ""},
    {"MachineStatus12", v12, metal, Where::maintenance,
     [](Node& n) { return said(n.machine_status(nobody)); }, Code::ok, ""},
    {"Disks12", v12, metal, Where::maintenance, [](Node& n) { return said(n.disks(nobody)); },
     Code::ok, ""},
    {"MachineConfig12", v12, box, Where::maintenance,
     [](Node& n) { return said(n.machine_config(nobody)); }, Code::permission_denied,
     "not authorized"},
    {"MachineConfig13", v13, box, Where::maintenance,
     [](Node& n) { return said(n.machine_config(nobody)); }, Code::permission_denied,
     "not authorized"},
    {"Bootstrap12", v12, metal, Where::maintenance,
     [](Node& n) { return said(n.bootstrap(nobody)); }, Code::unimplemented,
     "method Bootstrap not implemented"},
    {"Bootstrap13", v13, metal, Where::maintenance,
     [](Node& n) { return said(n.bootstrap(nobody)); }, Code::permission_denied, "not authorized"},
    {"Reboot13", v13, metal, Where::maintenance, [](Node& n) { return said(n.reboot(nobody)); },
     Code::permission_denied, "not authorized"},
    {"EtcdMembers12", v12, metal, Where::maintenance,
     [](Node& n) { return said(n.etcd_members(nobody)); }, Code::unimplemented,
     "method EtcdMemberList not implemented"},
    {"EtcdMembers13", v13, metal, Where::maintenance,
     [](Node& n) { return said(n.etcd_members(nobody)); }, Code::unimplemented,
     "member list is only available on control plane nodes"},
    {"Kubeconfig13", v13, metal, Where::maintenance,
     [](Node& n) { return said(n.kubeconfig(nobody)); }, Code::permission_denied, "not authorized"},
};
INSTANTIATE_TEST_SUITE_P(InMaintenance, Answers, ::testing::ValuesIn(maintenance_rows), row_name);

// ApplyConfiguration.
constexpr const char* kGarbage = "error decoding document /v1alpha1/ (line 1): missing kind";
constexpr const char* kRebootDiff =
    "this config change can't be applied in immediate mode\ndiff:\n--- a\n+++ b\n@@ -1,1 +1,1 "
    "@@\n-config of cp1+other kernel args";
const Row apply_rows[] = {
    {"GarbageInMaintenance12", v12, box, Where::maintenance,
     [](Node& n) { return apply(n, nobody, "%%%", Mode::automatic); }, Code::unknown,
     std::string("failed to parse config: ") + kGarbage},
    {"GarbageInMaintenance13", v13, box, Where::maintenance,
     [](Node& n) { return apply(n, nobody, "%%%", Mode::automatic); }, Code::invalid_argument,
     kGarbage},
    {"GarbageOnConfigured12", v12, box, Where::control_plane,
     [](Node& n) { return apply(n, admin, "%%%", Mode::automatic); }, Code::invalid_argument,
     kGarbage},
    {"GarbageOnConfigured13", v13, box, Where::control_plane,
     [](Node& n) { return apply(n, admin, "%%%", Mode::automatic); }, Code::invalid_argument,
     kGarbage},
    {"NoReboot12", v12, metal, Where::maintenance,
     [](Node& n) { return apply(n, nobody, Bench::config("cp1"), Mode::no_reboot); },
     Code::unimplemented,
     "apply configuration --mode='no-reboot' is not supported in maintenance mode"},
    {"Staged12", v12, metal, Where::maintenance,
     [](Node& n) { return apply(n, nobody, Bench::config("cp1"), Mode::staged); },
     Code::unimplemented,
     "apply configuration --mode='staged' is not supported in maintenance mode"},
    {"Accepted12", v12, metal, Where::maintenance,
     [](Node& n) { return apply(n, nobody, Bench::config("cp1"), Mode::automatic); }, Code::ok, ""},
    {"Accepted13", v13, metal, Where::maintenance,
     [](Node& n) { return apply(n, nobody, Bench::config("cp1"), Mode::reboot); }, Code::ok,
     "Applied configuration without a reboot"},
    {"DryRunInMaintenance12", v12, metal, Where::maintenance,
     [](Node& n) { return apply(n, nobody, Bench::config("cp1"), Mode::automatic, true); },
     Code::ok,
     "Dry run summary:\nNode is running in maintenance mode and does not have a config yet."},
    {"DryRunInMaintenance13", v13, metal, Where::maintenance,
     [](Node& n) { return apply(n, nobody, Bench::config("cp1"), Mode::automatic, true); },
     Code::ok,
     "Dry run summary:\nApplied configuration without a reboot (skipped in dry-run).\nConfig "
     "diff:\n\n--- a\n+++ b\n@@ -1,0 +1,1 @@\n+config of cp1"},
    {"SecondAtOnce12", v12, box, Where::maintenance,
     [](Node& n) {
       apply(n, nobody, Bench::config("cp1"), Mode::automatic);
       return apply(n, nobody, Bench::config("cp1"), Mode::automatic);
     },
     Code::unavailable,
     "connection error: desc = \"transport: Error while dialing: dial tcp 10.5.0.101:50000: "
     "connect: "
     "connection refused\""},
    {"SecondAtOnce13", v13, box, Where::maintenance,
     [](Node& n) {
       apply(n, nobody, Bench::config("cp1"), Mode::automatic);
       return apply(n, nobody, Bench::config("cp1"), Mode::automatic);
     },
     Code::permission_denied, "not authorized"},
    {"InsecureAfterConfig12", v12, box, Where::control_plane,
     [](Node& n) { return apply(n, nobody, Bench::config("cp1"), Mode::automatic); },
     Code::unavailable,
     "connection error: desc = \"error reading server preface: remote error: tls: certificate "
     "required\""},
    {"WithoutMachineDocument12", v12, box, Where::control_plane,
     [](Node& n) { return apply(n, admin, "network only", Mode::automatic); },
     Code::invalid_argument,
     "the applied machine configuration doesn't contain v1alpha1 config, did you mean to patch the "
     "machine config instead?"},
    {"WithoutMachineDocument13", v13, box, Where::control_plane,
     [](Node& n) { return apply(n, admin, "network only", Mode::automatic); },
     Code::invalid_argument,
     "the applied machine configuration doesn't contain v1alpha1 config, did you mean to patch the "
     "machine config instead?"},
    {"SameAgain12", v12, box, Where::control_plane,
     [](Node& n) { return apply(n, admin, Bench::config("cp1"), Mode::automatic); }, Code::ok,
     "Applied configuration without a reboot"},
    {"SameAgain13", v13, box, Where::control_plane,
     [](Node& n) { return apply(n, admin, Bench::config("cp1"), Mode::automatic); }, Code::ok,
     "Applied configuration without a reboot"},
    {"SameAgainDryRun12", v12, box, Where::control_plane,
     [](Node& n) { return apply(n, admin, Bench::config("cp1"), Mode::automatic, true); }, Code::ok,
     "Dry run summary:\nApplied configuration without a reboot (skipped in dry-run).\nConfig "
     "diff:\n\nNo changes."},
    {"SameStaged12", v12, box, Where::control_plane,
     [](Node& n) { return apply(n, admin, Bench::config("cp1"), Mode::staged); }, Code::ok,
     "Staged configuration to be applied after the next reboot"},
    {"SameWithReboot12", v12, box, Where::control_plane,
     [](Node& n) { return apply(n, admin, Bench::config("cp1"), Mode::reboot); }, Code::ok,
     "Applied configuration with a reboot"},
    {"ChangedAtOnce12", v12, box, Where::control_plane,
     [](Node& n) { return apply(n, admin, "same but for a label", Mode::no_reboot); }, Code::ok,
     "Applied configuration without a reboot"},
    {"ChangedTry12", v12, box, Where::control_plane,
     [](Node& n) { return apply(n, admin, "same but for a label", Mode::try_mode); }, Code::ok,
     "Applied configuration without a reboot\nThe config is applied in 'try' mode and will be "
     "automatically reverted back in 1m0s"},
    {"RebootNeededButForbidden12", v12, box, Where::control_plane,
     [](Node& n) { return apply(n, admin, "other kernel args", Mode::no_reboot); },
     Code::invalid_argument, kRebootDiff},
    {"RebootNeeded12", v12, box, Where::control_plane,
     [](Node& n) { return apply(n, admin, "other kernel args", Mode::automatic); }, Code::ok,
     std::string("Applied configuration with a reboot: ") + kRebootDiff},
    {"AnotherInProgress13", v13, box, Where::control_plane,
     [](Node& n) {
       n.hold_apply(true);
       return apply(n, admin, Bench::config("cp1"), Mode::automatic);
     },
     Code::failed_precondition, "another apply configuration is already in progress"},
    {"AfterRebootApply13", v13, box, Where::control_plane,
     [](Node& n) {
       apply(n, admin, Bench::config("cp1"), Mode::reboot);
       return apply(n, admin, Bench::config("cp1"), Mode::automatic);
     },
     Code::failed_precondition,
     "configuration was already applied and node is rebooting, cannot apply more configuration "
     "changes "
     "until next reboot"},
    {"AsReader12", v12, box, Where::control_plane,
     [](Node& n) { return apply(n, reader, Bench::config("cp1"), Mode::automatic); },
     Code::permission_denied, "not authorized"},
    {"AsReader13", v13, box, Where::control_plane,
     [](Node& n) { return apply(n, reader, Bench::config("cp1"), Mode::automatic); },
     Code::permission_denied, "not authorized"},
};
INSTANTIATE_TEST_SUITE_P(ToApply, Answers, ::testing::ValuesIn(apply_rows), row_name);

// Bootstrap, etcd and the rest of a configured node.
const Row configured_rows[] = {
    {"BootstrapBeforeCri12", v12, box, Where::cri_down,
     [](Node& n) { return said(n.bootstrap(admin)); }, Code::failed_precondition,
     "bootstrap is not available yet"},
    {"BootstrapBeforeCri13", v13, metal, Where::cri_down,
     [](Node& n) { return said(n.bootstrap(admin)); }, Code::failed_precondition,
     "bootstrap is not available yet"},
    {"BootstrapRepeated12", v12, box, Where::control_plane,
     [](Node& n) {
       n.bootstrap(admin);
       return said(n.bootstrap(admin));
     },
     Code::ok, ""},
    {"BootstrapDone12", v12, box, Where::bootstrapped,
     [](Node& n) { return said(n.bootstrap(admin)); }, Code::already_exists,
     "etcd data directory is not empty"},
    {"BootstrapDone13", v13, box, Where::bootstrapped,
     [](Node& n) { return said(n.bootstrap(admin)); }, Code::already_exists,
     "etcd data directory is not empty"},
    {"BootstrapOnWorker12", v12, box, Where::worker,
     [](Node& n) { return said(n.bootstrap(admin)); }, Code::failed_precondition,
     "bootstrap can only be performed on a control plane node"},
    {"BootstrapOnWorker13", v13, box, Where::worker,
     [](Node& n) { return said(n.bootstrap(admin)); }, Code::unimplemented,
     "bootstrap is only available on control plane nodes"},
    {"BootstrapAsReader12", v12, box, Where::control_plane,
     [](Node& n) { return said(n.bootstrap(reader)); }, Code::permission_denied, "not authorized"},
    {"EtcdMembersOnWorker12", v12, box, Where::worker,
     [](Node& n) { return said(n.etcd_members(admin)); }, Code::unimplemented,
     "member list is only available on control plane nodes"},
    {"EtcdStatusOnWorker12", v12, box, Where::worker,
     [](Node& n) { return said(n.etcd_status(admin)); }, Code::unimplemented,
     "etcd status is only available on control plane nodes"},
    {"EtcdAlarmsOnWorker13", v13, box, Where::worker,
     [](Node& n) { return said(n.etcd_alarms(admin)); }, Code::unimplemented,
     "etcd alarm list is only available on control plane nodes"},
    {"KubeconfigOnWorker12", v12, box, Where::worker,
     [](Node& n) { return said(n.kubeconfig(admin)); }, Code::unimplemented,
     "kubeconfig is only available on control plane nodes"},
    {"KubeconfigAsReader12", v12, box, Where::control_plane,
     [](Node& n) { return said(n.kubeconfig(reader)); }, Code::permission_denied, "not authorized"},
    {"EtcdMembersBeforeBootstrap12", v12, box, Where::control_plane,
     [](Node& n) { return said(n.etcd_members(admin)); }, Code::unknown,
     "no controlplane endpoints discovered yet"},
    {"EtcdStatusBeforeBootstrap12", v12, box, Where::control_plane,
     [](Node& n) { return said(n.etcd_status(admin)); }, Code::unavailable,
     "failed to query etcd status: rpc error: code = Unavailable desc = connection error: desc = "
     "\"transport: Error while dialing: dial tcp 127.0.0.1:2379: connect: connection refused\""},
    {"RemoveUnknownMember12", v12, box, Where::bootstrapped,
     [](Node& n) { return said(n.etcd_remove_member(admin, EtcdMemberId(4660))); }, Code::not_found,
     "failed to remove member 4660: etcdserver: member not found"},
    {"RestartEtcd12", v12, box, Where::bootstrapped,
     [](Node& n) { return said(n.restart_service(admin, "etcd")); }, Code::unknown,
     "service \"etcd\" doesn't support restart operation via API"},
    {"RestartUnknown12", v12, box, Where::bootstrapped,
     [](Node& n) { return said(n.restart_service(admin, "nope")); }, Code::unknown,
     "service \"nope\" not defined"},
    {"RebootContainer12", v12, box, Where::control_plane,
     [](Node& n) { return said(n.reboot(admin)); }, Code::failed_precondition,
     "method is not supported in container mode"},
    {"ShutdownContainer13", v13, box, Where::control_plane,
     [](Node& n) { return said(n.shutdown(admin)); }, Code::failed_precondition,
     "method is not supported in container mode"},
    {"RebootMetal12", v12, metal, Where::control_plane,
     [](Node& n) { return said(n.reboot(admin)); }, Code::ok, ""},
    {"MachineConfigAsReader12", v12, box, Where::control_plane,
     [](Node& n) { return said(n.machine_config(reader)); }, Code::permission_denied,
     "not authorized"},
    {"MachineConfigAsAdmin12", v12, box, Where::control_plane,
     [](Node& n) { return said(n.machine_config(admin)); }, Code::ok, ""},
    {"VersionAsReader12", v12, box, Where::control_plane,
     [](Node& n) { return said(n.version(reader)); }, Code::ok, ""},
    {"VersionWithoutRole12", v12, box, Where::control_plane,
     [](Node& n) {
       return said(n.version(Caller{.anonymous = false, .admin = false, .reader = false}));
     },
     Code::permission_denied, "not authorized"},
};
INSTANTIATE_TEST_SUITE_P(OfAConfiguredNode, Answers, ::testing::ValuesIn(configured_rows),
                         row_name);

}  // namespace
}  // namespace ichor::sim
