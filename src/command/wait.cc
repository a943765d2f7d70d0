#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "command/commands.h"
#include "model/kubernetes_plan.h"
#include "phase/kubernetes/gate_table.h"
#include "phase/kubernetes/gates/object.h"
#include "run/kube_reach.h"
#include "run/partial_run.h"

namespace ichor {

namespace {

constexpr std::string_view kPhase = "wait";
/// For one look: long enough for an answer.
constexpr Duration kLook = std::chrono::seconds(15);

/// "deployment", "deployment.apps" or "deployments.v1.apps", as kubectl takes it.
KubeRef object_of(const WaitRequest& request) {
  const std::size_t slash = request.object.find('/');
  const std::string kind = request.object.substr(0, slash);
  KubeRef ref;
  ref.name = request.object.substr(slash + 1);
  ref.name_space = request.name_space;
  const std::size_t dot = kind.find('.');
  ref.kind.kind = kind.substr(0, dot);
  if (dot == std::string::npos) return ref;
  const std::string rest = kind.substr(dot + 1);
  const std::size_t second = rest.find('.');
  const bool versioned = rest.size() > 1 && rest[0] == 'v' && rest[1] >= '1' && rest[1] <= '9';
  if (!versioned) {
    ref.kind.group = rest;
  } else {
    ref.kind.version = rest.substr(0, second);
    if (second != std::string::npos) ref.kind.group = rest.substr(second + 1);
  }
  return ref;
}

ObjectCondition condition_of(const std::string& text) {
  ObjectCondition wanted;
  if (text == "exists") wanted.what = ObjectCondition::For::exists;
  if (text == "deleted") wanted.what = ObjectCondition::For::deleted;
  constexpr std::string_view condition = "condition=";
  if (!text.starts_with(condition)) return wanted;
  wanted.what = ObjectCondition::For::condition;
  wanted.condition = text.substr(condition.size());
  const std::size_t equals = wanted.condition.find('=');
  if (equals != std::string::npos) {
    wanted.status = wanted.condition.substr(equals + 1);
    wanted.condition.resize(equals);
  }
  return wanted;
}

/// How long nodes must stay Ready. A shorter wait than the profile's window can still pass: then a
/// third of it is enough, unless a flag says otherwise.
Duration stable_time(const WaitRequest& request, const KubernetesPlan& plan) {
  if (request.stable) return *request.stable;
  if (request.timeout == Duration::zero()) return plan.gates.nodes_stable;
  return std::min<Duration>(plan.gates.nodes_stable, request.timeout / 3);
}

Gate gate_of(const WaitRequest& request, const KubeReach& reach) {
  const ClusterProfile* profile = reach.input ? &reach.input->profile : nullptr;
  const bool planned = profile && profile->kubernetes;
  const KubernetesPlan plan = planned ? *profile->kubernetes : KubernetesPlan{};
  if (request.what == "object")
    return object_gate(object_of(request), condition_of(request.condition));
  GateInput from{plan};
  if (request.what == "nodes") {
    if (profile) from.names = node_names(*profile);
    from.stable = stable_time(request, plan);
  }
  return make_gate(request.what, from);
}

/// A word that no kind answers to is a typing mistake; a kind with its group may still come.
Task<GateEnd> wait_for_object(Context context, GateWorld place, KubeRef ref, const Gate& gate) {
  if (ref.kind.group.empty()) {
    const auto known = co_await place.kube->find_kind(context, ref.kind);
    if (!known && known.error().code == Code::not_found) {
      GateEnd end;
      end.refused = true;
      end.unmet.push_back({to_text(ref), "the API serves no such kind",
                           "name it as `kubectl api-resources` does, or with its group", "K3",
                           true});
      co_return end;
    }
  }
  co_return co_await wait_for(context, place, gate);
}

Task<void> into(Task<GateEnd> work, GateEnd& end) { end = co_await std::move(work); }

RunResult result_of(const WaitRequest& request, const GateEnd& end, int signal) {
  RunResult result;
  const std::string_view name = request.what;
  result.elapsed = end.took;
  for (const Unmet& unmet : end.unmet) result.findings.push_back(finding_of(unmet, name));
  result.findings.insert(result.findings.end(), end.notes.begin(), end.notes.end());
  if (end.holds()) {
    result.exit = Exit::done;
    result.verdict = fmt::format("{}: holds, after {}", name, to_text(end.took));
  } else if (end.cancelled) {
    result.exit = signal == SIGTERM ? Exit::terminated : Exit::interrupted;
    result.verdict = fmt::format("{}: called off", name);
  } else {
    result.exit = end.refused ? Exit::failed : Exit::out_of_time;
    result.verdict =
        fmt::format("{}: {} unmet after {}", name, end.unmet.size(), to_text(end.took));
  }
  return result;
}

struct Showing {
  int signal{0};
  bool rows{false};  // people read the same in the findings
};

Exit show(const WaitRequest& request, const GateEnd& end, Showing showing, Host& host) {
  const std::string& name = request.what;
  Listing unmet = unmet_listing();
  for (const Unmet& one : end.unmet) {
    unmet.rows.push_back(unmet_row(name, one));
  }
  Listing gate{"gate", {{"gate", "GATE"}, {"met", "MET"}, {"seconds", "SECONDS"}}, {}};
  gate.rows.push_back({{"gate", name},
                       {"met", end.holds()},
                       {"seconds", std::chrono::duration<double>(end.took).count()}});
  if (showing.rows) {
    host.terminal.display().show(unmet);
    host.terminal.display().show(gate);
  }
  return finish(result_of(request, end, showing.signal), host.terminal);
}

Exit wait_in_kubernetes(const WaitRequest& request, const CommonOptions& common, Host& host) {
  auto reach = reach_kube(request.kubeconfig, request.nodes, common, host);
  if (!reach) return finish(std::move(reach).error(), host.terminal);
  const bool once = request.timeout == Duration::zero();
  CancelScope scope;
  Context context{&host.loop.clock(), &scope};
  context = context.within(once ? kLook : request.timeout);
  GateWorld place{host.loop.clock(), host.random, reach->client.get(), host.terminal.display(),
                  kPhase};
  if (reach->input) place.profile = &reach->input->profile;
  place.pods = dynamic_cast<PodPorts*>(reach->client.get());
  Gate gate = gate_of(request, *reach);
  gate.once = once;
  GateEnd end;
  auto work = request.what == "object" ? wait_for_object(context, place, object_of(request), gate)
                                       : wait_for(context, place, gate);
  const int signal = host.loop.drive(into(std::move(work), end), scope);
  return show(request, end, {signal, for_programs(common.output)}, host);
}

Exit wait_in_talos(const WaitRequest& request, const CommonOptions& common, Host& host) {
  ChangeOptions change;
  change.patience.etcd = std::max<Duration>(request.timeout, kLook);
  auto input = read_profile_input(common, {request.nodes, change, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  WorkspaceOptions place = target->workspace_options();
  // The engine keeps a journal of its run; a look at services does not.
  place.read_only = place.as_guest = request.what != "etcd";
  auto space = open_workspace(*input, place, host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  if (request.what == "etcd") {
    RunResult result = run_engine(input->profile, *space, {{"etcd"}, false}, host);
    return finish(summary_of(*input, std::move(result)), host.terminal);
  }
  const bool once = request.timeout == Duration::zero();
  CancelScope scope;
  Context context{&host.loop.clock(), &scope};
  context = context.within(once ? kLook : request.timeout);
  GateEnd end;
  const KubernetesPlan plan;
  Gate gate = make_gate(request.what, {plan});
  gate.once = once;
  GateWorld asked{host.loop.clock(), host.random, nullptr, host.terminal.display(), kPhase};
  asked.profile = &input->profile;
  asked.talos = &space->apis->talos();
  auto work = wait_for(context, asked, gate);
  const int signal = host.loop.drive(into(std::move(work), end), scope);
  return show(request, end, {signal, for_programs(common.output)}, host);
}

}  // namespace

Exit run(const WaitRequest& request, const CommonOptions& common, Host& host) {
  const bool talos = request.what == "talos-services" || request.what == "etcd";
  return talos ? wait_in_talos(request, common, host) : wait_in_kubernetes(request, common, host);
}

}  // namespace ichor
