#include "sim/kube/kubelets.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"

namespace ichor::sim {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// How long the node controller waits for a kubelet that fell silent.
constexpr Duration kGrace = seconds(40);
/// And a kubelet for an answer to its request, before it sends another one.
constexpr Duration kCsrPatience = std::chrono::minutes(15);

struct Request {
  std::string_view whose;
  std::string_view text;
};

constexpr Request kRequests[] = {
#define ICHOR_REQUEST(whose, text) {whose, text},
#include "sim/kube/kubelet_requests.inc"
#undef ICHOR_REQUEST
};

KubeRef node_ref(const std::string& name) { return {{"", "v1", "Node"}, "", name}; }

KubeObject ready_condition(const char* status, const char* reason, const char* message) {
  KubeObject result;
  result["conditions"].push_back(
      {{"type", "Ready"}, {"status", status}, {"reason", reason}, {"message", message}});
  return result;
}

}  // namespace

std::string_view kubelet_request(std::string_view whose) {
  for (const Request& request : kRequests) {
    if (request.whose == whose) return request.text;
  }
  return {};
}

KubeObject csr_of(const std::string& name, std::string_view node, std::string_view request) {
  KubeObject csr{{"apiVersion", "certificates.k8s.io/v1"}, {"kind", "CertificateSigningRequest"}};
  csr["metadata"]["name"] = name;
  csr["spec"] = {{"signerName", "kubernetes.io/kubelet-serving"},
                 {"username", fmt::format("system:node:{}", node)},
                 {"groups", {"system:nodes", "system:authenticated"}},
                 {"usages", {"digital signature", "server auth"}},
                 {"request", std::string(request)}};
  return csr;
}

Kubelets::Kubelets(ApiServer& api, Clock& clock, const Nodes& nodes, SeededRandom random)
    : api_(api), clock_(clock), nodes_(nodes), random_(random), later_(clock) {
  api_.listen([this](const KubeRef& ref, const KubeObject*, const KubeObject* now) {
    if (now && ref.kind.kind == "CertificateSigningRequest") on_csr(ref, *now);
  });
}

bool Kubelets::schedulable(std::size_t index) const {
  const KubeObject* node = api_.find(node_ref(name_of(index)));
  return node && !flag_at(*node, {"spec", "unschedulable"});
}

bool Kubelets::sent(const std::string& csr) const {
  return std::any_of(sent_.begin(), sent_.end(), [&](const auto& one) { return one.first == csr; });
}

void Kubelets::measure() {
  bool all = states_.size() == nodes_.size();
  for (const State& state : states_) all = all && state.told == Told::ready && !state.cordoned;
  all_ready_.set(all, clock_.now());
}

void Kubelets::look_at(std::size_t index) {
  if (states_.empty()) states_.resize(nodes_.size());
  State& state = states_[index];
  const Node& node = *nodes_[index];
  if (node.node_registered()) {
    state.silent = false;
    tell(index, node.node_ready() && !state.sick ? Told::ready : Told::not_ready);
    return;
  }
  if (state.told == Told::nothing || state.told == Told::unknown || state.silent) return;
  state.silent = true;
  const std::uint64_t silence = ++state.silences;
  later_.after(kGrace, [this, index, silence] {
    State& then = states_[index];
    if (then.silent && then.silences == silence) tell(index, Told::unknown);
  });
}

void Kubelets::tell(std::size_t index, Told told) {
  State& state = states_[index];
  if (state.told == told) return;
  const std::string name = nodes_[index]->spec().name.value();
  if (state.told == Told::nothing) {
    api_.put({{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", name}}}}, "kubelet");
    ask_for_certificate(index);
  }
  state.told = told;
  KubeObject status;
  switch (told) {
    case Told::ready:
      status = ready_condition("True", "KubeletReady", "kubelet is posting ready status");
      break;
    case Told::unknown:
      status = ready_condition("Unknown", "NodeStatusUnknown", "Kubelet stopped posting status.");
      break;
    default:
      status = state.sick ? ready_condition("False", "KubeletNotReady", "PLEG is not healthy")
                          : ready_condition("False", "KubeletNotReady",
                                            "container runtime network not ready: cni plugin not "
                                            "initialized");
  }
  api_.put_status(node_ref(name), std::move(status));
  measure();
  if (changed) changed(index);
}

void Kubelets::ask_for_certificate(std::size_t index) {
  const std::string name = nodes_[index]->spec().name.value();
  const std::string_view request = kubelet_request(name);
  if (request.empty()) {
    // This one serves with a certificate of its own making, as kubelets do by default.
    states_[index].certified = true;
    return;
  }
  const Duration delay = csr_delay_ + random_.between(milliseconds(0), seconds(3));
  later_.after(delay, [this, index, name, request] {
    State& state = states_[index];
    if (state.certified) return;
    const std::string csr = fmt::format("csr-{}-{}", name, ++state.csrs);
    sent_.emplace_back(csr, index);
    api_.put(csr_of(csr, name, request), "kubelet");
    later_.after(kCsrPatience, [this, index] {
      if (!states_[index].certified) ask_for_certificate(index);
    });
  });
}

void Kubelets::on_csr(const KubeRef& ref, const KubeObject& csr) {
  const bool issued = !text_at(csr, {"status", "certificate"}).empty();
  if (issued || condition_status(csr, "Approved") != "True") return;
  later_.after(milliseconds(500), [this, ref] {
    const KubeObject* there = api_.find(ref);
    if (!there) return;
    KubeObject status = at(*there, {"status"});
    status["certificate"] = "issued";
    api_.put_status(ref, std::move(status));
    for (const auto& [name, index] : sent_) {
      if (name == ref.name) states_[index].certified = true;
    }
  });
}

void Kubelets::make_sick(std::size_t index, bool sick) {
  if (states_.empty()) states_.resize(nodes_.size());
  states_[index].sick = sick;
  look_at(index);
}

void Kubelets::cordon(std::size_t index, bool cordoned) {
  if (states_.empty()) states_.resize(nodes_.size());
  State& state = states_[index];
  if (state.told == Told::nothing || state.cordoned == cordoned) return;
  state.cordoned = cordoned;
  KubeObject node = *api_.find(node_ref(nodes_[index]->spec().name.value()));
  node["spec"]["unschedulable"] = cordoned;
  api_.put(std::move(node), "kubectl-cordon");
  measure();
}

}  // namespace ichor::sim
