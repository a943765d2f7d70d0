#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "etcd/snapshot.h"
#include "sim/node/bench.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// Three voters, of which cp1 leads.
struct EtcdApi : ::testing::Test {
  Bench bench{Personality::v1_12, Platform::metal};

  EtcdApi() {
    for (const char* name : {"cp1", "cp2", "cp3"}) bench.configured(name);
    EXPECT_TRUE(cp(1).bootstrap(Bench::admin));
    EXPECT_TRUE(bench.run_to([&] {
      const auto status = cp(3).etcd_status(Bench::admin);
      return status && !status->is_learner && cp(3).stage() == Stage::running;
    }));
  }
  Node& cp(int number) { return *bench.nodes[static_cast<std::size_t>(number - 1)]; }
  std::uint64_t revision_on(int number) {
    MemoryBytes file;
    EXPECT_TRUE(file.take(*cp(number).etcd_snapshot(Bench::admin)));
    return etcd::inspect_snapshot(file)->revision;
  }
  void wipe(int number) {
    ResetRequest request;
    request.graceful = false;
    EXPECT_TRUE(cp(number).reset(Bench::admin, request));
    EXPECT_TRUE(bench.run_to(cp(number), Stage::maintenance));
  }
};

TEST_F(EtcdApi, ADefragmentationFreesOneDatabase) {
  EXPECT_EQ(cp(2).etcd_status(Bench::admin)->db_bytes, kEtcdBytes);
  ASSERT_TRUE(cp(2).etcd_defragment(Bench::admin));
  EXPECT_EQ(cp(2).etcd_status(Bench::admin)->db_bytes, kEtcdBytesInUse);
  EXPECT_EQ(cp(1).etcd_status(Bench::admin)->db_bytes, kEtcdBytes);
  EXPECT_FALSE(cp(2).etcd_defragment(Bench::reader));
}

TEST_F(EtcdApi, OneThatLeavesIsNoMemberAndHasNoData) {
  ASSERT_TRUE(cp(3).etcd_leave(Bench::admin));
  EXPECT_EQ(cp(1).etcd_members(Bench::admin)->size(), 2u);
  EXPECT_FALSE(*cp(3).etcd_has_data(Bench::admin));
}

TEST_F(EtcdApi, OnlyTheLeaderForfeitsItsLead) {
  const auto kept = cp(2).etcd_forfeit_leadership(Bench::admin);
  ASSERT_TRUE(kept);
  EXPECT_FALSE(*kept);
  const auto passed_on = cp(1).etcd_forfeit_leadership(Bench::admin);
  ASSERT_TRUE(passed_on);
  EXPECT_EQ(*passed_on, NodeName("cp2"));
  EXPECT_EQ(cp(3).etcd_status(Bench::admin)->leader, cp(2).etcd_status(Bench::admin)->member);
}

TEST_F(EtcdApi, ARestoreGoesOnAtTheRevisionOfTheSnapshot) {
  const std::string snapshot = *cp(2).etcd_snapshot(Bench::admin);
  const std::uint64_t revision = revision_on(2);
  for (const int number : {1, 2, 3}) wipe(number);
  EXPECT_EQ(cp(1).etcd_recover(Bench::admin, snapshot).error().code, Code::unimplemented)
      << "in maintenance mode";
  ASSERT_TRUE(bench.apply(cp(1), "cp1"));
  ASSERT_TRUE(bench.run_to([&] { return cp(1).etcd_recover(Bench::admin, snapshot).has_value(); }));
  ASSERT_TRUE(bench.run_to([&] { return cp(1).bootstrap(Bench::admin, true).has_value(); }));
  ASSERT_TRUE(bench.run_to([&] { return cp(1).etcd_status(Bench::admin).has_value(); }));
  EXPECT_GT(revision_on(1), revision);
  EXPECT_EQ(cp(1).etcd_members(Bench::admin)->size(), 1u);
  EXPECT_TRUE(cp(1).disk().recovery_snapshot.empty());
}

TEST_F(EtcdApi, ASnapshotThatIsDamagedIsNotRestored) {
  std::string snapshot = *cp(2).etcd_snapshot(Bench::admin);
  snapshot[9000] = static_cast<char>(snapshot[9000] + 1);
  for (const int number : {1, 2, 3}) wipe(number);
  ASSERT_TRUE(bench.apply(cp(1), "cp1"));
  ASSERT_TRUE(bench.run_to([&] { return cp(1).etcd_recover(Bench::admin, snapshot).has_value(); }));
  ASSERT_TRUE(bench.run_to([&] { return cp(1).bootstrap(Bench::admin, true).has_value(); }));
  bench.clock.run_for(minutes(2));
  EXPECT_FALSE(*cp(1).etcd_has_data(Bench::admin));
  EXPECT_FALSE(cp(1).etcd_status(Bench::admin));
}

}  // namespace
}  // namespace ichor::sim
