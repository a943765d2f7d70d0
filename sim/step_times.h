#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/checkers/checker.h"

namespace ichor::sim {

class SimWorld;

/// Where the time of one seed went, until a run first came to all that the profile asks for.
///
/// Nodes work side by side, so the times of their steps overlap. Every moment counts for one step:
/// the earliest one that a control plane or the cluster is still in, because the others wait for
/// it; a worker's step counts while no other one is under way. Between two runs the time counts for
/// the step in which the run before ended.
struct StepTimes {
  std::vector<Duration> spent;               // by step
  std::optional<Duration> ready_at;          // since the machines were switched on
  int runs{0};                               // that were started until then
  std::optional<std::size_t> ended_in;       // the step in which the last run ended, if it failed
  std::map<std::size_t, int> out_of_time{};  // runs that ended so, by step
};

/// The names of the steps of a bring-up, in the order of the sequence.
std::vector<std::string_view> step_names(const ClusterProfile& profile);

/// Fills `times`, which must outlive the world; it finds no violation.
std::unique_ptr<Checker> watch_steps(const SimWorld& world, StepTimes& times);

}  // namespace ichor::sim
