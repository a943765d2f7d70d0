#include "engine/subject.h"

#include <algorithm>

#include "async/task_group.h"
#include "base/check.h"
#include "port/node_drain.h"

namespace ichor {

Task<void> NodeSubject::look(Context context) {
  view_ = co_await link_.look(context, phase_.reads());
}

Decision NodeSubject::decide(const Wanted& wanted) const {
  return phase_.decide(wanted, link_.plan(), view_);
}

NodeLink& NodeSubject::link(const NodeName& node) {
  check(node == link_.plan().name, "a node's phase acts on that node only");
  return link_;
}

Task<void> ClusterSubject::look(Context context) {
  view_ = {};
  view_.nodes.resize(links_.size());
  TaskGroup group(context);
  for (std::size_t i = 0; i < links_.size(); ++i) group.spawn(look_at(context, i));
  if (phase_.needs_api()) group.spawn(look_at_api(context));
  if (phase_.reads().kube_cluster && world_.drain) {
    group.spawn(look_at_cluster(context, *world_.drain, budgets_.call, view_));
  }
  co_await group.join();
}

Task<void> ClusterSubject::look_at(Context context, std::size_t index) {
  view_.nodes[index] = co_await links_[index]->look(context, phase_.reads());
}

Task<void> look_at_cluster(Context context, NodeDrain& drain, Duration limit, ClusterView& view) {
  auto seen = co_await drain.look_at_cluster(context.within(limit));
  if (seen) {
    view.kube = *std::move(seen);
  } else {
    view.kube_trouble = to_text(seen.error());
  }
}

Task<void> ClusterSubject::look_at_api(Context context) {
  const auto kubeconfig = world_.artifacts.read("kubeconfig");
  // One that an earlier version of ichor took as it came may not be ours.
  const bool ours = kubeconfig && (!world_.own_kubeconfig || world_.own_kubeconfig(*kubeconfig));
  view_.kubeconfig_written = ours;
  if (!ours) co_return;
  view_.api_at = context.now();
  const auto ready = co_await world_.kube.ready(context.within(budgets_.call), *kubeconfig);
  view_.api_ready = ready ? Known::yes : Known::no;
  if (!ready) view_.api_trouble = ready.error();
}

Task<void> ClusterSubject::listen(Context context) {
  for (NodeLink* link : links_) co_await link->listen(context);
}

NodeLink& ClusterSubject::link(const NodeName& node) {
  const auto found = std::find_if(links_.begin(), links_.end(),
                                  [&](const NodeLink* link) { return link->plan().name == node; });
  check(found != links_.end(), "the phase acts on a node it looked at");
  return **found;
}

bool ClusterSubject::unanswered() const {
  return std::any_of(view_.nodes.begin(), view_.nodes.end(),
                     [](const NodeView& node) { return node.presence == Presence::silent; });
}

const CallError* ClusterSubject::trouble() const {
  for (const NodeView& node : view_.nodes) {
    if (node.trouble) return &*node.trouble;
  }
  return view_.api_trouble ? &*view_.api_trouble : nullptr;
}

}  // namespace ichor
