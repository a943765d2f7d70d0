#include "view/board.h"

#include <algorithm>

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

}  // namespace

Board::Board(const ClusterProfile& profile) : cluster_(clean(profile.name)) {
  for (const NodePlan& plan : profile.nodes) {
    BoardRow row;
    row.name = plan.name;
    row.role = plan.role;
    row.home = clean(plan.address.value());
    row.address = clean(plan.maintenance_address.value());
    if (row.address.empty()) row.address = row.home;
    nodes_.push_back(std::move(row));
  }
}

BoardRow& Board::row_of(const NodeName& node) {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const BoardRow& row) { return row.name == node; });
  return found == nodes_.end() ? whole_ : *found;
}

void Board::fold(const Event& event) {
  BoardRow& row = row_of(event.node);
  switch (event.kind) {
    case EventKind::run_started: started_ = event.at; return;
    case EventKind::run_ended: return;
    case EventKind::barrier_opened: milestones_.push_back(clean(event.text)); return;
    case EventKind::barrier_broken: return;
    case EventKind::stage_changed: row.stage = event.stage; return;
    case EventKind::phase_started:
      row.state = BoardRow::State::busy;
      row.phase = clean(event.phase);
      row.since = event.at;
      row.note.clear();
      return;
    case EventKind::phase_done:
      row.state = is_last(event) ? BoardRow::State::passed : BoardRow::State::between;
      row.until = event.at;
      row.note = is_last(event) ? "" : "done; the next step waits for other nodes";
      if (event.phase == "apply") row.address = row.home;
      return;
    case EventKind::phase_failed:
      row.state = BoardRow::State::failed;
      row.phase = clean(event.phase);
      row.until = event.at;
      row.note = clean(event.text);
      return;
    case EventKind::blocked:
      row.state = BoardRow::State::idle;
      row.phase = clean(event.phase);
      break;
    case EventKind::retrying: ++row.retries; break;
    case EventKind::waiting:
      // A node that does not answer is in no stage that anybody knows; the note says why.
      row.stage = event.stage;
      if (event.stage == Stage::unknown && row.configured) {
        row.note = "installs or reboots, its API is away: " +
                   without_name(clean(event.text), event.node.value());
        return;
      }
      break;
    case EventKind::acted: row.configured |= event.phase == "apply"; break;
    case EventKind::decided:
    case EventKind::finding: break;
  }
  row.note = without_name(clean(event.text), event.node.value());
}

}  // namespace ichor
