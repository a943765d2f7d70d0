#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/world.h"
#include "model/cluster_profile.h"
#include "model/journal_facts.h"
#include "model/node_view.h"

namespace ichor {

/// One actor's way to one node: finds it at any of its addresses, proves that it is the machine the
/// journal names, and reads what a phase asks for. It never mutates.
///
/// A session is kept until a call on it is lost, and with it what was proved on it.
class NodeLink {
 public:
  NodeLink(World& world, const ClusterProfile& profile, const NodePlan& plan,
           const JournalFacts& facts, Bell& changed)
      : world_(world), profile_(profile), plan_(plan), facts_(facts), changed_(changed) {}

  const NodePlan& plan() const { return plan_; }

  /// One look. Never fails: what could not be seen is missing in the view, with the trouble named.
  Task<NodeView> look(Context context, Reads reads);

  /// Opens the change stream unless there is one; the bell rings from then on. Does nothing in
  /// maintenance mode, where an open stream would delay the switch to apid.
  Task<void> listen(Context context);

  /// The session of the last look, or null. Its identity was read on it and fits the journal.
  std::shared_ptr<TalosSession> session() const { return session_; }
  const std::optional<Identity>& identity() const { return identity_; }
  /// Whether the session is with a key that a config may be sent to: a configured node's, a pinned
  /// one, or the one that the journal binds to the node.
  bool shows_bound_key() const;
  void drop();
  /// Goes on with the session of another link to the same node, and what was proved on it, unless
  /// this link has one. Neither of them may be in the middle of a look.
  void take_over(NodeLink& other);

 private:
  Task<void> open(Context context, NodeView& view);
  Task<bool> try_addresses(Context context, std::vector<IpAddress> addresses, NodeView& view);
  /// The address at which a scan saw the node's machine, if it was asked for and is not one of
  /// `known`.
  Task<std::vector<IpAddress>> seek(Context context, const std::vector<IpAddress>& known);
  /// Whether the profile does not say where the node is before it gets its config.
  bool has_no_address() const;
  /// An address that the node had, or was seen at, and that is not its own: DHCP may have given it
  /// to another machine since.
  bool is_borrowed(const IpAddress& address) const;
  /// Another machine at a borrowed address is not in the way: the node is awaited at its own.
  void overlook_successor(NodeView& view);
  /// Whether it is time to look for the node elsewhere: one that reboots comes back by itself.
  bool is_lost(MonoTime now);
  bool is_key_of_another(const Fingerprint& key) const;
  Task<bool> open_at(Context context, IpAddress address, NodeView& view);
  Task<CallResult<std::unique_ptr<TalosSession>>> dial(Context context, IpAddress address,
                                                       PeerDemand demand);
  /// Keeps the session if it is with the machine that the journal names. False: see the view.
  Task<bool> prove(Context context, std::unique_ptr<TalosSession> session, IpAddress address,
                   NodeView& view);
  /// Another key than the bound one answers: reads under it what speaks for a reboot, and goes on
  /// with that session if enough does.
  Task<void> weigh_key(Context context, NodeView& view);
  /// Whether the node has set its clock; nothing if the session broke.
  Task<std::optional<Known>> read_clock(Context context, NodeView& view);
  /// Finds out whether the key of this session, which is to be bound, may change within this boot.
  Task<bool> settle_key(Context context, NodeView& view);
  /// What was read does not fit together, because the node changed meanwhile.
  void look_again(NodeView& view, CallError error);
  /// The maintenance key that a new connection sees, one of those demanded.
  Task<CallResult<Fingerprint>> key_now(Context context, PeerDemand demand);
  /// A config was sent just now: Talos 1.13 shows another key when its addresses change with it.
  bool takes_config(Context context) const;
  bool binds_key() const;
  const Fingerprint& bound_key() const;
  Task<void> read_machine(Context context, Reads reads, NodeView& view);
  /// Keeps an answer. What this node does not serve stays unknown, and is no trouble of the look.
  template <class T>
  void take(NodeView& view, CallResult<T> answer, std::optional<T>& target);
  /// False when a read failed, so that those after it are pointless.
  Task<bool> read_etcd_data(Context context, NodeView& view);
  Task<bool> read_etcd(Context context, NodeView& view);
  Task<void> read_etcd_health(Context context, NodeView& view);
  Task<void> read_config_text(Context context, NodeView& view);
  Task<void> read_kube_node(Context context, NodeView& view);
  Task<bool> read_etcd_service(Context context, NodeView& view);
  Task<bool> read_etcd_members(Context context, NodeView& view);
  std::vector<IpAddress> candidates() const;
  bool is_our_machine(const Identity& identity) const;
  /// Notes the first trouble; a call that was not answered also ends the session.
  void note(NodeView& view, CallError error);

  World& world_;
  const ClusterProfile& profile_;
  const NodePlan& plan_;
  const JournalFacts& facts_;
  Bell& changed_;
  std::shared_ptr<TalosSession> session_;
  std::unique_ptr<Watch> watch_;
  std::optional<Identity> identity_;
  bool clock_was_set_{true};             // see NodeView
  std::optional<KeyChange> key_change_;  // of the session, if its key is not the bound one
  IpAddress last_address_;
  std::optional<MonoTime> silent_since_;  // where it was seen last
};

}  // namespace ichor
