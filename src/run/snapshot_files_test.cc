#include "run/snapshot_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "port/test_local_ports.h"
#include "run/etcd_snapshot.h"

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SnapshotMetadata metadata(const std::string& taken, const std::string& cluster = "lab") {
  SnapshotMetadata one;
  one.cluster = cluster;
  one.taken = taken;
  one.revision = 7;
  one.members = {{EtcdMemberId(0xabc), "cp1", false}, {EtcdMemberId(1), "cp2", true}};
  return one;
}

class SnapshotFilesTest : public testing::Test {
 protected:
  void lay_out(const std::string& path, const std::string& taken,
               const std::string& cluster = "lab") {
    files_.inputs[path] = "snapshot";
    files_.inputs[path + ".json"] = to_json(metadata(taken, cluster));
  }
  std::vector<std::string> removed(int keep) {
    return *remove_older("backup/new.db", metadata("2026-11-19T18:00:00.000Z"), keep, files_);
  }

  FakeFiles files_;
};

TEST_F(SnapshotFilesTest, MetadataIsReadBackAsItWasWritten) {
  const auto read = metadata_from_json(to_json(metadata("2026-11-19T18:00:00.000Z")));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->cluster, "lab");
  EXPECT_EQ(read->revision, 7u);
  EXPECT_EQ(read->members, metadata("").members);
  EXPECT_FALSE(metadata_from_json("{}"));
  EXPECT_FALSE(metadata_from_json("[1]"));
}

TEST_F(SnapshotFilesTest, MetadataSaysWhereASnapshotComesFrom) {
  TakenSnapshot taken;
  taken.node = NodeName("cp2");
  taken.facts.revision = 99;
  ClusterProfile profile;
  profile.name = "lab";
  profile.talos.kubernetes_version = "1.35.4";
  NodeView source;
  source.version = TalosVersion{1, 12, 6};
  source.etcd.status = EtcdStatus{};
  source.etcd.status->version = "3.6.8";
  const SnapshotMetadata made = metadata_of(taken, profile, source, WallTime{1'795'111'200'250});
  EXPECT_EQ(made.taken, "2026-11-19T18:00:00.250Z");
  EXPECT_EQ(made.talos, "v1.12.6");
  EXPECT_EQ(made.etcd, "3.6.8");
  EXPECT_EQ(made.node, "cp2");
}

TEST_F(SnapshotFilesTest, TheNewestOfThisClusterAreKept) {
  lay_out("backup/a.db", "2026-11-16T00:00:00.000Z");
  lay_out("backup/b.db", "2026-11-17T00:00:00.000Z");
  lay_out("backup/c.db", "2026-11-18T00:00:00.000Z");
  lay_out("backup/other.db", "2026-11-01T00:00:00.000Z", "prod");
  lay_out("backup/new.db", "2026-11-19T18:00:00.000Z");
  EXPECT_THAT(removed(3), ElementsAre("backup/a.db"));
  EXPECT_FALSE(files_.inputs.contains("backup/a.db"));
  EXPECT_FALSE(files_.inputs.contains("backup/a.db.json"));
  EXPECT_TRUE(files_.inputs.contains("backup/other.db"));
}

TEST_F(SnapshotFilesTest, TheNewOneStaysAlsoIfTheClockWentBack) {
  lay_out("backup/a.db", "2027-01-01T00:00:00.000Z");
  lay_out("backup/new.db", "2026-11-19T18:00:00.000Z");
  EXPECT_THAT(removed(1), ElementsAre("backup/a.db"));
  EXPECT_TRUE(files_.inputs.contains("backup/new.db"));
}

TEST_F(SnapshotFilesTest, WithoutALimitAndWithoutMetadataNothingIsRemoved) {
  lay_out("backup/new.db", "2026-11-16T00:00:00.000Z");
  files_.inputs["backup/mine.db"] = "a snapshot of another tool";
  files_.inputs["backup/mine.db.json"] = "not metadata";
  EXPECT_THAT(removed(0), IsEmpty());
  EXPECT_THAT(removed(1), IsEmpty());
}

}  // namespace
}  // namespace ichor
