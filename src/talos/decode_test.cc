#include "talos/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string mac(std::initializer_list<int> bytes) {
  std::string raw;
  for (const int byte : bytes) raw += static_cast<char>(byte);
  return raw;
}

Named<spec::LinkStatus> link(const std::string& id, const std::string& address,
                             const std::string& kind = "", spec::LinkType type = spec::LINK_ETHER) {
  Named<spec::LinkStatus> link;
  link.id = id;
  link.spec.set_type(type);
  link.spec.set_kind(kind);
  link.spec.set_hardware_addr(address);
  return link;
}

TEST(Decode, AMachineIsKnownByItsPhysicalLinks) {
  const auto macs = macs_from({
      link("eth1", mac({0x52, 0x54, 0, 0xaa, 0xbb, 2})),
      link("eth0", mac({0x52, 0x54, 0, 0xaa, 0xbb, 1})),
      link("lo", mac({0, 0, 0, 0, 0, 0}), "", spec::LINK_LOOPBACK),
      link("bond0", mac({0x52, 0x54, 0, 0xaa, 0xbb, 3}), "bond"),
      link("lxc42", mac({0x52, 0x54, 0, 0xaa, 0xbb, 4}), "veth"),
      link("tunl0", mac({1, 2, 3, 4}), "", spec::LINK_TUNNEL),
  });
  EXPECT_THAT(macs, ElementsAre(MacAddress("52:54:00:aa:bb:01"), MacAddress("52:54:00:aa:bb:02")));
}

TEST(Decode, APortOfABondIsKnownByItsBurntInAddress) {
  auto port = link("eth0", mac({2, 0, 0, 0, 0, 0x99}));
  port.spec.set_permanent_addr(mac({0x52, 0x54, 0, 0, 0, 1}));
  EXPECT_THAT(macs_from({port}), ElementsAre(MacAddress("52:54:00:00:00:01")));
}

TEST(Decode, AContainerIsKnownByItsVirtualPort) {
  const auto macs = macs_from({
      link("eth0", mac({2, 0, 0x0a, 5, 0, 2}), "veth"),
      link("veth12ab", mac({2, 1, 1, 1, 1, 1}), "veth"),
  });
  EXPECT_THAT(macs, ElementsAre(MacAddress("02:00:0a:05:00:02")));
  EXPECT_THAT(macs_from({}), IsEmpty());
}

TEST(Decode, UuidsAreLowerCaseAndHarmless) {
  spec::SystemInformation system;
  system.set_uuid("5C6F1A2B-0000-4000-8000-00000000AB01");
  system.set_serial_number("SN\x1b[31m-7");
  const Identity identity = identity_from(system);
  EXPECT_EQ(identity.uuid.value(), "5c6f1a2b-0000-4000-8000-00000000ab01");
  EXPECT_EQ(identity.serial.value(), "SN-7");
}

TEST(Decode, VersionsWithAndWithoutSuffix) {
  EXPECT_EQ(version_from("v1.12.6"), (TalosVersion{1, 12, 6}));
  EXPECT_EQ(version_from("v1.13.0-alpha.2"), (TalosVersion{1, 13, 0}));
  EXPECT_EQ(version_from("v1.12.6-3-gabcdef-dirty"), (TalosVersion{1, 12, 6}));
  for (const char* bad :
       {"", "1.12.6", "v1.12", "v1.12.", "v1.12.6x", "v-1.2.3", "v1.2.99999999999"}) {
    EXPECT_EQ(version_from(bad), std::nullopt) << bad;
  }
}

TEST(Decode, AnUnknownStageIsUnknown) {
  spec::MachineStatus status;
  status.set_stage(static_cast<spec::MachineStage>(42));
  EXPECT_EQ(machine_status_from(status).stage, Stage::unknown);
  status.set_stage(spec::STAGE_SHUTTING_DOWN);
  EXPECT_EQ(machine_status_from(status).stage, Stage::shutting_down);
}

Named<spec::Disk> disk(const std::string& id) {
  Named<spec::Disk> disk;
  disk.id = id;
  disk.spec.set_dev_path("/dev/" + id);
  return disk;
}

TEST(Decode, ADiskWithAPartitionOrAFileSystemHasVolumes) {
  Named<spec::DiscoveredVolume> partition{"sdb1", {}};
  partition.spec.set_parent("sdb");
  Named<spec::DiscoveredVolume> whole_disk{"sdc", {}};
  whole_disk.spec.set_name("xfs");
  Named<spec::DiscoveredVolume> nothing_found{"sda", {}};
  Named<spec::DiscoveredVolume> old_partition{"sdd1", {}};
  old_partition.spec.set_parent_dev_path("/dev/sdd");
  spec::SystemDisk system;
  system.set_disk_id("sdb");

  const auto disks = disks_from({disk("sdd"), disk("sdc"), disk("sdb"), disk("sda")},
                                {partition, whole_disk, nothing_found, old_partition}, system);
  ASSERT_EQ(disks.size(), 4u);
  EXPECT_EQ(disks[0].id, "sda");
  EXPECT_FALSE(disks[0].has_volumes);
  EXPECT_TRUE(disks[1].has_volumes);
  EXPECT_TRUE(disks[1].system_disk);
  EXPECT_TRUE(disks[2].has_volumes);
  EXPECT_FALSE(disks[2].system_disk);
  EXPECT_TRUE(disks[3].has_volumes);
}

TEST(Decode, AServiceSaysWhyItIsSickAndElseWhatItDoes) {
  machine::ServiceInfo etcd;
  etcd.set_id("etcd");
  etcd.set_state("Preparing");
  etcd.mutable_health()->set_unknown(true);
  etcd.mutable_events()->add_events()->set_msg("Starting service");
  etcd.mutable_events()->add_events()->set_msg("Waiting for etcd spec");
  EXPECT_EQ(service_from(etcd).last_message, "Waiting for etcd spec");
  EXPECT_TRUE(service_from(etcd).health_unknown);

  etcd.mutable_health()->set_unknown(false);
  etcd.mutable_health()->set_last_message("context deadline exceeded");
  EXPECT_EQ(service_from(etcd).last_message, "context deadline exceeded");
  EXPECT_FALSE(service_from(etcd).healthy);
}

TEST(Decode, NoAlarmIsNoAlarm) {
  machine::EtcdMemberAlarm alarm;
  alarm.set_member_id(7);
  EXPECT_FALSE(etcd_alarm_from(alarm).has_value());
  alarm.set_alarm(machine::EtcdMemberAlarm::CORRUPT);
  const auto raised = etcd_alarm_from(alarm);
  ASSERT_TRUE(raised.has_value());
  EXPECT_EQ(raised->kind, EtcdAlarmKind::corrupt);
  EXPECT_EQ(raised->member, EtcdMemberId(7));
}

TEST(Decode, GarbageIsNoSpec) {
  cosi::resource::Resource resource;
  resource.mutable_spec()->set_proto_spec("\xff\xff\xff");
  EXPECT_FALSE(spec_of<spec::MachineStatus>(resource).has_value());
}

TEST(Decode, AnInstallationShowsUntilItIsOver) {
  spec::UnattendedInstallStatus install;
  install.set_phase(spec::UNATTENDED_INSTALL_FAILED);
  install.set_error("failed to pull\x1b[2J image");
  const auto seen = install_from(install);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->phase, UnattendedInstall::Phase::failed);
  EXPECT_EQ(seen->error.find('\x1b'), std::string::npos);
  install.set_phase(spec::UNATTENDED_INSTALL_INSTALLED);
  EXPECT_FALSE(install_from(install));
  install.set_phase(static_cast<spec::UnattendedInstallPhase>(77));
  EXPECT_EQ(install_from(install)->phase, UnattendedInstall::Phase::pending);
}

TEST(Decode, APartitionOfEtcdsOwnIsSeenOnItsDisk) {
  spec::Disk disk;
  disk.set_dev_path("/dev/sda");
  spec::DiscoveredVolume volume;
  volume.set_parent("sda");
  volume.set_partition_label("EPHEMERAL");
  EXPECT_FALSE(disks_from({{"sda", disk}}, {{"sda4", volume}}, {}).front().etcd_volume);
  volume.set_partition_label("ETCD");
  EXPECT_TRUE(disks_from({{"sda", disk}}, {{"sda5", volume}}, {}).front().etcd_volume);
}

}  // namespace
}  // namespace ichor
