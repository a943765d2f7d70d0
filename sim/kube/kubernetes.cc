#include "sim/kube/kubernetes.h"

#include <algorithm>

#include "phase/kubernetes/json_view.h"
#include "secrets/base64.h"

namespace ichor::sim {

namespace {

KubeObject object(const char* kind, const std::string& name_space, const std::string& name) {
  KubeObject result{{"apiVersion", "v1"}, {"kind", kind}, {"metadata", {{"name", name}}}};
  if (!name_space.empty()) result["metadata"]["namespace"] = name_space;
  return result;
}

/// Whether `live` has everything that `wanted` says.
bool holds_all(const KubeObject& live, const KubeObject& wanted) {
  if (!wanted.is_object()) return live == wanted;
  if (!live.is_object()) return false;
  for (const auto& [key, value] : wanted.items()) {
    const auto found = live.find(key);
    if (found == live.end() || !holds_all(*found, value)) return false;
  }
  return true;
}

/// A standard query with one question, as a TCP message; its answer is made of its own bytes.
std::string dns_answer(const std::string& question) {
  if (question.size() < 14) return {};
  std::string answer = question.substr(2);
  answer[2] = static_cast<char>(0x85);
  answer[3] = static_cast<char>(0x80);
  answer[7] = 1;
  // A pointer to the question's name, A, IN, a TTL of 5 s, and 10.96.0.1.
  answer.append("\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x05\x00\x04\x0a\x60\x00\x01", 16);
  const auto size = static_cast<unsigned>(answer.size());
  std::string message{static_cast<char>(size >> 8), static_cast<char>(size & 255)};
  return message + answer;
}

}  // namespace

SimKubernetes::SimKubernetes(Clock& clock, Fabric& fabric, const Nodes& nodes,
                             const KubeStack& stack, SeededRandom random)
    : clock_(clock),
      fabric_(fabric),
      nodes_(nodes),
      stack_(stack),
      api_(clock),
      controllers_(api_, clock),
      kubelets_(api_, clock, nodes, random.fork(1)),
      workloads_(api_, clock, kubelets_, nodes.size(), random.fork(2)),
      helm_(api_, clock, stack, random.fork(3)),
      flux_(api_, clock, workloads_, helm_, random.fork(4)),
      later_(clock),
      boots_(nodes.size()),
      had_kubelet_(nodes.size()),
      network_(nodes.size()) {
  helm_.reachable = [this] { return up(); };
  kubelets_.changed = [this](std::size_t index) { workloads_.node_changed(index); };
  workloads_.changed = [this](const Workloads::Workload& workload) {
    if (workload.ref.name == "cilium") follow_network(workload);
    if (workload.ref.name == "coredns") flux_.nudge();
  };
  api_.listen([this](const KubeRef& ref, const KubeObject*, const KubeObject*) { on_change(ref); });
}

void SimKubernetes::boot() {
  booted_ = true;
  for (const char* name : {"default", "kube-system"}) {
    api_.put(object("Namespace", "", name), "kube-apiserver");
  }
  KubeObject service = object("Service", "default", "kubernetes");
  service["spec"]["clusterIP"] = "10.96.0.1";
  api_.put(std::move(service), "kube-apiserver");
}

void SimKubernetes::deploy_workload() {
  constexpr const char* kOperator = "kubectl";
  api_.put(object("Namespace", "", kWorkloadSpace), kOperator);
  const KubeObject labels{{"app", kWorkload}};
  KubeObject set = object("Deployment", kWorkloadSpace, kWorkload);
  set["apiVersion"] = "apps/v1";
  set["spec"] = {{"replicas", 3},
                 {"selector", {{"matchLabels", labels}}},
                 {"template", {{"metadata", {{"labels", labels}}}}}};
  api_.put(std::move(set), kOperator);
  KubeObject budget = object("PodDisruptionBudget", kWorkloadSpace, kWorkload);
  budget["apiVersion"] = "policy/v1";
  budget["spec"] = {{"maxUnavailable", 1}, {"selector", {{"matchLabels", labels}}}};
  api_.put(std::move(budget), kOperator);
}

void SimKubernetes::node_changed(std::size_t index) {
  const Node* first = nullptr;
  for (const auto& node : nodes_) {
    if (!first && node->api_server_ready()) first = node.get();
  }
  if (first && !booted_) boot();
  if (first != serving_) {
    // Whoever was connected to the former one hears no more of it.
    if (serving_) api_.end_watches(true);
    serving_ = first;
  }
  const Node& node = *nodes_[index];
  const bool kubelet = node.kubelet_running();
  BootId boot = node.boot_id();
  const bool restarted = kubelet && (!had_kubelet_[index] || boot != boots_[index]);
  if (!kubelet && network_[index]) {
    network_[index] = false;
    fabric_.give_network(node.spec().name, false);
  }
  had_kubelet_[index] = kubelet;
  if (kubelet) boots_[index] = std::move(boot);
  kubelets_.look_at(index);
  if (restarted && kubelets_.knows(index)) workloads_.node_restarted(index);
}

void SimKubernetes::follow_network(const Workloads::Workload& cilium) {
  bool any = false;
  for (const Workloads::Pod& pod : cilium.pods) {
    if (pod.node == Workloads::kNowhere) continue;
    const bool runs = workloads_.runs(cilium, pod) && nodes_[pod.node]->kubelet_running();
    if (runs == network_[pod.node]) continue;
    network_[pod.node] = runs;
    fabric_.give_network(nodes_[pod.node]->spec().name, runs);
    any = true;
  }
  // Nodes call back when they are notified.
  if (any) later_.after({}, [this] { fabric_.changed(); });
}

void SimKubernetes::cut(bool off) {
  if (cut_ == off) return;
  cut_ = off;
  if (off) api_.end_watches(true);
}

bool SimKubernetes::as_wanted(const KubeObject& wanted) const {
  const KubeObject* live = api_.find(ref_of(wanted));
  return live && holds_all(*live, wanted);
}

void SimKubernetes::on_change(const KubeRef& ref) {
  if (ref.kind.kind != "Secret" && ref.kind.kind != "Namespace") return;
  if (ref.name.starts_with("sh.helm.")) return;
  const auto there = [this](const KubeObject& wanted) { return as_wanted(wanted); };
  const KubernetesMaterial& material = stack_.material;
  bool all = std::all_of(material.namespaces.begin(), material.namespaces.end(), there) &&
             std::all_of(material.secrets.begin(), material.secrets.end(), there);
  const KubeObject* vault =
      api_.find({{"", "v1", "Secret"}, "external-secrets", "onepassword-secret"});
  all = all && vault && text_at(*vault, {"data", "token"}) == pki::base64(stack_.onepassword_value);
  secrets_.set(all, clock_.now());
}

bool SimKubernetes::secrets_held(MonoTime from) const { return secrets_.held_since(from); }

bool SimKubernetes::crds_established() const {
  return std::all_of(stack_.crds.begin(), stack_.crds.end(), [this](const std::string& name) {
    const KubeObject* crd =
        api_.find({{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}, "", name});
    return crd && condition_status(*crd, "Established") == "True";
  });
}

bool SimKubernetes::release_works(const std::string& release, MonoTime from) const {
  const KubeStack::Chart* chart = stack_.find(release);
  const WantedRelease* wanted = stack_.wants(release);
  if (!chart || !wanted || !helm_.deployed(*wanted)) return false;
  return std::all_of(chart->objects.begin(), chart->objects.end(), [&](const KubeObject& one) {
    const KubeRef ref = ref_of(one);
    if (ref.kind.group != "apps") return api_.find(ref) != nullptr;
    const Workloads::Workload* workload = workloads_.find(ref);
    return workload && workload->ready.held_since(from);
  });
}

std::optional<std::string> SimKubernetes::resolve(const std::string& pod,
                                                  const std::string& question) const {
  const Workloads::Workload* dns = workloads_.find("coredns");
  if (!dns) return std::nullopt;
  for (const Workloads::Pod& one : dns->pods) {
    if (one.name != pod || !workloads_.runs(*dns, one)) continue;
    const bool reached = nodes_[one.node]->kubelet_running() && kubelets_.serves(one.node);
    if (reached) return dns_answer(question);
  }
  return std::nullopt;
}

}  // namespace ichor::sim
