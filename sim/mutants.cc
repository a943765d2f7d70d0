#include "sim/mutants.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/planted/switch.h"

namespace ichor::sim {

#ifdef ICHOR_MUTANTS

namespace {

bool hunt(const CampaignOptions& options, const Mutant& mutant, std::ostream& out) {
  CampaignOptions hunting = options;
  hunting.faults = *parse_faults(std::string(mutant.faults));
  hunting.line = mutant.line;
  selected_mutant = mutant.name;
  const CampaignReport report = run_campaign(hunting);
  selected_mutant.clear();
  if (report.violation.empty()) {
    out << fmt::format("{:<28} ESCAPED {} seeds: {}\n", mutant.name, report.seeds, mutant.breaks);
    return false;
  }
  out << fmt::format("{:<28} found by seed {}: {}\n", mutant.name, report.failed_seed,
                     report.violation);
  return true;
}

}  // namespace

int hunt_mutants(const CampaignOptions& options, const std::vector<std::string>& names,
                 std::ostream& out) {
  std::vector<const Mutant*> chosen;
  for (const std::string& name : names) {
    const std::size_t before = chosen.size();
    for (const Mutant& mutant : mutants()) {
      if (name == "all" || name == mutant.name) chosen.push_back(&mutant);
    }
    if (chosen.size() == before) {
      out << fmt::format("unknown mutant '{}'\n", name);
      return 64;
    }
  }
  const auto found = std::count_if(chosen.begin(), chosen.end(), [&](const Mutant* mutant) {
    return hunt(options, *mutant, out);
  });
  const auto escaped = static_cast<std::ptrdiff_t>(chosen.size()) - found;
  out << fmt::format("{} passed, {} failed\n", found, escaped);
  return escaped == 0 ? 0 : 1;
}

#else

int hunt_mutants(const CampaignOptions&, const std::vector<std::string>&, std::ostream& out) {
  out << "this binary has no mutants: build ichor-mutants with `make mutants`\n";
  return 64;
}

#endif

}  // namespace ichor::sim
