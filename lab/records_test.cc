#include "lab/records.h"

#include <gtest/gtest.h>

namespace ichor::lab {
namespace {

TEST(RecordsTest, AMachineComesBackFromItsRecordAsItWas) {
  MachineRecord record;
  record.spec.name = NodeName("cp1");
  record.spec.hardware.uuid = MachineUuid("4c4c4544-0042-4b10-8057-b3c04f565331");
  record.spec.hardware.macs = {MacAddress("52:54:00:16:01:01")};
  record.spec.dhcp_address = IpAddress("10.5.0.2");
  Disk disk;
  disk.id = "nvme0n1";
  disk.dev_path = "/dev/nvme0n1";
  disk.size_bytes = 1ull << 40;
  record.spec.disks = {disk};
  record.spec.personality = sim::Personality::v1_13;
  record.link = "eth0";
  record.disk.installed = true;
  record.disk.config = "machine: {}\n";
  record.disk.etcd_cluster = 0xfedcba9876543210ull;
  record.disk.etcd_member = EtcdMemberId(0xffffffffffffffffull);
  record.powered = false;

  const auto back = machine_from_json(to_json(record));
  ASSERT_TRUE(back);
  EXPECT_EQ(to_json(*back), to_json(record));
  EXPECT_EQ(back->disk.etcd_cluster, record.disk.etcd_cluster);
  EXPECT_EQ(back->disk.etcd_member, record.disk.etcd_member);
  EXPECT_EQ(back->spec.personality, sim::Personality::v1_13);
}

TEST(RecordsTest, AClusterKeepsItsMembersAndAlarms) {
  sim::EtcdCluster cluster;
  cluster.id = 0xabcdef0123456789ull;
  cluster.members = {{EtcdMemberId(7), NodeName("cp1"), false, true},
                     {EtcdMemberId(8), NodeName("cp2"), true, true}};
  cluster.alarms = {{EtcdMemberId(7), EtcdAlarmKind::corrupt}};
  const auto back = clusters_from_json(to_json({&cluster}));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), 1u);
  EXPECT_EQ(back->front().id, cluster.id);
  EXPECT_TRUE(back->front().members[1].learner);
  EXPECT_FALSE(back->front().members[0].up) << "no member runs before its machine is on";
  EXPECT_EQ(back->front().alarms.front().kind, EtcdAlarmKind::corrupt);
}

TEST(RecordsTest, OtherTextsAreNoRecords) {
  EXPECT_FALSE(machine_from_json(""));
  EXPECT_FALSE(machine_from_json("{}"));
  EXPECT_FALSE(machine_from_json(R"({"spec": 5})"));
  EXPECT_FALSE(clusters_from_json("[{}]"));
}

}  // namespace
}  // namespace ichor::lab
