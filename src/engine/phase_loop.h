#pragma once

#include <optional>
#include <string>

#include "engine/subject.h"
#include "model/run_result.h"

namespace ichor {

/// What the phases of one run share.
struct RunState {
  World& world;
  const ClusterProfile& profile;
  const ConfigSet& configs;
  Ledger& ledger;
  int mutations{0};
};

struct PhaseEnd {
  StepEnd end{StepEnd::failed};
  std::optional<Finding> finding;  // unless passed or cancelled
  int retries{0};
};

/// Runs one phase on one subject: look, decide, do what was decided, look again; until it is
/// satisfied, must stop, or its budget is used up. Every way out but the first names what was
/// unmet.
class PhaseLoop {
 public:
  PhaseLoop(RunState& run, const Phase& phase, Subject& subject, Bell& changed)
      : run_(run), phase_(phase), subject_(subject), changed_(changed) {}

  Task<PhaseEnd> run(Context context);

 private:
  /// Each returns an end, or nothing to look again.
  Task<std::optional<PhaseEnd>> follow(Context context, Act act);
  Task<std::optional<PhaseEnd>> follow(Context context, Remember remember);
  Task<std::optional<PhaseEnd>> follow(Context context, Wait wait, std::uint64_t rings_seen);

  PhaseEnd stopped(Stop stop) const;
  PhaseEnd out_of_time(Context context) const;
  PhaseEnd journal_broken() const;
  PhaseEnd gave_up(const CallError& error, const NodeName& node, bool after_retries) const;
  PhaseEnd worn_out(const Action& action) const;
  void emit(EventKind kind, std::string text, int attempt = 0) const;
  void note_stage();

  RunState& run_;
  const Phase& phase_;
  Subject& subject_;
  Bell& changed_;
  MonoTime started_{};
  std::string waiting_for_;
  Stage stage_{Stage::unknown};
  int retries_{0};
  int tries_{0};  // mutations, also those that were taken and had no effect
  int unanswered_{0};
};

}  // namespace ichor
