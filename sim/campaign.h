#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/seed_plan.h"
#include "sim/world.h"

namespace ichor::sim {

struct CampaignOptions {
  std::uint64_t first_seed{1};
  std::uint64_t last_seed{1};
  int jobs{1};
  Shape shape;
  FaultChoice faults;
  Line line{Line::talos};
  bool json{false};
  std::string replay_prefix{"ichor"};  // the program name in replay lines
  /// Seconds since some fixed moment; only for the figure of runs per second.
  std::function<double()> stopwatch;
};

/// What many seeds came to.
struct CampaignReport {
  std::uint64_t seeds{0};
  std::uint64_t ready{0};
  std::uint64_t ended{0};          // with the verdict that a fault is declared to end with
  std::uint64_t unrecoverable{0};  // declared so before they ran
  /// How many runs it took after the faults, by number of runs.
  std::vector<std::uint64_t> quiet_runs;
  std::uint64_t runs{0};
  std::uint64_t crashes{0};
  std::uint64_t events{0};
  std::uint64_t proved_twice{0};  // seeds that were run a second time and gave the same trace
  double simulated_hours{0};
  double seconds{0};
  std::vector<std::uint64_t> armed;  // seeds, per class of fault_catalogue()
  std::vector<std::uint64_t> fired;  // times
  std::map<std::string, std::uint64_t> crash_sites;
  std::uint64_t failed_seed{0};  // the lowest seed with a violation
  std::string violation;
};

/// "all", "none", or a comma-separated list of names of fault_catalogue(); an unknown name is an
/// error that gives the nearest one.
Result<FaultChoice> parse_faults(const std::string& text);
/// "3+3": control planes and workers.
Result<Shape> parse_shape(const std::string& text);

/// Runs all seeds, stops early after a violation. Deterministic but for `seconds`: which job runs a
/// seed does not matter.
CampaignReport run_campaign(const CampaignOptions& options);

/// Runs one seed with every line of its history written to `out`.
SeedReport run_traced(const CampaignOptions& options, std::ostream& out);

/// Human or JSON; returns the exit code: 0, or 1 for a violation, a fault class that never fired,
/// or a crash point that was never hit.
int print_report(const CampaignOptions& options, const CampaignReport& report, std::ostream& out);

}  // namespace ichor::sim
