#include "sim/kube/workloads.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"

namespace ichor::sim {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

bool is_workload(const KubeRef& ref) {
  return ref.kind.kind == "Deployment" || ref.kind.kind == "DaemonSet";
}

}  // namespace

Workloads::Workloads(ApiServer& api, Clock& clock, Kubelets& kubelets, std::size_t nodes,
                     SeededRandom random)
    : api_(api), clock_(clock), kubelets_(kubelets), nodes_(nodes), random_(random), later_(clock) {
  // References to workloads are kept by timers.
  workloads_.reserve(64);
  api_.listen([this](const KubeRef& ref, const KubeObject*, const KubeObject* now) {
    if (now && is_workload(ref)) on_change(ref, now);
  });
  api_.on_evict = [this](const KubeRef& pod) { evict(pod); };
  api_.compute({"", "v1", "Pod"}, [this](std::vector<KubeObject>& pods) { list_pods(pods); });
}

Workloads::Workload* Workloads::find_mutable(const KubeRef& ref) {
  for (Workload& one : workloads_) {
    const bool same = one.ref.name == ref.name && one.ref.name_space == ref.name_space;
    if (same && one.ref.kind.kind == ref.kind.kind) return &one;
  }
  return nullptr;
}

const Workloads::Workload* Workloads::find(const KubeRef& ref) const {
  return const_cast<Workloads*>(this)->find_mutable(ref);
}

const Workloads::Workload* Workloads::find(const std::string& name) const {
  const auto found = std::find_if(workloads_.begin(), workloads_.end(),
                                  [&](const Workload& one) { return one.ref.name == name; });
  return found == workloads_.end() ? nullptr : &*found;
}

void Workloads::on_change(const KubeRef& ref, const KubeObject* now) {
  const std::int64_t generation = number_at(*now, {"metadata", "generation"});
  const Workload* known = find(ref);
  if (known && known->generation >= generation) return;
  later_.after(random_.between(milliseconds(200), milliseconds(1500)),
               [this, ref] { observe(ref); });
}

void Workloads::observe(const KubeRef& ref) {
  const KubeObject* object = api_.find(ref);
  if (!object) return;
  Workload* workload = find_mutable(ref);
  if (!workload) {
    workloads_.push_back({});
    workload = &workloads_.back();
    workload->ref = ref;
    workload->on_every_node = ref.kind.kind == "DaemonSet";
    workload->label = text_at(*object, {"spec", "selector", "matchLabels", "app"});
    workload->host_network = flag_at(*object, {"spec", "template", "spec", "hostNetwork"});
  }
  const std::int64_t generation = number_at(*object, {"metadata", "generation"});
  if (workload->generation >= generation) return;
  workload->generation = generation;
  const auto wanted = workload->on_every_node
                          ? nodes_
                          : static_cast<std::size_t>(number_at(*object, {"spec", "replicas"}, 1));
  workload->pods.resize(wanted);
  for (std::size_t i = 0; i < wanted; ++i) {
    Pod& pod = workload->pods[i];
    pod.name = fmt::format("{}-{}", ref.name, ++names_);
    pod.generation = generation;
    pod.started = false;
    place(*workload, pod);
  }
  publish(*workload);
}

std::size_t Workloads::node_for(const Workload& workload, std::size_t pod) const {
  if (workload.on_every_node) return kubelets_.knows(pod) ? pod : kNowhere;
  // Workers are last; pods go there first.
  for (std::size_t i = 0; i < nodes_; ++i) {
    const std::size_t node = (2 * nodes_ - 1 - pod - i) % nodes_;
    if (kubelets_.ready(node) && kubelets_.schedulable(node)) return node;
  }
  return kNowhere;
}

void Workloads::place(Workload& workload, Pod& pod) {
  const auto index = static_cast<std::size_t>(&pod - workload.pods.data());
  pod.node = node_for(workload, index);
  if (pod.node != kNowhere) start(workload, pod);
}

void Workloads::evict(const KubeRef& ref) {
  for (Workload& workload : workloads_) {
    for (Pod& pod : workload.pods) {
      if (pod.name != ref.name || workload.ref.name_space != ref.name_space) continue;
      pod.name = fmt::format("{}-{}", workload.ref.name, ++names_);
      pod.started = false;
      place(workload, pod);
      publish(workload);
      return;
    }
  }
}

void Workloads::start(Workload& workload, Pod& pod) {
  const std::uint64_t attempt = ++pod.starts;
  pod.started = false;
  const KubeRef ref = workload.ref;
  const std::string name = pod.name;
  const Duration delay = random_.between(seconds(2), seconds(12));
  later_.after(delay, [this, ref, name, attempt] {
    Workload* one = find_mutable(ref);
    for (Pod& own : one->pods) {
      if (own.name != name || own.starts != attempt) continue;
      own.started = true;
      publish(*one);
    }
  });
}

bool Workloads::broken(const Workload& workload, const Pod& pod) const {
  const bool crashes =
      workload.ref.name == crashing_ && (crashing_on_ == kNowhere || crashing_on_ == pod.node);
  return crashes || (workload.ref.name == held_ && held_on_ == pod.node);
}

bool Workloads::runs(const Workload& workload, const Pod& pod) const {
  return pod.node != kNowhere && pod.started && !broken(workload, pod) && !kubelets_.lost(pod.node);
}

void Workloads::publish(Workload& workload) {
  std::int64_t ready = 0;
  std::int64_t known = 0;
  for (const Pod& pod : workload.pods) {
    ready += runs(workload, pod) ? 1 : 0;
    known += !workload.on_every_node ||
                     kubelets_.knows(static_cast<std::size_t>(&pod - workload.pods.data()))
                 ? 1
                 : 0;
  }
  const auto all = static_cast<std::int64_t>(workload.pods.size());
  workload.ready.set(ready == all && known == all, clock_.now());
  KubeObject status{{"observedGeneration", workload.generation}};
  if (workload.on_every_node) {
    status["desiredNumberScheduled"] = known;
    status["currentNumberScheduled"] = known;
    status["updatedNumberScheduled"] = known;
    status["numberAvailable"] = ready;
    status["numberReady"] = ready;
  } else {
    status["replicas"] = all;
    status["updatedReplicas"] = all;
    status["readyReplicas"] = ready;
    status["availableReplicas"] = ready;
  }
  api_.put_status(workload.ref, std::move(status));
  if (changed) changed(workload);
}

void Workloads::node_changed(std::size_t index) {
  for (Workload& workload : workloads_) {
    bool touched = false;
    for (Pod& pod : workload.pods) {
      if (pod.node == kNowhere) place(workload, pod);
      touched = touched || pod.node == index || pod.node == kNowhere;
    }
    if (touched) publish(workload);
  }
}

void Workloads::node_restarted(std::size_t index) {
  for (Workload& workload : workloads_) {
    bool touched = false;
    for (Pod& pod : workload.pods) {
      if (pod.node != index) continue;
      touched = true;
      start(workload, pod);
    }
    if (touched) publish(workload);
  }
}

void Workloads::crash(const std::string& workload, std::size_t node) {
  crashing_ = workload;
  crashing_on_ = node;
  for (Workload& one : workloads_) publish(one);
}

void Workloads::hold(const std::string& workload, std::size_t node) {
  held_ = workload;
  held_on_ = node;
  for (Workload& one : workloads_) publish(one);
}

void Workloads::recover() {
  crashing_.clear();
  held_.clear();
  for (Workload& one : workloads_) publish(one);
}

void Workloads::list_pods(std::vector<KubeObject>& pods) const {
  for (const Workload& workload : workloads_) {
    for (const Pod& pod : workload.pods) {
      const bool ready = runs(workload, pod);
      KubeObject object{{"apiVersion", "v1"}, {"kind", "Pod"}};
      object["metadata"] = {{"name", pod.name},
                            {"namespace", workload.ref.name_space},
                            {"uid", "uid of " + pod.name},
                            {"labels", {{"app", workload.label}}}};
      const char* owner = workload.on_every_node ? "DaemonSet" : "ReplicaSet";
      object["metadata"]["ownerReferences"] = {
          {{"kind", owner}, {"name", workload.ref.name}, {"controller", true}}};
      KubeObject& status = object["status"];
      status["phase"] = pod.started ? "Running" : "Pending";
      if (pod.node != kNowhere) object["spec"]["nodeName"] = kubelets_.name_of(pod.node);
      if (workload.ref.name == crashing_ && broken(workload, pod)) {
        status["containerStatuses"] = {
            {{"name", "main"}, {"state", {{"waiting", {{"reason", "CrashLoopBackOff"}}}}}}};
      }
      status["conditions"] = {{{"type", "Ready"}, {"status", ready ? "True" : "False"}}};
      pods.push_back(std::move(object));
    }
  }
}

}  // namespace ichor::sim
