#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/dns_message.h"
#include "phase/kubernetes/gates/queries.h"
#include "phase/kubernetes/json_view.h"
#include "phase/kubernetes/readiness.h"

namespace ichor {

namespace {

constexpr std::uint16_t kDnsPort = 53;
/// For one question; a resolver that needs longer does not work.
constexpr Duration kQuestion = std::chrono::seconds(5);
constexpr const char* kGate = "coredns";

/// What a round of questions came to.
struct Round {
  std::vector<Unmet> unmet;
  std::vector<std::string> pods;  // that gave the right address
  std::string cannot_ask;         // why not, and never will
};

/// Whom to ask, and where.
struct Asking {
  const GateWorld& place;
  KubeRef deployment;
  std::string domain;
};

/// What to look up, and what it must be.
struct Question {
  std::string name;
  std::string address;
  DnsType type() const {
    return address.find(':') == std::string::npos ? DnsType::a : DnsType::aaaa;
  }
};

Finding note(std::string what, std::string fix) {
  Finding finding;
  finding.severity = Severity::note;
  finding.id = "K6";
  finding.where = kGate;
  finding.what = std::move(what);
  finding.fix = std::move(fix);
  return finding;
}

/// "k8s-app=kube-dns" of a Deployment.
std::string selector_of(const KubeObject& deployment) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : at(deployment, {"spec", "selector", "matchLabels"}).items()) {
    if (value.is_string()) parts.push_back(fmt::format("{}={}", key, value.get<std::string>()));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

Unmet unseen(const std::string& what, const CallError& error) {
  return {what, to_text(error), "is an API server up and reachable?", "K3", false};
}

Unmet unresolved(const KubeObject& pod, const Question& question, const std::string& why) {
  return {to_text(ref_of(pod)), fmt::format("it does not resolve {}: {}", question.name, why),
          fmt::format("`kubectl -n {} logs {}`", namespace_in(pod), name_in(pod)), "K6", false};
}

/// The ready pods of CoreDNS.
Task<CallResult<SeenObjects>> find_pods(Context context, const Asking& asking) {
  const auto found = co_await asking.place.kube->get(context, asking.deployment);
  if (!found) co_return forward_error(found);
  KubeQuery query = in(kPod, asking.deployment.name_space);
  query.labels = selector_of(*found);
  auto list = co_await asking.place.kube->list(context, query);
  if (!list) co_return forward_error(list);
  SeenObjects ready;
  for (const SeenObject& pod : list->items.shared()) {
    const bool leaves = !at(*pod, {"metadata", "deletionTimestamp"}).is_null();
    if (!leaves && readiness_of(*pod).ready()) ready.push_back(pod);
  }
  co_return ready;
}

Task<CallResult<Question>> find_question(Context context, const Asking& asking) {
  KubeRef service;
  service.kind = {"", "v1", "Service"};
  service.name_space = "default";
  service.name = "kubernetes";
  const auto found = co_await asking.place.kube->get(context, service);
  if (!found) co_return forward_error(found);
  Question question;
  question.name = fmt::format("kubernetes.default.svc.{}", asking.domain);
  question.address = text_at(*found, {"spec", "clusterIP"});
  co_return question;
}

/// Why the answer does not do; empty: it does.
std::string fault_in(const std::string& bytes, std::uint16_t id, const Question& question) {
  const auto answer = read_dns_answer(bytes, id, question.type());
  if (!answer) return answer.error().message;
  if (answer->code != 0) return dns_code_name(answer->code);
  if (answer->addresses.empty()) return "the answer has no address";
  const auto& all = answer->addresses;
  // An address of IPv6 has many forms; that there is one must do.
  const bool right = question.type() == DnsType::aaaa ||
                     std::find(all.begin(), all.end(), question.address) != all.end();
  if (right) return {};
  return fmt::format("the answer is {}, and the Service has {}", fmt::join(all, ", "),
                     question.address);
}

Task<void> ask(Context context, const Asking& asking, const KubeObject& pod,
               const Question& question, Round& round) {
  const auto id = static_cast<std::uint16_t>(asking.place.random.next());
  PodPort where;
  where.name_space = namespace_in(pod);
  where.pod = name_in(pod);
  where.port = kDnsPort;
  const auto bytes = co_await asking.place.pods->exchange(
      context.within(kQuestion), where, dns_question(id, question.name, question.type()),
      is_whole_dns_answer);
  if (!bytes && bytes.error().code == Code::permission_denied) {
    round.cannot_ask = bytes.error().text;
  } else if (!bytes) {
    round.unmet.push_back(unresolved(pod, question, to_text(bytes.error())));
  } else if (const std::string fault = fault_in(*bytes, id, question); !fault.empty()) {
    round.unmet.push_back(unresolved(pod, question, fault));
  } else {
    round.pods.push_back(name_in(pod));
  }
}

Task<Round> ask_all(Context context, const Asking& asking, Question& question) {
  Round round;
  const auto asked = co_await find_question(context, asking);
  const auto pods = co_await find_pods(context, asking);
  if (!asked || !pods) {
    round.unmet.push_back(asked ? unseen("CoreDNS", pods.error())
                                : unseen("Service/default/kubernetes", asked.error()));
    co_return round;
  }
  question = *asked;
  for (const KubeObject& pod : *pods) co_await ask(context, asking, pod, question, round);
  if (pods->empty()) {
    Unmet unasked{"CoreDNS", "no pod of its Deployment is ready to be asked",
                  "`kubectl get pods` in its namespace", "K6", false};
    round.unmet.push_back(std::move(unasked));
  }
  co_return round;
}

/// Every ready pod must give the address of the Service `kubernetes`, asked over TCP through the
/// API server. Where that cannot be asked the Deployment must do, and a note says so.
Task<Probed> look_up(Context context, const GateWorld& place, KubeRef deployment, bool wanted) {
  Probed probed;
  if (!wanted || !place.pods) {
    probed.notes.push_back(note("no lookup was made, its Deployment is ready",
                                "say gates.coredns.lookup: true, to have it asked"));
    co_return probed;
  }
  const std::string domain =
      place.profile ? place.profile->network.dns_domain : ClusterProfile{}.network.dns_domain;
  const Asking asking{place, std::move(deployment), domain};
  Question question;
  Round round = co_await ask_all(context, asking, question);
  if (!round.cannot_ask.empty()) {
    probed.notes.push_back(
        note(fmt::format("no lookup was made, its Deployment is ready: {}", round.cannot_ask),
             "use a kubeconfig that may forward ports"));
  } else if (round.unmet.empty()) {
    probed.notes.push_back(note(fmt::format("{} resolves to {}, asked in {}", question.name,
                                            question.address, fmt::join(round.pods, ", ")),
                                {}));
  } else {
    probed.unmet = std::move(round.unmet);
  }
  co_return probed;
}

}  // namespace

Gate coredns_gate(const GateInput& input) {
  const KubernetesPlan::Gates& gates = input.plan.gates;
  const Workload wanted{{kDeployment, gates.coredns_namespace, gates.coredns_deployment},
                        "K6",
                        "install CoreDNS (phase 2), or say gates.coredns.deployment: none"};
  Gate gate;
  gate.watches = {named(kDeployment, wanted.ref.name_space, wanted.ref.name)};
  gate.pods = {in(kPod, wanted.ref.name_space)};
  gate.judge = [wanted](const GateView& view) {
    return judge_workload(wanted, *view.objects[0], view.pods);
  };
  gate.probe = [deployment = wanted.ref, lookup = gates.coredns_lookup](Context context,
                                                                        const GateWorld& place) {
    return look_up(context, place, deployment, lookup);
  };
  return gate;
}

}  // namespace ichor
