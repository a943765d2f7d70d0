#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/secret.h"
#include "base/time.h"
#include "model/call.h"
#include "model/ids.h"
#include "model/node.h"

namespace ichor {

/// A question whose answer may be missing. Unknown is never taken for no.
enum class Known { unknown, no, yes };

/// How a node showed itself.
enum class Presence {
  silent,       // no session: see `trouble`
  maintenance,  // unconfigured, unauthenticated
  configured,   // answers under this cluster's CA
  foreign,      // answers under another PKI, or refuses ours
  stranger,     // another machine answers at this node's addresses
};

std::string_view name_of(Presence presence);

struct EtcdView {
  Known has_data{Known::unknown};
  std::string service_state;
  bool service_healthy{false};
  std::optional<std::vector<EtcdMember>> members;  // nullopt: did not answer
  std::optional<EtcdStatus> status;
  std::optional<std::vector<EtcdAlarm>> alarms;
};

/// A node in maintenance mode shows another key than the one that was bound to it.
struct KeyChange {
  Fingerprint before;
  std::string evidence;  // that it is the same machine after a reboot
};

/// What a node says of its boot slots and of the image that it runs.
struct UpgradeView {
  /// META has the mark of an upgrade: the node boots the new image next, or has booted it and not
  /// confirmed it yet. If that boot fails it goes back to the old one.
  bool pending{false};
  std::string schematic;                // of the running image; empty: it has none
  std::vector<std::string> extensions;  // of the running image, by name
};

/// A pod that an upgrade has to move away first.
struct PodOnNode {
  std::string name_space, name, uid;
  bool leaving{false};     // its grace period runs
  std::string blocked_by;  // a PodDisruptionBudget that allows no disruption now
};

/// A pod of kube-apiserver or another component on a node, as the API shows it.
struct ComponentPod {
  std::string image;
  bool ready{false};
};

/// The node as the Kubernetes API shows it.
struct KubeNodeView {
  std::string uid;
  bool ready{false};
  bool cordoned{false};
  std::string kubelet_version;  // "v1.35.2"
  std::vector<PodOnNode> pods;  // without those that stay: of DaemonSets, static, finished
  std::map<std::string, ComponentPod> components{};  // "kube-apiserver": its pod on this node
};

/// An API version of Kubernetes that later minor releases do not serve, and that is in use.
struct RemovedApiUse {
  int removed_in{0};   // the minor version
  std::string api;     // "flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema"
  std::string object;  // one that shows it
  std::string by;      // who wrote it with this version; empty: there is no other version
};

/// What an upgrade of Kubernetes must know of the cluster besides its nodes.
struct KubeClusterView {
  std::string proxy_uid;    // of the DaemonSet kube-proxy; empty: there is none
  std::string proxy_image;  // in its template
  std::string proxy_owner;  // "Helm" or "Flux", if one of them owns it
  std::vector<RemovedApiUse> removed_apis;
};

/// What one look at one node saw. Every optional that a phase asked for and that is empty is
/// unknown.
struct NodeView {
  NodeName node;
  MonoTime at{};  // when the first read of this look was sent: nothing in it is older
  Presence presence{Presence::silent};
  std::optional<CallError> trouble;  // the first call that failed
  IpAddress address;
  Fingerprint fingerprint;
  bool clock_was_set{true};  // before it showed this maintenance key; else it may make another one
  std::optional<KeyChange> key_change;
  std::optional<Identity> identity;
  std::optional<MachineStatus> status;
  std::optional<TalosVersion> version;
  std::optional<std::vector<Disk>> disks;
  std::optional<Hardware> hardware;
  std::optional<bool> time_synced;
  std::optional<std::vector<ServiceStatus>> services;
  bool config_read{false};
  std::optional<Digest> config;  // with config_read: nullopt means the node has none
  std::shared_ptr<const SecretString> config_text;  // null: not asked for, or not known
  EtcdView etcd;
  std::optional<UpgradeView> upgrade;
  std::optional<KubeNodeView> kube;  // empty: the API did not answer, or has no such Node
  std::string kube_trouble;          // why
};

/// What one look at the cluster saw: all control planes at about the same time, or all nodes.
struct ClusterView {
  std::vector<NodeView> nodes;  // in the order of the profile
  bool kubeconfig_written{false};
  Known api_ready{Known::unknown};
  MonoTime api_at{};  // when it was asked
  std::optional<CallError> api_trouble;
  std::optional<KubeClusterView> kube;  // empty: not asked for, or the API did not answer
  std::string kube_trouble;             // why
};

/// Which reads a phase needs; presence and identity come with every session.
struct Reads {
  bool status{false};
  bool version{false};
  bool config{false};
  bool disks{false};
  bool hardware{false};
  bool time{false};
  bool services{false};
  bool etcd_data{false};     // is there anything in its data directory
  bool etcd{false};          // does etcd exist: data directory, service, members if there is data
  bool etcd_health{false};   // how is it: service, members, status, alarms
  bool upgrade{false};       // marks of an upgrade, schematic, extensions
  bool kube_node{false};     // the Node and its pods
  bool config_text{false};   // the machine config itself
  bool kube_cluster{false};  // KubeClusterView, for phases of the cluster
};

}  // namespace ichor
