#include "command/kubernetes_run.h"

#include <csignal>
#include <fmt/format.h>

#include "command/kube_reach.h"
#include "command/kubeconfig_file.h"
#include "command/kubernetes_material.h"
#include "command/workspace.h"
#include "model/kubernetes_plan.h"
#include "phase/journal_match.h"
#include "phase/kubernetes/tools.h"

namespace ichor {

namespace {

using Json = nlohmann::ordered_json;

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

bool within_slo(const PhaseReport& report) { return !report.slo || report.took <= *report.slo; }

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
    row["result"] = name_of(report.end);
    row["changed"] = report.changed();
    row["unchanged"] = report.unchanged();
    row["seconds"] = seconds(report.took);
    if (report.slo) row["slo"] = seconds(*report.slo);
    row["within_slo"] = within_slo(report);
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

void show(const PhasesResult& phases, bool for_programs, Desk& desk) {
  const Listing objects = object_listing(phases.phases, for_programs);
  if (!objects.rows.empty()) desk.display().show(objects);
  Listing unmet = unmet_listing();
  for (const PhaseReport& report : phases.phases) {
    for (const auto& [gate, one] : report.unmet) unmet.rows.push_back(unmet_row(gate, one));
  }
  // People read the same in the findings.
  if (for_programs) desk.display().show(unmet);
  if (!phases.phases.empty()) desk.display().show(phase_listing(phases.phases));
}

void take(const PhasesResult& phases, const KubernetesWish& wish, RunResult& result) {
  result.exit = exit_of(phases, wish.phases.options);
  result.verdict = verdict_of(phases, wish.phases.options);
  result.mutations += phases.mutations;
  result.elapsed += phases.took;
  result.findings.insert(result.findings.end(), phases.findings.begin(), phases.findings.end());
  bool pending = false;
  for (const PhaseReport& report : phases.phases) {
    for (const auto& [gate, unmet] : report.unmet) {
      result.findings.push_back(finding_of(unmet, gate));
    }
    result.findings.insert(result.findings.end(), report.findings.begin(), report.findings.end());
    pending = pending || report.changed() > 0;
    if (within_slo(report) || wish.phases.options.dry_run) continue;
    Finding late;
    late.severity = Severity::warning;
    late.id = "SLO";
    late.where = std::string(report.name);
    late.what = fmt::format("phase {} took {}, its objective is {}", report.number,
                            to_text(report.took), to_text(*report.slo));
    late.fix = "look at what it waited for; phases.slo in the profile sets the objective";
    result.findings.push_back(std::move(late));
  }
  const bool planned = wish.phases.options.dry_run && wish.detailed_exitcode && pending;
  if (planned && result.exit == Exit::done) result.exit = Exit::changes_pending;
}

Task<void> run_into(Context context, KubeWorld& world, const KubernetesMaterial& material,
                    const ClusterProfile& profile, PhasesWish wish, PhasesResult& result) {
  result = co_await run_phases(context, world, material, profile, wish);
}

void end_early(RunResult early, RunResult& result) {
  result.exit = early.exit;
  result.verdict = std::move(early.verdict);
  result.findings.insert(result.findings.end(), early.findings.begin(), early.findings.end());
}

/// Takes the journal for a run, if it is of this cluster.
OrEnd<void> take_journal(Journal& journal, const std::string& cluster, Desk& desk) {
  if (auto locked = journal.lock(desk.owner()); !locked) return end_with(locked.error());
  const auto records = journal.read();
  RunResult refused;
  if (!records) {
    refused = end_with(records.error()).value();
  } else {
    JournalFacts facts;
    for (const JournalRecord& record : *records) facts.fold(record, desk.clock().now());
    auto other = journal_of_another(facts, cluster);
    if (!other) return {};
    refused.exit = Exit::unsafe;
    refused.verdict = other->what;
    refused.findings.push_back(*std::move(other));
  }
  journal.unlock();
  return tl::unexpected(std::move(refused));
}

/// Tells the journal of the run, so that a report has it with its beginning and its end.
Task<void> record(Journal& journal, Clock& clock, RunId run, RecordKind kind, std::string key,
                  std::string value) {
  JournalRecord record;
  record.kind = kind;
  record.run = std::move(run);
  record.key = std::move(key);
  record.value = std::move(value);
  record.wall_ms = clock.wall().unix_ms;
  CancelScope deaf;
  const Context context{&clock, &deaf};
  co_await journal.append(context, std::move(record));
}

}  // namespace

void run_kubernetes(const ProfileInput& input, const Ground& ground, StateDir& state,
                    TalosApi* talos, const KubernetesWish& wish, RunResult& result, Desk& desk) {
  auto kubeconfig = kubeconfig_of(wish.kubeconfig, state, desk);
  if (!kubeconfig) return end_early(std::move(kubeconfig).error(), result);
  auto client = desk.open_kube(*kubeconfig, wish.kubeconfig.empty() ? ground.dial : nullptr);
  if (!client) return end_early(end_with(client.error()).value(), result);
  // helm and others dial what it says: on a lab that must be the lab, never a real machine.
  SecretString for_programs =
      wish.kubeconfig.empty() ? seen_from_outside(*kubeconfig, ground.outside) : *kubeconfig;
  auto material = load_material(input, state, std::move(for_programs),
                                {wish.phases.first, wish.phases.last}, desk);
  if (!material) return end_early(std::move(material).error(), result);
  material->fetched = wish.fetched;
  if (auto taken = take_journal(state.journal(), input.profile.name, desk); !taken) {
    return end_early(std::move(taken).error(), result);
  }
  KubeWorld world{desk.clock(),
                  desk.random(),
                  **client,
                  desk.processes(),
                  desk.web(),
                  state.journal(),
                  state.files(),
                  desk.display(),
                  talos,
                  RunId(fmt::format("{:016x}{:016x}", desk.random().next(), desk.random().next())),
                  desk.absolute(state.path()),
                  dynamic_cast<PodPorts*>(client->get())};
  CancelScope scope;
  PhasesResult phases;
  const Context context{&desk.clock(), &scope};
  desk.drive(record(state.journal(), desk.clock(), world.run, RecordKind::run_started,
                    input.profile.name, to_hex(Digest{})),
             scope);
  const int signal =
      desk.drive(run_into(context, world, *material, input.profile, wish.phases, phases), scope);
  show(phases, wish.for_programs, desk);
  take(phases, wish, result);
  if (signal == SIGTERM && result.exit == Exit::interrupted) result.exit = Exit::terminated;
  CancelScope last;
  desk.drive(record(state.journal(), desk.clock(), world.run, RecordKind::run_ended,
                    fmt::to_string(static_cast<int>(result.exit)), result.verdict),
             last);
  state.journal().unlock();
}

OrEnd<KubernetesMaterial> check_kubernetes(const ProfileInput& input, StateDir& state,
                                           const PhasesWish& wish, Desk& desk) {
  const KubernetesPlan& plan = *input.profile.kubernetes;
  RunResult refused;
  refused.findings =
      missing_tools(plan, desk.processes(), tools_needed(plan, wish.first, wish.last));
  if (!refused.findings.empty()) {
    refused.exit = Exit::findings;
    refused.verdict = "the Kubernetes phases need programs that are missing; nothing was begun";
    return tl::unexpected(std::move(refused));
  }
  return load_material(input, state, {}, {wish.first, wish.last}, desk);
}

std::unique_ptr<Site> reach_talos(const ProfileInput& input, const Ground& ground, Desk& desk) {
  WorkspaceWish place = ground.wish();
  place.read_only = true;
  place.as_guest = true;
  auto space = open_workspace(input, place, desk);
  // Secrets that were made for this look are nobody's.
  return space && space->secrets_kept ? std::move(space->site) : nullptr;
}

}  // namespace ichor
