#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/node.h"
#include "port/random.h"

namespace ichor::sim {

class Node;

/// The size of a member's database file, and what is left of it by a defragmentation.
inline constexpr std::uint64_t kEtcdBytes = 2'500'000, kEtcdBytesInUse = 1'250'000;

/// An etcd cluster as Raft sees it. Member data directories live on the nodes' disks; this is what
/// they agree on.
struct EtcdCluster {
  struct Member {
    EtcdMemberId id;
    NodeName name;
    bool learner{false};
    bool up{false};  // its etcd process runs and reaches the others
    std::uint64_t db_bytes{kEtcdBytes};
  };
  std::uint64_t id{0};
  Digest secrets;  // whose PKI
  std::vector<Member> members;
  EtcdMemberId elected;  // see leader()
  std::uint64_t raft_index{1};
  std::vector<EtcdAlarm> alarms;
  std::uint64_t revision{0};           // counts every change of the above
  std::uint64_t restored_revision{0};  // of the key-value store, if it came from a snapshot

  int voters() const;
  int voters_up() const;
  bool has_quorum() const { return voters_up() * 2 > voters(); }
  bool has_learner() const;
  /// Zero without quorum. A leader stays until it goes down or is removed.
  EtcdMemberId leader() const { return elected; }
  Member* find(EtcdMemberId member);
  const Member* find(EtcdMemberId member) const;

  // Changes; each keeps leader and revision right. The caller tells the world by Fabric::changed().
  void set_up(EtcdMemberId member, bool up);
  void promote(EtcdMemberId member);
  void raise_alarm(EtcdMemberId member, EtcdAlarmKind kind);
  /// False without such a member. The data directory of the removed member stays where it is.
  bool remove(EtcdMemberId member);

 private:
  friend class Fabric;
  void settle();
};

/// What nodes share: etcd clusters and who can reach whom. Owned by the world; nodes hold a
/// reference.
class Fabric {
 public:
  explicit Fabric(Random& random) : random_(random) {}
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  /// A new cluster with one voter; the id is random, so two bootstraps make two clusters.
  EtcdCluster& create_cluster(const Digest& secrets, const NodeName& name);
  /// Puts back a cluster that an earlier process knew; it counts as no bootstrap. Members are down
  /// until their nodes start.
  EtcdCluster& restore_cluster(EtcdCluster cluster);
  EtcdCluster* find_cluster(std::uint64_t id);
  const EtcdCluster* find_cluster(std::uint64_t id) const;
  /// The cluster a joining control plane finds through its peers: the first with these secrets that
  /// has quorum; nullptr if there is none.
  EtcdCluster* joinable(const Digest& secrets);
  /// Adds a learner; nullptr while another learner is there or quorum is missing. A member of the
  /// same name is removed first, as Talos does (D9).
  EtcdCluster::Member* add_learner(EtcdCluster& cluster, const NodeName& name);

  void attach(Node& node);
  void detach(Node& node);
  const std::vector<Node*>& nodes() const { return nodes_; }
  /// Whether some control plane with these secrets has an API server that answers.
  bool api_server_reachable(const Digest& secrets) const;
  /// Whether some control plane with these secrets runs trustd (booted with its config).
  bool trustd_reachable(const Digest& secrets) const;
  /// Whether the control planes that serve the API have configs without a CNI.
  bool without_cni(const Digest& secrets) const;

  /// Whether pods of this node have a network by what was installed after the bring-up, such as
  /// Cilium. The caller tells the world by changed().
  void give_network(const NodeName& node, bool there);
  bool network_on(const NodeName& node) const;

  /// Tells all attached nodes that etcd, trustd or an API server changed.
  void changed();

  const std::vector<std::unique_ptr<EtcdCluster>>& clusters() const { return clusters_; }
  /// How many clusters were ever created: the world's own count of bootstrap effects.
  int bootstrap_effects() const { return effects_; }

 private:
  /// What nodes with equal secrets offer each other; found once per change, not once per node.
  struct Offer {
    Digest secrets;
    bool api_server{false};
    bool trustd{false};
    bool no_cni{false};
  };
  const Offer* offer_for(const Digest& secrets) const;
  void look_around();

  Random& random_;
  std::vector<std::unique_ptr<EtcdCluster>> clusters_;
  std::vector<Node*> nodes_;
  std::vector<Offer> offers_;
  int effects_{0};
  std::vector<NodeName> with_network_;
};

}  // namespace ichor::sim
