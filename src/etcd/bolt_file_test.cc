#include "etcd/bolt_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "sim/node/etcd_database.h"

namespace ichor::etcd {
namespace {

using testing::ElementsAre;
using testing::Key;

class BoltFileTest : public testing::Test {
 protected:
  BoltFileTest() {
    sim::EtcdCluster cluster;
    cluster.members.push_back({EtcdMemberId(1), NodeName("cp1"), false, true});
    cluster.raft_index = 200;
    EXPECT_TRUE(file_.take(sim::etcd_snapshot(cluster)));
  }
  std::uint64_t database() const { return file_.size() - 32; }

  MemoryBytes file_;
};

TEST_F(BoltFileTest, EveryEntryIsVisitedInOrder) {
  auto bolt = BoltFile::open(file_, database());
  ASSERT_TRUE(bolt) << bolt.error().message;
  std::map<std::string, std::vector<std::string>> keys;
  ASSERT_TRUE(bolt->walk([&](const std::string& bucket, const BoltFile::Entry& entry) {
    keys[bucket].emplace_back(entry.key);
    return Result<void>();
  }));
  EXPECT_THAT(keys, ElementsAre(Key("cluster"), Key("key"), Key("members"), Key("meta")));
  EXPECT_THAT(keys["members"], ElementsAre("1"));
  EXPECT_EQ(keys["key"].size(), 24u);
  EXPECT_TRUE(std::is_sorted(keys["key"].begin(), keys["key"].end()));
}

TEST_F(BoltFileTest, AVisitorCanEndTheWalk) {
  auto bolt = BoltFile::open(file_, database());
  ASSERT_TRUE(bolt);
  int visits = 0;
  const auto walked = bolt->walk([&](const std::string&, const BoltFile::Entry&) -> Result<void> {
    ++visits;
    return fail(Errc::invalid, "enough");
  });
  ASSERT_FALSE(walked);
  EXPECT_EQ(walked.error().message, "enough");
  EXPECT_EQ(visits, 1);
}

TEST_F(BoltFileTest, WhatIsTooShortIsNoDatabase) {
  EXPECT_FALSE(BoltFile::open(file_, 0));
  EXPECT_FALSE(BoltFile::open(file_, 79));
  EXPECT_FALSE(BoltFile::open(file_, 4096 * 4)) << "fewer pages than it says";
}

}  // namespace
}  // namespace ichor::etcd
