#include "etcd/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "secrets/digest.h"
#include "sim/node/etcd_database.h"

namespace ichor::etcd {
namespace {

using testing::HasSubstr;

sim::EtcdCluster cluster() {
  sim::EtcdCluster cluster;
  cluster.members.push_back({EtcdMemberId(0xaaaa), NodeName("cp1"), false, true});
  cluster.members.push_back({EtcdMemberId(0xbbbb), NodeName("cp2"), true, true});
  cluster.raft_index = 42;
  cluster.restored_revision = 1000;
  return cluster;
}

Result<SnapshotFacts> inspect(const std::string& bytes) {
  MemoryBytes file;
  EXPECT_TRUE(file.take(bytes));
  return inspect_snapshot(file);
}

std::string why(const std::string& bytes) {
  const auto facts = inspect(bytes);
  return facts ? "(a good snapshot)" : facts.error().message;
}

/// The database changed at one byte, and a hash that fits again.
std::string with_byte(std::string bytes, std::size_t at, char value) {
  bytes.resize(bytes.size() - 32);
  bytes[at] = value;
  const Digest digest = pki::sha256(bytes);
  return bytes + std::string(digest.bytes.begin(), digest.bytes.end());
}

TEST(Snapshot, SaysWhatIsInIt) {
  const auto facts = inspect(sim::etcd_snapshot(cluster()));
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->revision, 1042u);
  EXPECT_EQ(facts->keys, 24u);
  EXPECT_EQ(facts->raft_index, 42u);
  EXPECT_EQ(facts->raft_term, 2u);
  EXPECT_EQ(facts->storage_version, "3.6.0");
  ASSERT_EQ(facts->members.size(), 2u);
  EXPECT_EQ(facts->members[0], (EtcdMember{EtcdMemberId(0xaaaa), "cp1", false}));
  EXPECT_EQ(facts->members[1], (EtcdMember{EtcdMemberId(0xbbbb), "cp2", true}));
}

TEST(Snapshot, EveryCutIsFound) {
  const std::string whole = sim::etcd_snapshot(cluster());
  for (std::size_t size = 0; size < whole.size(); size += 509) {
    EXPECT_FALSE(inspect(whole.substr(0, size))) << size;
  }
  EXPECT_THAT(why(whole.substr(0, 4096)), HasSubstr("cut off"));
  // A cut that leaves the right remainder has no hash of its own at the end.
  EXPECT_THAT(why(whole.substr(0, 4096 * 3 + 32)), HasSubstr("another SHA-256"));
}

TEST(Snapshot, AnotherByteIsFoundByTheHash) {
  std::string bytes = sim::etcd_snapshot(cluster());
  bytes[20'000] = static_cast<char>(bytes[20'000] + 1);
  EXPECT_THAT(why(bytes), HasSubstr("another SHA-256"));
}

TEST(Snapshot, ADamagedDatabaseIsFoundUnderARightHash) {
  const std::string whole = sim::etcd_snapshot(cluster());
  constexpr std::size_t page = 4096;
  EXPECT_THAT(why(with_byte(with_byte(whole, 16, 0), page + 16, 0)), HasSubstr("no sound meta"));
  EXPECT_THAT(why(with_byte(whole, 2 * page, 9)), HasSubstr("has another number"));
  EXPECT_THAT(why(with_byte(whole, 2 * page + 8, 4)), HasSubstr("of kind 0x4"));
  EXPECT_THAT(why(with_byte(whole, 2 * page + 12, 99)), HasSubstr("too large"));
  // The count of the page that holds the keys.
  EXPECT_THAT(why(with_byte(whole, 7 * page + 11, 99)), HasSubstr("wrong count"));
}

/// Whatever one byte becomes, the answer is facts or an error, and never a crash.
TEST(Snapshot, NoByteOfTheDatabaseIsTrusted) {
  const std::string whole = sim::etcd_snapshot(cluster());
  int good = 0;
  for (std::size_t at = 0; at + 32 < whole.size(); at += 31) {
    good += inspect(with_byte(whole, at, static_cast<char>(0xff))).has_value() ? 1 : 0;
  }
  EXPECT_GT(good, 0) << "a byte that is not used may be anything";
}

TEST(Snapshot, ADatabaseWithoutMembersIsNoSnapshotOfEtcd) {
  sim::EtcdCluster empty = cluster();
  empty.members.clear();
  EXPECT_THAT(why(sim::etcd_snapshot(empty)), HasSubstr("names no members"));
}

}  // namespace
}  // namespace ichor::etcd
