#include "phase/kubernetes/dns_gate.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/dns_message.h"
#include "phase/kubernetes/gates.h"
#include "phase/kubernetes/json_view.h"
#include "phase/kubernetes/readiness.h"
#include "port/pod_ports.h"

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

/// What to look up, and what it must be.
struct Question {
  std::string name;
  std::string address;
  DnsType type() const {
    return address.find(':') == std::string::npos ? DnsType::a : DnsType::aaaa;
  }
};

void note(PhaseRun& run, std::string what, std::string fix) {
  Finding finding;
  finding.severity = Severity::note;
  finding.id = "K6";
  finding.where = kGate;
  finding.what = std::move(what);
  finding.fix = std::move(fix);
  run.report.findings.push_back(std::move(finding));
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
Task<CallResult<KubeObjects>> find_pods(Context context, PhaseRun& run) {
  const KubernetesPlan::Gates& gates = run.material.plan.gates;
  KubeRef deployment;
  deployment.kind = {"apps", "v1", "Deployment"};
  deployment.name_space = gates.coredns_namespace;
  deployment.name = gates.coredns_deployment;
  const auto found = co_await run.world.kube.get(context, deployment);
  if (!found) co_return tl::unexpected(found.error());
  KubeQuery query;
  query.kind = {"", "v1", "Pod"};
  query.name_space = gates.coredns_namespace;
  query.labels = selector_of(*found);
  auto list = co_await run.world.kube.list(context, query);
  if (!list) co_return tl::unexpected(std::move(list).error());
  KubeObjects ready;
  for (KubeObject& pod : list->items) {
    const bool leaves = !at(pod, {"metadata", "deletionTimestamp"}).is_null();
    if (!leaves && readiness_of(pod).ready()) ready.push_back(std::move(pod));
  }
  co_return ready;
}

Task<CallResult<Question>> find_question(Context context, PhaseRun& run) {
  KubeRef service;
  service.kind = {"", "v1", "Service"};
  service.name_space = "default";
  service.name = "kubernetes";
  const auto found = co_await run.world.kube.get(context, service);
  if (!found) co_return tl::unexpected(found.error());
  Question question;
  question.name = fmt::format("kubernetes.default.svc.{}", run.profile.network.dns_domain);
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

Task<void> ask(Context context, PhaseRun& run, const KubeObject& pod, const Question& question,
               Round& round) {
  const auto id = static_cast<std::uint16_t>(run.world.random.next());
  PodPort where;
  where.name_space = namespace_in(pod);
  where.pod = name_in(pod);
  where.port = kDnsPort;
  const auto bytes = co_await run.world.pods->exchange(
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

Task<Round> ask_all(Context context, PhaseRun& run, Question& question) {
  Round round;
  const auto asked = co_await find_question(context, run);
  const auto pods = co_await find_pods(context, run);
  if (!asked || !pods) {
    round.unmet.push_back(asked ? unseen("CoreDNS", pods.error())
                                : unseen("Service/default/kubernetes", asked.error()));
    co_return round;
  }
  question = *asked;
  for (const KubeObject& pod : *pods) co_await ask(context, run, pod, question, round);
  if (pods->empty()) {
    round.unmet.push_back({"CoreDNS", "no pod of its Deployment is ready to be asked",
                           "`kubectl get pods` in its namespace", "K6", false});
  }
  co_return round;
}

Task<void> look_up(Context context, PhaseRun& run) {
  Question question;
  while (true) {
    Round round = co_await ask_all(context, run, question);
    if (!round.cannot_ask.empty()) {
      note(run, fmt::format("no lookup was made, its Deployment is ready: {}", round.cannot_ask),
           "use a kubeconfig that may forward ports");
      co_return;
    }
    if (round.unmet.empty()) {
      note(run,
           fmt::format("{} resolves to {}, asked in {}", question.name, question.address,
                       fmt::join(round.pods, ", ")),
           {});
      co_return;
    }
    run.say(EventKind::waiting, fmt::format("{}: {}", kGate, to_text(round.unmet.front())));
    const Wake wake = co_await sleep_for(context, run.profile.budgets.poll);
    if (wake == Wake::cancelled) run.report.worsen(StepEnd::cancelled);
    if (wake == Wake::cancelled) co_return;
    if (!context.expired()) continue;
    for (Unmet& unmet : round.unmet) run.stop_at(kGate, std::move(unmet), StepEnd::out_of_time);
    co_return;
  }
}

}  // namespace

Task<void> pass_dns(Context context, PhaseRun& run) {
  const KubernetesPlan::Gates& gates = run.material.plan.gates;
  const bool ready = co_await pass(context, run, coredns_gate(gates));
  if (!ready) co_return;
  if (gates.coredns_lookup && run.world.pods) co_return co_await look_up(context, run);
  note(run, "no lookup was made, its Deployment is ready",
       "say gates.coredns.lookup: true, to have it asked");
}

}  // namespace ichor
