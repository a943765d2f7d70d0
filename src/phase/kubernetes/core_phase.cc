#include "phase/kubernetes/core_phase.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "async/task_group.h"
#include "base/mutant.h"
#include "phase/kubernetes/cilium_status.h"
#include "phase/kubernetes/core_secrets.h"
#include "phase/kubernetes/csr.h"
#include "phase/kubernetes/dns_gate.h"
#include "phase/kubernetes/gates.h"
#include "phase/kubernetes/helm.h"
#include "phase/kubernetes/json_view.h"
#include "phase/kubernetes/mirror.h"
#include "phase/kubernetes/talos_services.h"

namespace ichor {

namespace {

const KubeKind kCsr{"certificates.k8s.io", "v1", "CertificateSigningRequest"};

std::vector<std::string> names_of(const ClusterProfile& profile) {
  std::vector<std::string> names;
  for (const NodePlan& node : profile.nodes) names.push_back(node.name.value());
  return names;
}

bool belongs_to(const KubeObject& object, const std::string& release) {
  return text_at(object, {"metadata", "annotations", "meta.helm.sh/release-name"}) == release;
}

/// The workloads of a release do what they are for.
Gate release_gate(const WantedRelease& release) {
  Gate gate;
  gate.name = release.name;
  for (const char* kind : {"Deployment", "DaemonSet", "StatefulSet"}) {
    gate.watches.push_back({{"apps", "v1", kind}, release.name_space, {}, {}});
  }
  gate.pods.push_back({{"", "v1", "Pod"}, release.name_space, {}, {}});
  gate.optional_kinds = true;
  gate.judge = [name = release.name](const GateView& view) {
    std::vector<Unmet> unmet;
    for (const KubeObjects& kind : view.objects) {
      for (const KubeObject& object : kind) {
        if (!belongs_to(object, name)) continue;
        const Workload wanted{ref_of(object), "K6", ""};
        for (Unmet& one : judge_workload(wanted, {object}, view.pods)) {
          unmet.push_back(std::move(one));
        }
      }
    }
    return unmet;
  };
  return gate;
}

/// Approves requests as they come, until it is called off.
class Approver {
 public:
  explicit Approver(PhaseRun& run)
      : run_(run), csrs_(run.world.kube, run.world.random, query(), changed_) {}

  Task<void> run(Context context) {
    TaskGroup group(context);
    group.spawn(csrs_.run(context));
    while (!context.cancelled()) {
      const std::uint64_t rings = changed_.rings();
      const std::optional<Duration> pause = co_await approve_all(context);
      Wake wake = Wake::signalled;
      if (pause) {
        wake = co_await sleep_for(context, *pause);
      } else {
        wake = co_await changed_.rung_since(context, rings);
      }
      if (wake != Wake::signalled) break;
    }
    co_await group.join();
  }

  /// What is pending and will not be approved.
  std::vector<Unmet> refused() const { return refused_csrs(list(), run_.profile); }

 private:
  static KubeQuery query() { return {kCsr, {}, {}, {}}; }

  KubeObjects list() const {
    KubeObjects all;
    for (const auto& [key, object] : csrs_.objects()) all.push_back(object);
    return all;
  }

  /// Nothing, or how long to rest before one that failed in a way that may pass is tried again.
  Task<std::optional<Duration>> approve_all(Context context) {
    std::optional<Duration> pause;
    for (const KubeObject& csr : list()) {
      const CsrVerdict verdict = judge_csr(csr, run_.profile);
      const std::string uid = text_at(csr, {"metadata", "uid"});
      const bool tried = std::find(tried_.begin(), tried_.end(), uid) != tried_.end();
      if (verdict.kind != CsrVerdict::Kind::approve || tried) continue;
      const Outcome outcome = co_await run_.actor.approve(context, csr, verdict.reason);
      const std::string object = to_text(ref_of(csr));
      // One that was lost is seen again as pending, and tried again.
      const bool passing = outcome.kind == OutcomeKind::refused &&
                           judge_kube(*outcome.error).reaction == Reaction::retry;
      const RetryLimits& limits = run_.profile.retry;
      if (passing && ++failures_[uid] <= limits.retries) {
        run_.say(EventKind::retrying, fmt::format("{}: {}", object, to_text(*outcome.error)),
                 failures_[uid]);
        pause = mutation_delay(failures_[uid], limits, run_.world.random);
        continue;
      }
      if (outcome.kind != OutcomeKind::unknown) tried_.push_back(uid);
      if (outcome.kind == OutcomeKind::done) {
        run_.report.objects.push_back({object, "update", {"approved: " + verdict.reason}});
        run_.say(EventKind::acted, fmt::format("{}: approved, {}", object, verdict.reason));
      } else {
        run_.warn({object, to_text(*outcome.error), "approve it by hand", "K2", false});
      }
    }
    co_return pause;
  }

  PhaseRun& run_;
  Bell changed_;
  KubeMirror csrs_;
  std::vector<std::string> tried_;
  std::map<std::string, int> failures_;  // by uid
};

/// Runs the releases, each as soon as what it needs is deployed and works.
class Installer {
 public:
  Installer(Context context, PhaseRun& run, std::vector<WantedRelease> releases)
      : context_(context), run_(run), releases_(std::move(releases)), group_(context) {}

  Task<bool> go() {
    while (true) {
      const bool started = start_what_can();
      if (running_ > 0) {
        co_await changed_.wait(patient());
      } else if (!started) {
        break;
      }
    }
    co_await group_.join();
    for (const WantedRelease& release : releases_) {
      const bool begun =
          std::find(started_.begin(), started_.end(), release.name) != started_.end();
      if (begun) continue;
      failed_ = true;
      run_.say(EventKind::waiting,
               fmt::format("{}: not begun, because what it needs failed", key_of(release)));
    }
    co_return !failed_;
  }

 private:
  Context patient() { return {context_.clock, &deaf_, kNever}; }

  /// Whether something was started; it may have ended by now.
  bool start_what_can() {
    bool any = false;
    if (failed_) return any;
    for (const std::string& name : next_releases(releases_, started_, deployed_)) {
      if (running_ >= run_.material.plan.core.parallel) break;
      const auto found = std::find_if(releases_.begin(), releases_.end(),
                                      [&](const auto& release) { return release.name == name; });
      started_.push_back(name);
      ++running_;
      any = true;
      group_.spawn(one(*found));
    }
    return any;
  }

  Task<void> one(WantedRelease release) {
    bool good = co_await install_release(context_, run_, release);
    if (good && !run_.options.dry_run && !mutant("releases-not-awaited")) {
      good = co_await settle(release);
    }
    if (good) deployed_.push_back(release.name);
    if (!good) failed_ = true;
    --running_;
    changed_.notify_all();
  }

  /// What others need must work before they start; the CNI on every node.
  Task<bool> settle(const WantedRelease& release) {
    const KubernetesPlan::Gates& gates = run_.material.plan.gates;
    const bool is_cni = release.name == gates.cilium_daemonset;
    if (is_cni) co_return co_await pass(context_, run_, cilium_gate(gates));
    co_return co_await pass(context_, run_, release_gate(release));
  }

  Context context_;
  PhaseRun& run_;
  std::vector<WantedRelease> releases_;
  TaskGroup group_;
  CancelScope deaf_;
  Signal changed_;
  std::vector<std::string> started_, deployed_;
  int running_{0};
  bool failed_{false};
};

/// A release without needs of its own needs the CNI, where the plan has one.
void add_default_needs(std::vector<WantedRelease>& releases, const KubernetesPlan& plan) {
  const bool has_cni = std::any_of(releases.begin(), releases.end(), [&](const auto& release) {
    return release.name == plan.gates.cilium_daemonset;
  });
  if (!has_cni) return;
  for (WantedRelease& release : releases) {
    if (!release.needs.empty() || release.name == plan.gates.cilium_daemonset) continue;
    const auto own = std::find_if(plan.core.releases.begin(), plan.core.releases.end(),
                                  [&](const auto& one) { return one.name == release.name; });
    const bool chosen = own != plan.core.releases.end() && own->needs_given;
    if (!chosen) release.needs.push_back(plan.gates.cilium_daemonset);
  }
}

/// The gates after the releases, all at the same time.
std::vector<Gate> last_gates(const PhaseRun& run) {
  const KubernetesPlan::Gates& gates = run.material.plan.gates;
  std::vector<Gate> list;
  list.push_back(nodes_gate(names_of(run.profile), gates.nodes_stable));
  if (gates.csi_phase == 2) list.push_back(csi_gate(gates));
  return list;
}

Task<void> services_into(Context context, PhaseRun& run) {
  GateEnd end = co_await wait_for_services(context, *run.world.talos, run.profile, run.world.events,
                                           run.report.name);
  if (end.cancelled) run.report.worsen(StepEnd::cancelled);
  for (Unmet& unmet : end.unmet) {
    run.stop_at("talos-services", std::move(unmet), StepEnd::out_of_time);
  }
}

Task<void> pass_gates(Context context, PhaseRun& run, bool has_cni) {
  TaskGroup group(context);
  for (Gate& gate : last_gates(run)) {
    group.spawn(pass_beside(context, run, std::move(gate)));
  }
  if (has_cni) group.spawn(pass_cilium(context, run));
  if (!run.material.plan.gates.coredns_deployment.empty()) group.spawn(pass_dns(context, run));
  const bool services = run.material.plan.gates.talos_services;
  if (services && run.world.talos) group.spawn(services_into(context, run));
  co_await group.join();
  if (!services || run.world.talos) co_return;
  Finding finding;
  finding.severity = Severity::note;
  finding.id = "K6";
  finding.where = "talos-services";
  finding.what = "skipped: there are no secrets or talosconfig to ask Talos with";
  finding.fix = "run it where the state folder is, or with --talosconfig";
  run.report.findings.push_back(std::move(finding));
}

/// Names what keeps a release from working when time is up.
Task<void> explain_releases(Context context, PhaseRun& run, std::vector<WantedRelease> releases,
                            bool has_cni) {
  for (const WantedRelease& release : releases) {
    const bool is_cni = release.name == run.material.plan.gates.cilium_daemonset;
    if (is_cni) continue;
    co_await explain(run, context, release_gate(release));
  }
  if (has_cni) co_await explain(run, context, cilium_gate(run.material.plan.gates));
  co_await explain(run, context, nodes_gate(names_of(run.profile), Duration::zero()));
}

/// A release and all that it needs, directly or not.
std::vector<WantedRelease> with_needs(const std::vector<WantedRelease>& releases,
                                      const std::string& name) {
  std::vector<std::string> wanted{name};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (const WantedRelease& release : releases) {
      if (release.name != wanted[i]) continue;
      for (const std::string& need : release.needs) {
        if (std::find(wanted.begin(), wanted.end(), need) == wanted.end()) wanted.push_back(need);
      }
    }
  }
  std::vector<WantedRelease> found;
  std::copy_if(releases.begin(), releases.end(), std::back_inserter(found),
               [&](const WantedRelease& release) {
                 return std::find(wanted.begin(), wanted.end(), release.name) != wanted.end();
               });
  return found;
}

/// The network first, then Ready nodes, then the sealed-secrets key pair, if there is one: any
/// release after that may bring its controller, Flux above all.
Task<bool> prepare_sealed_key(Context context, PhaseRun& run,
                              const std::vector<WantedRelease>& releases) {
  if (run.material.sealed_keys.empty()) co_return true;
  Installer network(context, run, with_needs(releases, run.material.plan.gates.cilium_daemonset));
  if (!run.options.dry_run && !co_await network.go()) co_return false;
  co_return co_await send_sealed_key(context, run);
}

/// Whether there is, or will be, something that gives pods a network.
Task<bool> finds_cni(Context context, PhaseRun& run, const std::vector<WantedRelease>& releases) {
  const KubernetesPlan::Gates& gates = run.material.plan.gates;
  for (const WantedRelease& release : releases) {
    if (release.name == gates.cilium_daemonset) co_return true;
  }
  KubeRef ref;
  ref.kind = {"apps", "v1", "DaemonSet"};
  ref.name_space = gates.cilium_namespace;
  ref.name = gates.cilium_daemonset;
  const auto there = co_await run.world.kube.get(context, ref);
  co_return there.has_value();
}

Task<void> install_and_pass(Context context, PhaseRun& run) {
  auto releases = co_await wanted_releases(context, run);
  if (!releases) co_return;
  add_default_needs(*releases, run.material.plan);
  const bool has_cni = co_await finds_cni(context, run, *releases);
  if (!has_cni && run.profile.talos.cni_none) {
    run.stop({"CNI", "the profile says cni: none, and no release installs one",
              "add Cilium to phases.core, or say talos.cni: flannel", "K1", true},
             StepEnd::cni_pending);
    co_return;
  }
  if (!co_await find_bootstrap_secrets(context, run)) co_return;
  bool installed = co_await prepare_sealed_key(context, run, *releases);
  Installer installer(context, run, *releases);
  if (installed) installed = co_await installer.go();
  if (run.options.dry_run) co_return;
  if (!installed) {
    if (run.report.end == StepEnd::out_of_time) {
      co_await explain_releases(context, run, *std::move(releases), has_cni);
    }
    co_return;
  }
  co_await pass_gates(context, run, has_cni);
}

}  // namespace

Task<void> run_core(Context context, PhaseRun& run) {
  const bool approves = run.material.plan.core.approve_csrs && !run.options.dry_run;
  CancelScope inner(*context.scope);
  Approver approver(run);
  TaskGroup beside(context);
  if (approves) beside.spawn(approver.run(context.under(inner)));
  co_await install_and_pass(context, run);
  inner.cancel();
  co_await beside.join();
  for (Unmet& unmet : approver.refused()) run.warn(std::move(unmet));
}

}  // namespace ichor
