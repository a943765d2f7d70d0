#include <fmt/format.h>

#include "sim/kube/kubernetes.h"
#include "sim/kube/request.h"
#include "sim/process.h"
#include "sim/world.h"

namespace ichor::sim {

void SimWorld::build_kubernetes() {
  kube_ = std::make_unique<SimKubernetes>(clock_, fabric_, nodes_, *fixture_.stack,
                                          SeededRandom(plan_.seed).fork(3));
  if (plan_.line == Line::upgrade) {
    kube_->deploy_workload();
    return;
  }
  truth_.kube = kube_.get();
  kube_->helm().on_install = [this](const ReleaseInstall& install) {
    trace_.line(clock_.now(),
                fmt::format("helm of run {} writes {}{}", install.process, install.release,
                            install.beside_another ? " beside another" : ""));
    for (const auto& checker : checkers_) checker->on_install(install);
  };
}

bool SimWorld::starts_upgrade(const RunResult& result) {
  if (plan_.line != Line::upgrade || upgrade_ || !reached(result)) return false;
  upgrade_.emplace();
  upgrade_->target = plan_.target;
  upgrade_->target_given = true;
  upgrade_->snapshot = true;
  // The operator knows what a cluster with one or two control planes comes to.
  upgrade_->downtime = profile_.control_plane_count() < 3;
  for (const NodePlan& node : profile_.nodes) upgrade_->nodes.insert(node.name);
  truth_.upgrade = &*upgrade_;
  truth_.upgraded = kube_.get();
  report_.quiet_runs = 0;
  clock_.call_at(later(clock_.now(), std::chrono::seconds(5)), [this] { start_process(); });
  return true;
}

KubePassage SimWorld::kube_passage(const KubeRequest& request) {
  KubePassage passage;
  for (const Armed& armed : faults_) {
    if (!quiet_ || !armed.recovery.heals()) armed.fault->on_kube_passage(*this, request, passage);
  }
  return passage;
}

void SimWorld::note_kube_request(KubeRequest& request) {
  request.number = ++kube_requests_;
  trace_.add(clock_.now());
  trace_.add(static_cast<std::uint64_t>(request.call) << 8 |
             static_cast<unsigned>(request.process));
  if (trace_.wanted()) {
    trace_.line(clock_.now(), fmt::format("run {} → {} {}{}", request.process,
                                          name_of(request.call), ichor::to_text(request.ref),
                                          request.options.dry_run ? " (dry run)" : ""));
  }
  if (!mutates(request.call)) return;
  for (const auto& checker : checkers_) checker->on_kube_request(request);
}

void SimWorld::note_kube_effect(const KubeRequest& request) {
  trace_.add(std::string_view("kube effect"));
  if (trace_.wanted()) {
    trace_.line(clock_.now(), fmt::format("effect of {} on {}", name_of(request.call),
                                          ichor::to_text(request.ref)));
  }
  for (const auto& checker : checkers_) checker->on_kube_effect(request);
  for (const Armed& armed : faults_) armed.fault->on_kube_effect(*this, request);
}

void SimWorld::note_kube_reply(const KubeRequest& request, const CallError* error) {
  trace_.add(clock_.now());
  trace_.add(error ? static_cast<std::uint64_t>(error->code) + 1 : 0);
  if (trace_.wanted() && error) {
    trace_.line(clock_.now(), fmt::format("run {} ← {} {}", request.process,
                                          ichor::to_text(request.ref), to_text(*error)));
  }
  if (!mutates(request.call) || !request.changes_something()) return;
  for (const auto& checker : checkers_) checker->on_kube_reply(request);
}

void SimWorld::note_program(int process, const ProcessCall& call) {
  trace_.add(call.program);
  trace_.add(call.arguments.empty() ? std::string_view() : call.arguments.front());
  if (trace_.wanted()) {
    trace_.line(clock_.now(), fmt::format("run {} runs {} {}", process, call.program,
                                          fmt::join(call.arguments, " ")));
  }
  for (const auto& checker : checkers_) checker->on_program(process, call);
}

void SimWorld::note_web(int process, const std::string& url) {
  trace_.add(url);
  for (const auto& checker : checkers_) checker->on_web(process, url);
}

void SimWorld::note_kube_outside(const std::string& what) {
  trace_.add(what);
  trace_.line(clock_.now(), "outside: " + what);
}

}  // namespace ichor::sim
