#include "sim/mutants.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/mutant.h"

namespace ichor::sim {

const std::vector<Mutant>& mutants() {
  static const std::vector<Mutant> list = {
      {"two-bootstraps", "the last control plane is bootstrapped after the first", "I2"},
      {"blind-retry", "a mutation whose reply was lost is sent again at once", "I3"},
      {"journal-after-act", "the intent is written after the call", "I8"},
      {"unknown-is-no", "a control plane that cannot answer counts as without etcd data", "I3"},
  };
  return list;
}

#ifdef ICHOR_MUTANTS

namespace {

bool hunt(const CampaignOptions& options, const Mutant& mutant, std::ostream& out) {
  select_mutant(mutant.name);
  const CampaignReport report = run_campaign(options);
  select_mutant({});
  if (report.violation.empty()) {
    out << fmt::format("{:<20} ESCAPED {} seeds: {}\n", mutant.name, report.seeds, mutant.breaks);
    return false;
  }
  out << fmt::format("{:<20} found by seed {}: {}\n", mutant.name, report.failed_seed,
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
