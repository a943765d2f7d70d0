#include "base/words.h"
#include "cli/command_list.h"
#include "cli/seed_range.h"

namespace ichor {

void declare_simulate(FlagSet& flags, Request& request) {
  SimulateRequest& simulate = request.emplace<SimulateRequest>();
  // Counted by the closures, which live as long as the flags.
  const auto given = std::make_shared<int>(0);
  flags.value("--seeds", "A..B", [&simulate, given](const std::string& text) {
    ++*given;
    return take_range(text, simulate.seeds);
  });
  flags.value("--seed", "N", [&simulate, given](const std::string& text) {
    ++*given;
    const auto seed = to_seed(text);
    if (!seed) return "\"" + text + "\" is not a seed";
    simulate.seeds = {*seed, *seed};
    return std::string();
  });
  flags.text("--faults", "LIST", simulate.faults);
  flags.text("--shape", "C+W", simulate.shape);
  flags.value("--only", "talos", [&simulate](const std::string& text) {
    simulate.only_talos = true;
    return text == "talos" ? std::string() : "\"" + text + "\" is not a part: only talos is";
  });
  flags.flag("--upgrade", simulate.upgrade);
  flags.number("--jobs", "N", 1, 1024,
               [&simulate](std::int64_t jobs) { simulate.jobs = static_cast<int>(jobs); });
  flags.flag("--trace", simulate.trace);
  const auto take_mutants = [&simulate](const std::string& text) {
    simulate.mutants = split_list(text);
    return std::string();
  };
  flags.value("--mutant,--mutants", "NAMES", take_mutants);
  flags.flag("--crash-points", simulate.crash_points);
  flags.flag("--crash-pairs", simulate.crash_pairs);
  flags.text("--scenario", "FILE|DIR", simulate.scenario);
  flags.rule([&simulate, given]() -> std::string {
    const bool sweeps = simulate.crash_points || simulate.crash_pairs;
    if (simulate.crash_points && simulate.crash_pairs)
      return "--crash-points and --crash-pairs exclude each other";
    if (simulate.upgrade && simulate.only_talos) return "--upgrade and --only exclude each other";
    if (!simulate.scenario.empty()) {
      const bool alone = *given == 0 && !sweeps && simulate.mutants.empty();
      return alone ? "" : "--scenario says itself which seeds and faults it is about";
    }
    if (sweeps) {
      if (*given == 0) simulate.seeds = {1, 1};
      const bool alone = !simulate.trace && simulate.mutants.empty();
      return alone && *given < 2 ? "" : "a sweep of crashes takes one --seed and no other mode";
    }
    if (*given != 1) return "needs --seeds A..B or --seed N";
    const bool one_seed = simulate.seeds.first == simulate.seeds.last;
    if (simulate.trace && !one_seed) return "--trace needs --seed N";
    if (simulate.trace && !simulate.mutants.empty())
      return "--trace and --mutant exclude each other";
    return {};
  });
}

}  // namespace ichor
