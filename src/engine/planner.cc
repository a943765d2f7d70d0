#include "engine/planner.h"

#include <algorithm>
#include <set>

#include "async/task_group.h"
#include "base/check.h"
#include "engine/forecast.h"
#include "engine/node_link.h"
#include "engine/subject.h"

namespace ichor {

namespace {

/// A phase that is still not satisfied after this many decisions, and as many for each node that it
/// looks at, would go round in circles.
constexpr int kDecisionsMax = 16;

Task<void> look_at(Context context, NodeLink& link, bool upgrades, NodeView& view) {
  const Reads everything{.status = true,
                         .version = true,
                         .config = true,
                         .disks = true,
                         .hardware = true,
                         .time = true,
                         .etcd = true,
                         .etcd_health = true,
                         .upgrade = upgrades,
                         .kube_node = upgrades,
                         .config_text = upgrades};
  view = co_await link.look(context, everything);
}

Task<void> look_at_api(Context context, World& world, Duration limit, ClusterView& view) {
  const auto kubeconfig = world.artifacts.read("kubeconfig");
  const bool ours = kubeconfig && (!world.own_kubeconfig || world.own_kubeconfig(*kubeconfig));
  view.kubeconfig_written = ours;
  if (!ours) co_return;
  view.api_at = context.now();
  const auto ready = co_await world.kube.ready(context.within(limit), *kubeconfig);
  view.api_ready = ready ? Known::yes : Known::no;
  if (!ready) view.api_trouble = ready.error();
}

/// Plays the sequence on views instead of nodes.
class Rehearsal {
 public:
  Rehearsal(const ClusterProfile& profile, const ConfigSet& configs, JournalFacts facts,
            ClusterView view, MonoTime now)
      : profile_(profile), configs_(configs), facts_(std::move(facts)), now_(now) {
    plan_.seen = view;
    view_ = std::move(view);
    // They were seen just now; a plan is not out of date by its own making.
    for (NodeView& node : view_.nodes) node.at = now;
    view_.api_at = now;
  }

  void play(const Step& step) {
    // What they would do is known when their API answers: `ichor phase N --dry-run` asks it.
    if (step.who == Who::kubernetes) return;
    const bool blocked = step.needs != Milestone::none && !reached(step.needs);
    bool passed = !blocked;
    if (step.who == Who::cluster) {
      if (!blocked) play_cluster(static_cast<const ClusterPhase&>(*step.phase));
      cluster_stopped_ = cluster_stopped_ || blocked;
      passed = passed && !cluster_stopped_;
    }
    for (const NodePlan& plan : profile_.nodes) {
      const bool wrong_role = (step.who == Who::control_planes && plan.role == Role::worker) ||
                              (step.who == Who::workers && plan.role == Role::control_plane);
      if (step.who == Who::cluster || wrong_role) continue;
      if (blocked) stopped_.insert(plan.name);
      if (!blocked) play_node(static_cast<const NodePhase&>(*step.phase), plan);
      passed = passed && !stopped_.contains(plan.name);
    }
    (passed ? reached_ : lost_).insert(step.reaches);
  }

  RunPlan take() {
    for (const NodePlan& plan : profile_.nodes) {
      if (unseen_.contains(plan.name)) plan_.unverified.push_back(plan.name);
    }
    return std::move(plan_);
  }

 private:
  Wanted wanted() const { return {profile_, configs_, facts_, now_}; }

  NodeView& view_of(const NodeName& name) {
    const auto found = std::find_if(view_.nodes.begin(), view_.nodes.end(),
                                    [&](const NodeView& node) { return node.node == name; });
    check(found != view_.nodes.end(), "every node of the plan was looked at");
    return *found;
  }

  /// Whether everybody who reaches the milestone did.
  bool reached(Milestone milestone) const {
    return reached_.contains(milestone) && !lost_.contains(milestone);
  }

  /// Whether something about the node, or of a cluster's step about its control planes, is assumed.
  bool unverified(const NodeName& node, bool of_cluster) const {
    if (!of_cluster) return unseen_.contains(node);
    return std::any_of(unseen_.begin(), unseen_.end(), [&](const NodeName& name) {
      return profile_.find(name)->role == Role::control_plane;
    });
  }

  void play_node(const NodePhase& phase, const NodePlan& plan) {
    if (stopped_.contains(plan.name)) return;
    NodeView& view = view_of(plan.name);
    for (int i = 0; i < kDecisionsMax; ++i) {
      Decision decision = phase.decide(wanted(), plan, view);
      if (std::holds_alternative<Satisfied>(decision)) return;
      if (Stop* stop = std::get_if<Stop>(&decision)) return note_stop(plan.name, std::move(*stop));
      if (Wait* wait = std::get_if<Wait>(&decision)) {
        // Without trouble the node was not asked: then there is nothing to wait for either.
        if (view.trouble || !silent(view)) note_wait(phase, plan.name, std::move(wait->reason));
        if (silent(view)) {
          assume(plan, view);
          continue;
        }
        if (view.presence == Presence::configured) forecast_running(view);
        if (view.presence == Presence::maintenance && phase.name() == "apply") {
          forecast_configured(plan, configs_.nodes.at(plan.name), view);
        }
        return;
      }
      if (!follow(phase, decision, false)) return;
    }
  }

  static bool silent(const NodeView& view) { return view.presence == Presence::silent; }

  void assume(const NodePlan& plan, NodeView& view) {
    unseen_.insert(plan.name);
    forecast_unseen(plan, configs_.nodes.at(plan.name), facts_, view);
  }

  /// Members of etcd that were not seen say what the others say, or that all is well.
  void assume_members() {
    const auto witness =
        std::find_if(view_.nodes.begin(), view_.nodes.end(), [&](const NodeView& node) {
          return !unseen_.contains(node.node) && node.etcd.members && node.etcd.status;
        });
    for (NodeView& node : view_.nodes) {
      const bool assumed = unseen_.contains(node.node) && node.etcd.has_data == Known::yes;
      if (!assumed || node.etcd.members) continue;
      if (witness != view_.nodes.end()) node.etcd = witness->etcd;
      if (witness == view_.nodes.end()) forecast_member(profile_, node);
    }
  }

  void play_cluster(const ClusterPhase& phase) {
    if (cluster_stopped_) return;
    assume_members();
    const int decisions_max = kDecisionsMax * static_cast<int>(view_.nodes.size() + 1);
    for (int i = 0; i < decisions_max; ++i) {
      ClusterView seen = view_;
      std::erase_if(seen.nodes, [&](const NodeView& node) {
        const NodePlan* plan = profile_.find(node.node);
        return !phase.looks_at_workers() && plan->role == Role::worker;
      });
      Decision decision = phase.decide(wanted(), seen);
      if (std::holds_alternative<Satisfied>(decision)) return;
      if (Stop* stop = std::get_if<Stop>(&decision)) {
        cluster_stopped_ = true;
        return note_stop({}, std::move(*stop));
      }
      if (Wait* wait = std::get_if<Wait>(&decision)) {
        note_wait(phase, {}, std::move(wait->reason));
        forecast_etcd(profile_, view_);
        if (view_.kubeconfig_written) forecast_api(view_);
        return;
      }
      if (!follow(phase, decision, true)) return;
    }
  }

  /// Does in the mind what was decided; false if it was nothing that can be done.
  bool follow(const Phase& phase, Decision& decision, bool of_cluster) {
    if (Remember* remember = std::get_if<Remember>(&decision)) {
      facts_.fold(remember->record, now_);
      if (remember->note) plan_.findings.push_back(*std::move(remember->note));
      return true;
    }
    Act* act = std::get_if<Act>(&decision);
    if (!act) return false;
    const NodeCall action = act->node_call();
    plan_.steps.push_back({std::string(phase.name()), action.node, action, action.why,
                           unverified(action.node, of_cluster)});
    switch (action.call) {
      case Call::etcd_snapshot: assume_snapshot(action); return true;
      case Call::apply_configuration:
        if (action.config) {
          assume_done(action);
          forecast_kubernetes(action, view_of(action.node));
          return true;
        }
        forecast_configured(*profile_.find(action.node), configs_.nodes.at(action.node),
                            view_of(action.node));
        return true;
      case Call::bootstrap:
        assume_done(action);
        forecast_etcd(profile_, view_);
        return true;
      case Call::kubeconfig: forecast_api(view_); return true;
      case Call::reset: forecast_reset(view_of(action.node)); return true;
      case Call::etcd_recover: assume_done(action); return true;
      case Call::etcd_remove_member: forecast_member_gone(action.member, view_); return true;
      case Call::etcd_defragment: forecast_defragmented(view_of(action.node)); return true;
      case Call::pull_image:
      case Call::upgrade:
      case Call::reboot:
      case Call::etcd_forfeit_leadership:
      case Call::cordon:
      case Call::evict:
      case Call::uncordon:
      case Call::update_proxy:
        assume_done(action);
        forecast_upgrade(action, view_);
        return true;
      default: return false;
    }
  }

  /// The journal as it is after a call that only it remembers.
  void assume_done(const NodeCall& action) {
    JournalRecord record;
    record.kind = RecordKind::intent;
    record.call = action.call;
    record.node = action.node;
    record.seq = ~std::uint64_t{0};
    const NodeView& view = view_of(action.node);
    if (view.identity) record.key = view.identity->boot_id.value();
    record.value = to_hex(action.payload);
    facts_.fold(record, now_);
    record.kind = RecordKind::outcome;
    record.ref = record.seq;
    record.outcome = OutcomeKind::done;
    facts_.fold(record, now_);
  }

  void assume_snapshot(const NodeCall& action) {
    JournalRecord record;
    record.key = kSnapshotKey;
    record.value = action.purpose + " (planned)";
    facts_.fold(record, now_);
  }

  /// A reason that delays several steps is reported once.
  void note_wait(const Phase& phase, const NodeName& node, std::string reason) {
    const bool known = std::any_of(plan_.steps.begin(), plan_.steps.end(),
                                   [&](const PlannedStep& step) { return step.text == reason; });
    if (known) return;
    plan_.steps.push_back({std::string(phase.name()), node, std::nullopt, std::move(reason)});
  }

  void note_stop(const NodeName& node, Stop stop) {
    plan_.unsafe = plan_.unsafe || stop.unsafe;
    plan_.findings.push_back(std::move(stop.finding));
    for (Finding& other : stop.more) plan_.findings.push_back(std::move(other));
    stopped_.insert(node);
  }

  const ClusterProfile& profile_;
  const ConfigSet& configs_;
  JournalFacts facts_;
  ClusterView view_;
  MonoTime now_;
  RunPlan plan_;
  // These get no further, and neither does the cluster.
  std::set<NodeName> stopped_;
  bool cluster_stopped_{false};
  std::set<NodeName> unseen_;
  std::set<Milestone> reached_, lost_;
};

}  // namespace

int RunPlan::action_count() const {
  return static_cast<int>(std::count_if(
      steps.begin(), steps.end(), [](const PlannedStep& step) { return step.action.has_value(); }));
}

Task<ClusterView> survey(Context context, World& world, const ClusterProfile& profile,
                         const JournalFacts& facts) {
  Bell changed;
  std::vector<std::unique_ptr<NodeLink>> links;
  ClusterView view;
  view.nodes.resize(profile.nodes.size());
  TaskGroup group(context);
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
    links.push_back(std::make_unique<NodeLink>(world, profile, profile.nodes[i], facts, changed));
    group.spawn(look_at(context, *links.back(), world.drain != nullptr, view.nodes[i]));
  }
  group.spawn(look_at_api(context, world, profile.budgets.call, view));
  if (world.drain) {
    group.spawn(look_at_cluster(context, *world.drain, profile.budgets.call, view));
  }
  co_await group.join();
  co_return view;
}

RunPlan plan_run(const ClusterProfile& profile, const ConfigSet& configs,
                 const std::vector<Step>& steps, JournalFacts facts, ClusterView seen,
                 MonoTime now) {
  Rehearsal rehearsal(profile, configs, std::move(facts), std::move(seen), now);
  for (const Step& step : in_execution_order(steps)) rehearsal.play(step);
  return rehearsal.take();
}

}  // namespace ichor
