#include "view/board.h"

#include <algorithm>
#include <array>

#include "model/kubernetes_plan.h"
#include "view/cells.h"

namespace ichor {

namespace {

/// A note without the name of the node in whose row it stands: "cp1: connect: …", "cp1 is booting".
std::string without_name(std::string note, const std::string& name) {
  if (name.empty() || !note.starts_with(name)) return note;
  for (const std::string_view after : {": ", " "}) {
    if (note.compare(name.size(), after.size(), after) == 0) {
      return note.substr(name.size() + after.size());
    }
  }
  return note;
}

/// The cluster's own steps follow each other at once; a node's last one is verify.
bool is_last(const Event& event) { return event.node.value().empty() || event.phase == "verify"; }

struct StepFacts {
  std::string_view phase;
  std::string_view title;
  /// How much of a usual run is over when this step is: of the nodes alone, and of the whole line.
  double share_of_nodes;
  double share_of_all;
  bool of_kubernetes{false};
};

// The shares are those of bring-ups on real machines and in the lab; the estimate is for people.
constexpr std::array<StepFacts, 10> kSteps = {{
    {"apply", "configs", 0.68, 0.38},
    {"bootstrap", "bootstrap", 0.70, 0.39},
    {"etcd", "etcd", 0.84, 0.47},
    {"kubeconfig", "API", 0.85, 0.48},
    {"verify", "nodes", 0.99, 0.54},
    {"ready", "ready", 1.0, 0.55},
    {"secrets", "secrets", 1.0, 0.57, true},
    {"crds", "CRDs", 1.0, 0.62, true},
    {"core", "core", 1.0, 0.90, true},
    {"validation", "handover", 1.0, 1.0, true},
}};

const StepFacts* find_step(std::string_view phase) {
  const auto found = std::find_if(kSteps.begin(), kSteps.end(),
                                  [&](const StepFacts& step) { return step.phase == phase; });
  return found == kSteps.end() ? nullptr : &*found;
}

}  // namespace

std::string_view step_title(std::string_view phase) {
  const StepFacts* step = find_step(phase);
  return step ? step->title : phase;
}

Board::Board(const ClusterProfile& profile) : cluster_(clean(profile.name)) {
  const Budgets& limits = profile.budgets;
  budgets_ = {{"preflight", limits.preflight},   {"discover", limits.discover},
              {"apply", limits.apply},           {"edits", limits.apply},
              {"bootstrap", limits.bootstrap},   {"etcd", limits.etcd},
              {"kubeconfig", limits.kubeconfig}, {"verify", limits.verify}};
  const KubernetesPlan usual;
  const KubernetesPlan& plan = profile.kubernetes ? *profile.kubernetes : usual;
  goes_on_to_kubernetes_ = plan.phases;
  objective_ = goes_on_to_kubernetes_ ? plan.slo.total : plan.slo.talos;
  for (const NodePlan& node : profile.nodes) {
    BoardRow row;
    row.name = node.name;
    row.role = node.role;
    row.home = clean(node.address.value());
    row.address = clean(node.maintenance_address.value());
    if (row.address.empty()) row.address = row.home;
    nodes_.push_back(std::move(row));
  }
}

std::optional<Duration> Board::budget(std::string_view phase) const {
  const auto found = budgets_.find(phase);
  if (found == budgets_.end()) return std::nullopt;
  return found->second;
}

std::optional<Duration> Board::remaining(MonoTime now) const {
  if (steps_.empty()) return std::nullopt;
  const StepFacts* step = find_step(steps_.back().phase);
  if (!step) return std::nullopt;
  const double share = goes_on_to_kubernetes_ ? step->share_of_all : step->share_of_nodes;
  if (share >= 1.0) return std::nullopt;
  const Duration then = last_step_at_ - started_;
  const auto total = std::chrono::duration_cast<Duration>(then / share);
  return std::max(total - (now - started_), Duration::zero());
}

BoardRow& Board::row_of(const NodeName& node) {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const BoardRow& row) { return row.name == node; });
  return found == nodes_.end() ? whole_ : *found;
}

void Board::add_step(const Event& event) {
  steps_.push_back({clean(event.phase), event.at - last_step_at_});
  last_step_at_ = event.at;
}

void Board::fold(const Event& event) {
  BoardRow& row = row_of(event.node);
  switch (event.kind) {
    case EventKind::run_started: started_ = last_step_at_ = event.at; return;
    case EventKind::run_ended: return;
    case EventKind::barrier_opened: add_step(event); return;
    case EventKind::barrier_broken: return;
    case EventKind::stage_changed:
      row.stage = event.stage;
      row.offline_since.reset();
      return;
    case EventKind::phase_started:
      row.state = BoardRow::State::busy;
      row.phase = clean(event.phase);
      row.since = event.at;
      row.note.clear();
      return;
    case EventKind::phase_done:
      row.state = is_last(event) ? BoardRow::State::passed : BoardRow::State::between;
      row.until = event.at;
      row.note.clear();
      row.offline_since.reset();
      if (event.phase == "apply") row.address = row.home;
      // Phases of Kubernetes open no barrier: the line ends with them.
      if (const StepFacts* step = find_step(event.phase); step && step->of_kubernetes) {
        add_step(event);
      }
      return;
    case EventKind::phase_failed:
      row.state = BoardRow::State::failed;
      row.phase = clean(event.phase);
      row.until = event.at;
      row.note = clean(event.text);
      return;
    case EventKind::blocked:
      row.state = BoardRow::State::blocked;
      row.phase = clean(event.phase);
      row.note = clean(event.text);
      return;
    case EventKind::retrying: ++row.retries; break;
    case EventKind::waiting:
      // A node that does not answer is in no stage that anybody knows; the note says why.
      row.stage = event.stage;
      if (event.stage == Stage::unknown && row.configured && !row.offline_since) {
        row.offline_since = event.at;
      }
      if (event.stage != Stage::unknown) row.offline_since.reset();
      break;
    case EventKind::acted: row.configured |= event.phase == "apply"; break;
    case EventKind::decided:
    case EventKind::finding: break;
  }
  row.note = without_name(clean(event.text), event.node.value());
}

}  // namespace ichor
