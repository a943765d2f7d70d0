#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/node.h"
#include "model/run_options.h"

namespace ichor {

/// What was asked for on the command line, checked as far as that goes without looking at anything
/// else. One struct per command; src/command has one file for each.

/// The parts of a bring-up: the Talos part, then the Kubernetes phases by number.
enum class UpPart { talos = -1, secrets = 0, crds = 1, core = 2, validation = 3 };

struct UpRequest {
  NodeOptions nodes;
  ChangeOptions change;
  std::vector<NodeName> exclude;
  std::string kubeconfig;  // empty: kubernetes/kubeconfig beside the profile
  LabOptions lab;
  UpPart from{UpPart::talos};
  std::optional<UpPart> only;
  bool force_conflicts{false};
  bool provision{false};  // the machines are made first
};

struct PhaseRequest {
  UpPart phase{UpPart::secrets};
  NodeOptions nodes;
  ChangeOptions change;
  std::string kubeconfig;  // empty: the one in the state folder
  std::optional<Duration> timeout;
  bool force_conflicts{false};
};

struct WaitRequest {
  std::string what{"api"};  // a gate of model/gates.inc, "object" or "etcd"
  std::string object;       // KIND/NAME
  std::string condition{"ready"};
  std::string name_space{"default"};
  NodeOptions nodes;
  std::string kubeconfig;
  Duration timeout{std::chrono::minutes(5)};
  std::optional<Duration> stable;
};

struct PlanRequest {
  NodeOptions nodes;
  ChangeOptions change;
  std::vector<NodeName> exclude;
};

struct LintRequest {
  std::vector<std::string> profiles;  // files or folders; empty: the one of -p
};

struct InitRequest {
  std::string from;      // a profile of another tool; empty: a starter
  bool from_lab{false};  // a starter with six nodes, as the reference has them
};

struct SchemaRequest {};

struct PreflightRequest {
  NodeOptions nodes;
};

struct DiscoverRequest {
  NodeOptions nodes;
  ScanOptions scan;
};

struct ApplyOptions {
  NodeOptions nodes;
  ChangeOptions change;
};

struct BootstrapOptions {
  NodeOptions nodes;
  ChangeOptions change;
  std::vector<NodeName> exclude;
};

struct VerifyRequest {
  NodeOptions nodes;
  PatienceOptions patience;
};

/// Nodes by name, or all of a cluster that is named as well.
struct ResetOptions {
  NodeOptions nodes;
  ChangeOptions change;
  bool all{false};
  std::string cluster_name;
  std::optional<bool> graceful;  // empty: yes for single nodes, no for the whole cluster
  bool reboot{true};
  std::vector<std::string> partitions;  // by label; empty: the whole system disk
  std::vector<std::string> user_disks;  // by path
};

struct DriftRequest {
  NodeOptions nodes;
  ChangeOptions change;
  bool fix{false};         // apply the configs again
  std::string kubeconfig;  // empty: the one in the state folder
};

struct CertsStatusRequest {
  NodeOptions nodes;
};

struct CertsRenewRequest {
  NodeOptions nodes;
  ChangeOptions change;
};

enum class NodeDeed { add, remove, replace };

struct NodeRequest {
  NodeDeed deed{NodeDeed::remove};
  NodeOptions nodes;  // exactly one
  ChangeOptions change;
  bool dead{false};  // its machine does not come back
};

struct EtcdStatusRequest {
  NodeOptions nodes;
};

struct EtcdSnapshotRequest {
  NodeOptions nodes;                    // at most one is named: whose member is asked
  std::string path;                     // a file that does not exist yet
  bool encrypt{false};                  // with age
  std::vector<std::string> recipients;  // empty: those of .sops.yaml
  int keep{0};                          // 0: all
};

struct EtcdRestoreRequest {
  NodeOptions nodes;
  ChangeOptions change;
  std::string path;  // a snapshot; empty with `abandon`
  std::string cluster_name;
  bool abandon{false};  // gives a restore up that was started
};

struct EtcdDefragRequest {
  NodeOptions nodes;  // empty: every control plane
  ChangeOptions change;
};

/// Which nodes get another version of Talos, and how. Not `UpgradeRequest`, which is one node's.
struct UpgradeOptions {
  NodeOptions nodes;
  ChangeOptions change;
  std::optional<TalosVersion> to;  // empty: the profile's
  std::string schematic;           // an ID or a file; empty: the profile's, or what a node runs
  bool drain{true};
  std::optional<Duration> drain_timeout;
  int workers_at_once{1};
  bool in_percent{false};
  std::string consent_downtime;  // the cluster's name
  bool no_snapshot{false};       // of etcd, before anything is changed
  std::string snapshot_path;     // a file; empty: in the state folder
  bool encrypt{false};           // the snapshot, with age
  std::vector<std::string> recipients;
  int keep{0};  // snapshots of this cluster beside it; 0: all
};

/// To which version of Kubernetes a cluster is brought.
struct UpgradeK8sOptions {
  NodeOptions nodes;
  ChangeOptions change;
  std::string to;  // "v1.36.3"; empty: the profile's
};

struct KubeconfigRequest {
  NodeOptions nodes;
  std::string path;         // empty: kubernetes/kubeconfig beside the profile
  bool merge{false};        // empty path: the kubeconfig of the user instead
  bool force{false};        // also over another cluster of the same name
  bool use_context{false};  // the context becomes the current one
};

struct HealthRequest {
  NodeOptions nodes;
  std::string kubeconfig;  // empty: the one in the state folder
  std::optional<Duration> wait_timeout;
};

struct StatusRequest {
  NodeOptions nodes;
  std::string kubeconfig;  // empty: the one in the state folder
};

/// At most one of them: the last run, all rows, or what the words name.
struct DoctorRequest {
  bool last{false};
  bool all{false};
  bool markdown{false};
  std::string subject;  // a row's id, a node's name, or an error's text
  NodeOptions nodes;
};

struct ReportRequest {
  std::string run;  // the id of a run, or its beginning; empty: all runs
  bool text{false};
  std::string html;  // a file, or "-"; empty: no HTML
};

struct HistoryRequest {};

/// Two runs, each by its id, the beginning of it, or its number.
struct HistoryDiffRequest {
  std::string before, after;
};

struct WatchRequest {};

struct ExplainRequest {
  std::string id;  // of a row of the fault catalogue, an invariant or a lint rule
};

struct UnlockRequest {
  std::string nonce;  // 16 hex digits
  bool force{false};  // also of a run that lives on this machine
};

enum class ProxmoxDeed { verify, list, create, start, stop, destroy };

struct ProxmoxRequest {
  ProxmoxDeed deed{ProxmoxDeed::verify};
  std::vector<NodeName> nodes;  // empty: all of the profile
  std::string cluster_name;     // for destroy: which cluster goes
  bool adopt{false};            // go on with a journal that was started on another machine
};

struct LabStartRequest {
  std::string state_dir;
  double time_scale{1.0};
  std::string fault_plan;  // a file
  std::optional<std::uint64_t> seed;
  std::string base_address;
  std::string diary;      // a file; empty: none is kept
  std::string device;     // for real addresses, in a network namespace of its own; empty: loopback
  bool container{false};  // nodes in Talos' container mode instead of machines
  bool proxmox{false};    // no machines at first: a Proxmox API makes them
  bool detach{false};
};

struct LabStatusRequest {
  std::string state_dir;
};

struct LabInjectRequest {
  std::string state_dir;
  std::string node;  // empty: every node
  std::string fault;
  Duration lasts{};  // zero: until cleared
  std::string call;  // for faults of one call: its name; empty: any change
  bool list{false};  // tell which faults there are, and inject none
};

struct LabStopRequest {
  std::string state_dir;
};

struct LabListRequest {};

struct LabRmRequest {
  std::vector<std::string> folders;
};

/// Both ends belong to it.
struct SeedRange {
  std::uint64_t first{1};
  std::uint64_t last{1};
};

struct SimulateRequest {
  SeedRange seeds;
  std::string faults{"all"};  // or "none", or names with commas between
  std::string shape{"3+3"};   // control planes and workers
  bool only_talos{false};     // seeds end with the verified nodes
  bool upgrade{false};        // and go on to another version of Talos
  int jobs{0};                // 0: one per core
  bool trace{false};
  std::vector<std::string> mutants;  // ichor-mutants only
  bool crash_points{false};          // instead of chance: killed at every place, once
  bool crash_pairs{false};           // twice, at every pair of places
  std::string scenario;              // instead of seeds: a file, or a folder of them
};

struct RehearseRequest {
  SeedRange seeds;
  std::string faults{"all"};
  std::string html;  // a file; empty: none
  int jobs{0};       // 0: one per core
};

enum class DelimiterSet { jinja, makejinja };

struct RenderRequest {
  std::string file;
  std::vector<std::string> variable_files;  // of the same name in several, the last one counts
  std::vector<std::pair<std::string, std::string>> settings;  // and these last of all
  DelimiterSet delimiters{DelimiterSet::jinja};
  bool trim_blocks{false};
  bool lstrip_blocks{false};
  bool keep_trailing_newline{false};
  std::string template_root;  // empty: the template's folder
  std::string output;         // a file; empty: standard output
};

struct SchematicIdRequest {
  std::string file;
};

struct SchematicShowRequest {
  std::string file;
};

struct SchematicDiffRequest {
  std::string before;
  std::string after;
  bool detailed_exitcode{false};
};

struct SchematicUploadRequest {
  std::string file;
  std::string factory{"https://factory.talos.dev"};
};

/// What of a file `secrets encrypt` encrypts, as sops names it; at most one is set.
struct SecretsRules {
  std::string encrypted_regex;
  std::string unencrypted_regex;
  std::string encrypted_suffix;
  std::string unencrypted_suffix;
  bool mac_only_encrypted{false};
};

struct SecretsEncryptRequest {
  std::string file;
  std::vector<std::string> recipients;  // empty: those of .sops.yaml
  std::string input_type;               // empty: by the ending of the name
  std::string output_type;
  std::string output;  // a file; empty: standard output
  bool in_place{false};
  SecretsRules rules;
};

struct SecretsDecryptRequest {
  std::string file;
  std::string input_type;
  std::string output_type;
  std::string output;
};

struct GenSecretsRequest {
  std::string output{"secrets.yaml"};
  std::string from_controlplane_config;  // empty: fresh ones
  std::string talos_version;             // empty: the newest contract that we default to
  bool force{false};
};

enum class GenOutput { controlplane, worker, talosconfig };

struct GenConfigRequest {
  std::string from;  // a profile, instead of name and endpoint
  std::string cluster_name, endpoint;
  std::string with_secrets;  // empty: fresh ones
  std::string talos_version, kubernetes_version;
  std::string install_disk{"/dev/sda"};
  std::optional<std::string> install_image;
  std::string dns_domain{"cluster.local"};
  std::vector<std::string> additional_sans;
  std::vector<std::pair<std::string, std::string>> registry_mirrors;  // host, URL
  bool persist{true}, with_cluster_discovery{true}, with_kubespan{false}, skip_k8s_etcd{false};
  bool with_docs{true}, with_examples{true};
  std::vector<std::string> patches, control_plane_patches, worker_patches;
  std::vector<GenOutput> outputs;  // empty: all
  std::string output;              // a folder, or a file or - for a single output
  bool force{false};
};

struct GenTalosconfigRequest {
  std::string cluster_name;
  std::string with_secrets;
  std::vector<std::string> endpoints, nodes;
  std::vector<std::string> roles{"os:admin"};
  Duration lifetime{std::chrono::hours(8760)};
  std::string output{"talosconfig"};
  bool force{false};
};

struct MachineconfigPatchRequest {
  std::string file;
  std::vector<std::string> patches;
  std::string output{"-"};
  std::string talos_version;  // empty: the newest that we know
};

struct MachineconfigDiffRequest {
  std::string left, right;
  bool detailed_exitcode{false};
};

enum class ValidateMode { metal, cloud, container };

struct MigrateRequest {
  std::string to;                  // the version of Talos
  std::string file;                // a config or a patch; empty: the patches of the profile
  std::string output{"-"};         // of a file
  bool write{false};               // in place
  std::string kubernetes_version;  // for images that a config leaves to Talos
};

struct ValidateRequest {
  std::string config;  // a file
  std::optional<ValidateMode> mode;
  bool strict{false};
  std::string talos_version;  // empty: the newest that is known
};

enum class Shell { bash, zsh, fish };

/// What a shell may ask for while a line is typed.
enum class NameKind { nodes, clusters, faults, ids, runs };

struct CompletionRequest {
  Shell shell{Shell::bash};
  std::optional<NameKind> names;  // instead of the script
};

struct ServeRequest {
  std::string address;  // of loopback; empty: no port, only the socket
  std::uint16_t port{8470};
  std::string socket;      // a path; empty: none
  std::string token_file;  // empty: a new token each time
};

struct VersionRequest {};

using Request = std::variant<
    VersionRequest, UpRequest, PlanRequest, LintRequest, PreflightRequest, DiscoverRequest,
    ApplyOptions, BootstrapOptions, VerifyRequest, ResetOptions, UpgradeOptions, UpgradeK8sOptions,
    KubeconfigRequest, HealthRequest, StatusRequest, DoctorRequest, ReportRequest, UnlockRequest,
    LabStartRequest, LabStatusRequest, LabInjectRequest, LabStopRequest, SimulateRequest,
    RenderRequest, SchematicIdRequest, SchematicShowRequest, SchematicDiffRequest,
    SchematicUploadRequest, SecretsEncryptRequest, SecretsDecryptRequest, GenSecretsRequest,
    GenConfigRequest, GenTalosconfigRequest, MachineconfigPatchRequest, MachineconfigDiffRequest,
    MigrateRequest, ValidateRequest, InitRequest, SchemaRequest, CompletionRequest, PhaseRequest,
    WaitRequest, HistoryRequest, HistoryDiffRequest, WatchRequest, ExplainRequest, LabListRequest,
    LabRmRequest, RehearseRequest, ProxmoxRequest, EtcdStatusRequest, EtcdSnapshotRequest,
    EtcdDefragRequest, DriftRequest, CertsStatusRequest, CertsRenewRequest, EtcdRestoreRequest,
    NodeRequest, ServeRequest>;

}  // namespace ichor
