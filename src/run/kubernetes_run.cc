#include "run/kubernetes_run.h"

#include <algorithm>

#include "cluster/kubeconfig_file.h"
#include "cluster/kubernetes_material.h"
#include "model/kubernetes_plan.h"
#include "phase/kubernetes/tools.h"
#include "run/kube_reach.h"

namespace ichor {

namespace {

using Json = nlohmann::ordered_json;

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

Listing phase_listing(const std::vector<PhaseReport>& reports) {
  Listing listing;
  listing.type = "phase";
  listing.columns = {{"number", "PHASE"},    {"phase", "NAME"},       {"result", "RESULT"},
                     {"changed", "CHANGED"}, {"unchanged", "SAME"},   {"seconds", "SECONDS"},
                     {"slo", "SLO"},         {"within_slo", "WITHIN"}};
  for (const PhaseReport& report : reports) {
    Json row;
    row["phase"] = report.name;
    row["number"] = report.number;
    row["result"] = result_word(report.end);
    row["changed"] = report.changed();
    row["unchanged"] = report.unchanged();
    row["seconds"] = seconds(report.took);
    if (report.slo) row["slo"] = seconds(*report.slo);
    row["within_slo"] = within_objective(report);
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

Listing object_listing(const std::vector<PhaseReport>& reports, bool all) {
  Listing listing;
  listing.type = "object";
  listing.columns = {
      {"phase", "PHASE"}, {"object", "OBJECT"}, {"change", "CHANGE"}, {"lines", "DETAIL"}};
  for (const PhaseReport& report : reports) {
    for (const ObjectChange& object : report.objects) {
      if (object.change == "none" && !all) continue;
      Json row;
      row["phase"] = report.name;
      row["object"] = object.object;
      row["change"] = object.change;
      row["lines"] = object.lines;
      listing.rows.push_back(std::move(row));
    }
  }
  return listing;
}

}  // namespace

OrEnd<std::unique_ptr<KubernetesWork>> KubernetesWork::prepare(const ProfileInput& input,
                                                               const RunTarget& target,
                                                               ClusterState& state, TalosApi* talos,
                                                               KubernetesOptions options,
                                                               Host& host) {
  const KubernetesPlan& plan = *input.profile.kubernetes;
  RunResult refused;
  // Whatever is played needs no program; it is asked only after the API is open.
  PlayedHelm played(host.programs.processes(), [] { return nullptr; });
  Processes& there = target.lab.empty() ? host.programs.processes() : played;
  refused.findings = missing_tools(plan, there, tools_needed(plan, options.first, options.last));
  if (!refused.findings.empty()) {
    refused.exit = Exit::findings;
    refused.verdict = "the Kubernetes phases need programs that are missing; nothing was started";
    return tl::unexpected(std::move(refused));
  }
  auto material = load_material(input, state, {options.first, options.last}, host);
  if (!material) return forward_error(material);
  std::unique_ptr<KubernetesWork> work(
      new KubernetesWork(target, state, std::move(options), *std::move(material), host));
  KubePorts ports{host.random,
                  work->programs(),
                  host.network.web(),
                  state.files(),
                  host.terminal.display(),
                  talos,
                  host.files.absolute(state.path())};
  work->tell_of_played_helm();
  work->part_ = std::make_unique<KubernetesPart>(
      std::move(ports), work->material_, [self = work.get()] { return self->open(); },
      work->options_.phases);
  return work;
}

Processes& KubernetesWork::programs() {
  if (target_.lab.empty()) return host_.programs.processes();
  if (!played_) {
    played_ =
        std::make_unique<PlayedHelm>(host_.programs.processes(), [this] { return client_.get(); });
  }
  return *played_;
}

void KubernetesWork::tell_of_played_helm() {
  const auto given = material_.plan.tools.find("helm");
  const std::string name = given == material_.plan.tools.end() ? "helm" : given->second;
  const auto needed = tools_needed(material_.plan, options_.first, options_.last);
  const bool needs_helm = std::any_of(needed.begin(), needed.end(),
                                      [](const NeededTool& tool) { return tool.name == "helm"; });
  if (!played_ || !needs_helm || !played_->plays(name)) return;
  Event event;
  event.kind = EventKind::finding;
  event.at = host_.loop.clock().now();
  event.text =
      "helm is not installed: the lab simulates it and invents the content of the charts; install "
      "helm to have the charts themselves";
  host_.terminal.display().emit(event);
}

OrEnd<OpenedKube> KubernetesWork::open() {
  auto kubeconfig = kubeconfig_of(options_.kubeconfig, state_, options_.check, host_);
  if (!kubeconfig) return forward_error(kubeconfig);
  const bool own = options_.kubeconfig.empty();
  auto client = host_.network.open_kube(*kubeconfig, own ? target_.dial : nullptr);
  if (!client) return end_with(client.error());
  OpenedKube opened;
  opened.pods = dynamic_cast<PodPorts*>(client->get());
  opened.client = *std::move(client);
  client_ = opened.client;
  // helm and others dial what it says: on a lab that must be the lab, never a real machine.
  opened.kubeconfig = own ? seen_from_outside(*kubeconfig, target_.outside) : *kubeconfig;
  if (options_.on_open) options_.on_open();
  return opened;
}

int KubernetesWork::changed() const {
  int changed = 0;
  for (const PhaseReport& report : part_->result().phases) changed += report.changed();
  return changed;
}

void KubernetesWork::show(RunResult& result) const {
  const PhasesResult& phases = part_->result();
  const Listing objects = object_listing(phases.phases, options_.for_programs);
  if (!objects.rows.empty()) host_.terminal.display().show(objects);
  Listing unmet = unmet_listing();
  for (const PhaseReport& report : phases.phases) {
    for (const auto& [gate, one] : report.unmet) unmet.rows.push_back(unmet_row(gate, one));
  }
  // People read the same in the findings.
  if (options_.for_programs) host_.terminal.display().show(unmet);
  if (!phases.phases.empty()) host_.terminal.display().show(phase_listing(phases.phases));
  const bool pending = options_.phases.phase.dry_run && options_.detailed_exitcode && changed() > 0;
  if (pending && result.exit == Exit::done) result.exit = Exit::changes_pending;
}

}  // namespace ichor
