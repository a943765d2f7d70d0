#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace ichor {
namespace {

using testing::HasSubstr;

/// The request, or what is wrong with the words.
struct Parsed {
  UpgradeOptions upgrade;
  std::string misuse;
};

Parsed parse(std::vector<std::string> words) {
  words.insert(words.begin(), "upgrade");
  const CommandLine line = parse_command_line(words);
  if (const Misuse* wrong = std::get_if<Misuse>(&line)) return {{}, wrong->message};
  return {std::get<UpgradeOptions>(std::get<Invocation>(line).request), {}};
}

TEST(Upgrade, TakesAWholeVersion) {
  for (const char* good : {"v1.13.9", "1.13.9"}) {
    EXPECT_EQ(parse({"--to", good}).upgrade.to, (TalosVersion{1, 13, 9})) << good;
  }
  for (const char* bad : {"v1.13", "1.13.x", "latest", "v1.13.9-rc.1", ""}) {
    EXPECT_THAT(parse({"--to", bad}).misuse, HasSubstr("is not a version such as v1.13.9")) << bad;
  }
}

TEST(Upgrade, TakesWorkersByNumberOrShare) {
  EXPECT_EQ(parse({}).upgrade.workers_at_once, 1);
  EXPECT_EQ(parse({"--concurrency", "4"}).upgrade.workers_at_once, 4);
  const UpgradeOptions share = parse({"--concurrency", "25%"}).upgrade;
  EXPECT_TRUE(share.in_percent);
  EXPECT_EQ(share.workers_at_once, 25);
  for (const char* bad : {"0", "0%", "101%", "%", "many"}) {
    EXPECT_THAT(parse({"--concurrency", bad}).misuse, HasSubstr("neither a number")) << bad;
  }
}

TEST(Upgrade, DrainsUnlessItIsSaid) {
  EXPECT_TRUE(parse({}).upgrade.drain);
  EXPECT_FALSE(parse({"--drain=false"}).upgrade.drain);
  EXPECT_EQ(parse({"--drain-timeout", "5m"}).upgrade.drain_timeout, std::chrono::minutes(5));
  EXPECT_THAT(parse({"--drain-timeout", "soon"}).misuse, HasSubstr("is not a time"));
}

TEST(Upgrade, TakesASnapshotUnlessItIsSaid) {
  EXPECT_FALSE(parse({}).upgrade.no_snapshot);
  EXPECT_TRUE(parse({"--no-snapshot"}).upgrade.no_snapshot);
  const UpgradeOptions kept = parse({"--snapshot-file", "a.db", "--keep", "3"}).upgrade;
  EXPECT_EQ(kept.snapshot_path, "a.db");
  EXPECT_EQ(kept.keep, 3);
  EXPECT_THAT(parse({"--no-snapshot", "--encrypt"}).misuse, HasSubstr("--no-snapshot takes none"));
}

}  // namespace
}  // namespace ichor
