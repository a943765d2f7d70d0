#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/cluster_profile.h"
#include "sim/seed_plan.h"

namespace ichor::sim {

/// Many bring-ups of one profile in the simulator: its nodes and roles, its order, limits,
/// versions, endpoint and CNI, on machines that are as fast as small virtual machines and have
/// random faults.
struct RehearsalOptions {
  std::uint64_t first_seed{1};
  std::uint64_t last_seed{100};
  int jobs{1};
  /// `everything`: each seed has none to three of them. Else every seed has all of them.
  FaultChoice faults;
};

enum class RehearsalEnd {
  ready,    // all that the profile asks for
  stopped,  // with a verdict that a fault is declared to end with, because it lasts
  late,     // not ready although all faults were over: a limit of the profile is too short
  wrong,    // an invariant did not hold
};
std::string_view name_of(RehearsalEnd end);

/// One seed.
struct RehearsedSeed {
  std::uint64_t seed{0};
  RehearsalEnd end{RehearsalEnd::wrong};
  Duration ready_after{};           // since the machines were switched on, if it became ready
  int runs{0};                      // of `ichor up` until then
  std::vector<std::size_t> faults;  // that fired, indices into fault_catalogue()
  std::vector<Duration> spent;      // by step, see StepTimes
  std::optional<std::size_t> ended_in;
  std::map<std::size_t, int> out_of_time;
  std::vector<std::string> findings;  // ids, of the last run
  std::string verdict;                // of the last run, or what did not hold
};

/// What many seeds of one profile came to.
struct RehearsalFigures {
  std::uint64_t seeds{0};
  std::map<RehearsalEnd, std::uint64_t> ends;
  std::uint64_t at_once{0};               // ready by the first run
  std::optional<Duration> p50, p95, max;  // until ready; nothing if no seed became ready

  double success_rate() const;
};

/// What one step cost.
struct StepFigures {
  std::string name;
  Duration typical{};  // the median of the seeds without a fault, or of all if too few have none
  Duration p95{};
  Duration lost{};  // beyond the typical time, in slow seeds and in those that were late
  double share{0};  // of all time that was lost
  std::uint64_t ended_here{0};   // seeds that did not become ready
  std::uint64_t out_of_time{0};  // runs
};

/// A setting of the profile, and the same seeds with it changed.
struct SettingTrial {
  std::string setting;  // "order.workers"
  std::string now, tried;
  RehearsalFigures figures;
  bool helps{false};
};

struct RehearsalReport {
  std::vector<RehearsedSeed> seeds;  // in order
  RehearsalFigures figures;
  std::vector<StepFigures> steps;  // in the order of the sequence
  std::optional<std::size_t> weakest;
  std::vector<SettingTrial> trials;
};

/// Deterministic: which job runs a seed does not matter. Nothing is sent and nothing is written.
RehearsalReport rehearse(const ClusterProfile& profile, const RehearsalOptions& options);

}  // namespace ichor::sim
