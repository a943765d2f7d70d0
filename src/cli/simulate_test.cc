#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace ichor {
namespace {

SimulateRequest simulate(std::vector<std::string> words) {
  words.insert(words.begin(), "simulate");
  return std::get<SimulateRequest>(std::get<Invocation>(parse_command_line(words)).request);
}

std::string misuse(std::vector<std::string> words) {
  words.insert(words.begin(), "simulate");
  const CommandLine line = parse_command_line(words);
  return std::holds_alternative<Misuse>(line) ? std::get<Misuse>(line).message : "no misuse";
}

TEST(Simulate, TakesARangeOfSeedsOrOne) {
  EXPECT_EQ(simulate({"--seeds", "1..2000"}).seeds.first, 1u);
  EXPECT_EQ(simulate({"--seeds", "1..2000"}).seeds.last, 2000u);
  EXPECT_EQ(simulate({"--seeds", "7"}).seeds.last, 7u);
  EXPECT_EQ(simulate({"--seed", "18446744073709551615", "--trace"}).seeds.last, UINT64_MAX);
}

TEST(Simulate, TakesWhatDecidesTheRuns) {
  const SimulateRequest request =
      simulate({"--seeds=1..9", "--faults", "lost-reply,reboot", "--shape", "5+0", "--jobs", "4"});
  EXPECT_EQ(request.faults, "lost-reply,reboot");
  EXPECT_EQ(request.shape, "5+0");
  EXPECT_EQ(request.jobs, 4);
}

TEST(Simulate, RefusesWhatCannotBeRun) {
  EXPECT_EQ(misuse({}), "simulate: needs --seeds A..B or --seed N");
  EXPECT_EQ(misuse({"--seeds", "1..2", "--seed", "3"}), "simulate: needs --seeds A..B or --seed N");
  EXPECT_EQ(misuse({"--seeds", "9..1"}),
            "simulate: --seeds: \"9..1\" is not a range of seeds such as 1..2000");
  EXPECT_EQ(misuse({"--seeds", "1..x"}),
            "simulate: --seeds: \"1..x\" is not a range of seeds such as 1..2000");
  EXPECT_EQ(misuse({"--seed", "-1"}), "simulate: --seed: \"-1\" is not a seed");
  EXPECT_EQ(misuse({"--seeds", "1..9", "--trace"}), "simulate: --trace needs --seed N");
}

}  // namespace
}  // namespace ichor
