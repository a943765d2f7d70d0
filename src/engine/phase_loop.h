#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/subject.h"
#include "model/run_result.h"
#include "wait/look_pace.h"
#include "wait/look_time.h"

namespace ichor {

/// What the phases of one run share.
struct RunState {
  World& world;
  const ClusterProfile& profile;
  const ConfigSet& configs;
  Ledger& ledger;
  int mutations{0};
  LookTime looked{};             // by whoever looked last
  std::vector<Finding> notes{};  // warnings that were shown when they arose
};

struct PhaseEnd {
  StepEnd end{StepEnd::failed};
  std::optional<Finding> finding;  // unless passed or cancelled
  int retries{0};
  std::vector<Finding> more{};  // what else is to be known, also of a phase that passed
};

/// Runs one phase on one subject: look, decide, do what was decided, look again; until it is
/// satisfied, must stop, or its budget is used up. Every way out but the first names what was
/// unmet.
class PhaseLoop {
 public:
  PhaseLoop(RunState& run, const TalosPhase& phase, Subject& subject, Bell& changed)
      : run_(run), phase_(phase), subject_(subject), changed_(changed) {}

  Task<PhaseEnd> run(Context context);

 private:
  /// The phase's own; an install that an earlier run began has the time that it needs.
  Duration budget() const;
  /// Each returns an end, or nothing to look again.
  Task<std::optional<PhaseEnd>> follow(Context context, NodeCall due);
  /// Keeps what a decision rested on in the journal.
  Task<void> keep_verdict(std::string text);
  Task<std::optional<PhaseEnd>> follow(Context context, Remember remember);
  Task<std::optional<PhaseEnd>> follow(Context context, Wait wait, std::uint64_t rings_seen);

  /// Puts the next look off while changes come too often; a new stage is followed sooner.
  Task<void> keep_pace(Context context);

  PhaseEnd stopped(Stop stop) const;
  Task<PhaseEnd> out_of_time(Context outer);
  /// A wait for one fault has lasted too long.
  std::optional<PhaseEnd> overdue(Context context, const Wait& wait);
  /// D6: the node boots again and again.
  Task<std::optional<PhaseEnd>> reboot_loop(Context context);
  /// Tells once for each stage that a node stays in it, and what it says about that.
  Task<void> tell_if_stuck(Context context);
  PhaseEnd journal_broken() const;
  PhaseEnd gave_up(const CallError& error, const NodeName& node, bool after_retries) const;
  PhaseEnd worn_out(const NodeCall& action) const;
  void emit(EventKind kind, std::string text, int attempt = 0) const;
  void note_stage(Context context);
  void note_boot();
  RunState& run_;
  const TalosPhase& phase_;
  Subject& subject_;
  Bell& changed_;
  MonoTime started_{};
  LookTime looked_{};
  LookPace pace_;
  LookPace urgent_pace_;
  std::uint64_t urgent_seen_{0};
  Wait waiting_;
  std::optional<CallError> trouble_;  // of the look that waiting_ is from
  MonoTime waiting_since_{};          // for the same fault
  Stage stage_{Stage::unknown};
  MonoTime stage_since_{};
  bool stuck_told_{false};
  std::string boot_;
  int boots_{0};  // new ones since our last mutation of the node
  int retries_{0};
  /// Mutations of one kind, also those that were taken and had no effect.
  std::map<std::pair<NodeName, Call>, int> tries_;
  int unanswered_{0};
};

}  // namespace ichor
