#pragma once

#include <memory>
#include <vector>

#include "engine/act.h"
#include "phase/phase.h"

namespace ichor {

/// What a phase is about: one node, or the cluster. Gives the phase loop one shape for both.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual const NodeName& name() const = 0;  // empty for the cluster
  /// Looks at everything the phase reads.
  virtual Task<void> look(Context context) = 0;
  virtual Decision decide(const Wanted& wanted) const = 0;
  /// Opens change streams where there are sessions.
  virtual Task<void> listen(Context context) = 0;
  /// The way to a node that an action names.
  virtual NodeLink& link(const NodeName& node) = 0;
  /// Drops every connection, so that the next look proves its machines again.
  virtual void drop() = 0;
  /// Whether a node did not answer at all, so that the next look comes after a read delay.
  virtual bool unanswered() const = 0;
  /// The first trouble of the last look, for the verdict.
  virtual const CallError* trouble() const = 0;
  virtual Stage stage() const { return Stage::unknown; }
  /// The boot in which a node was last seen with its config; empty for the cluster.
  virtual std::string boot() const { return {}; }
  /// The node itself; null for the cluster.
  virtual NodeLink* node() { return nullptr; }
};

/// What an upgrade of Kubernetes must know of the cluster, into `view`.
Task<void> look_at_cluster(Context context, NodeDrain& drain, Duration limit, ClusterView& view);

class NodeSubject final : public Subject {
 public:
  NodeSubject(NodeLink& link, const NodePhase& phase) : link_(link), phase_(phase) {}
  const NodeName& name() const override { return link_.plan().name; }
  Task<void> look(Context context) override;
  Decision decide(const Wanted& wanted) const override;
  Task<void> listen(Context context) override { return link_.listen(context); }
  NodeLink& link(const NodeName& node) override;
  void drop() override { link_.drop(); }
  bool unanswered() const override { return view_.presence == Presence::silent; }
  const CallError* trouble() const override { return view_.trouble ? &*view_.trouble : nullptr; }
  Stage stage() const override { return view_.status ? view_.status->stage : Stage::unknown; }
  std::string boot() const override {
    return view_.identity ? view_.identity->boot_id.value() : std::string();
  }
  NodeLink* node() override { return &link_; }

 private:
  NodeLink& link_;
  const NodePhase& phase_;
  NodeView view_;
};

class ClusterSubject final : public Subject {
 public:
  /// `links` are in the order of the profile: control planes first.
  ClusterSubject(World& world, std::vector<NodeLink*> links, const ClusterPhase& phase,
                 const Budgets& budgets)
      : world_(world), links_(std::move(links)), phase_(phase), budgets_(budgets) {}
  const NodeName& name() const override { return nobody_; }
  Task<void> look(Context context) override;
  Decision decide(const Wanted& wanted) const override { return phase_.decide(wanted, view_); }
  Task<void> listen(Context context) override;
  NodeLink& link(const NodeName& node) override;
  void drop() override {
    for (NodeLink* link : links_) link->drop();
  }
  bool unanswered() const override;
  const CallError* trouble() const override;
  const ClusterView& view() const { return view_; }

 private:
  Task<void> look_at(Context context, std::size_t index);
  Task<void> look_at_api(Context context);

  World& world_;
  std::vector<NodeLink*> links_;
  const ClusterPhase& phase_;
  const Budgets& budgets_;
  ClusterView view_;
  NodeName nobody_;
};

}  // namespace ichor
