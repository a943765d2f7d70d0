#include "phase/install_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Disk disk(const char* id, std::uint64_t size, const char* transport) {
  Disk made;
  made.id = id;
  made.dev_path = std::string("/dev/") + id;
  made.size_bytes = size;
  made.transport = transport;
  made.serial = std::string("S-") + id;
  return made;
}

class InstallDiskTest : public testing::Test {
 protected:
  InstallDiskTest() {
    present_ = {disk("sdb", 200'000'000'000, "sata"), disk("sda", 100'000'000'000, "sata"),
                disk("nvme0n1", 512ull << 30, "nvme"), disk("loop0", 100'000'000'000, "")};
    present_[0].rotational = true;
    present_[0].model = "QEMU HARDDISK";
  }
  std::vector<std::string> chosen() {
    const auto found = install_disks(plan_, present_);
    EXPECT_TRUE(found);
    std::vector<std::string> ids;
    for (const Disk& one : found->disks) ids.push_back(one.id);
    return ids;
  }
  NodePlan plan_;
  std::vector<Disk> present_;
};

TEST_F(InstallDiskTest, APathMeansTheDiskWithThatPath) {
  plan_.disk = "/dev/sda";
  EXPECT_THAT(chosen(), ElementsAre("sda"));
  plan_.disk = "/dev/sdz";
  EXPECT_THAT(chosen(), IsEmpty());
}

TEST_F(InstallDiskTest, WhatTheProfileWantsIsReportedInItsOwnWords) {
  plan_.disk = "/dev/sda";
  EXPECT_EQ(wanted_disk(plan_), "/dev/sda");
  plan_.disk_selector.serial = "S-*";
  plan_.disk_selector.size = ">= 100GB";
  EXPECT_EQ(wanted_disk(plan_), "serial S-*, size >= 100GB");
}

TEST_F(InstallDiskTest, ALinkMeansTheDiskThatItLeadsTo) {
  plan_.disk = "/dev/disk/by-id/x";
  EXPECT_EQ(install_disks(plan_, present_)->how, InstallDisks::How::link)
      << "a node that lists no links must follow it itself";
  present_[1].links = {"/dev/disk/by-path/y", "/dev/disk/by-id/x"};
  EXPECT_THAT(chosen(), ElementsAre("sda"));
  plan_.disk = "/dev/disk/by-id/z";
  EXPECT_EQ(install_disks(plan_, present_)->how, InstallDisks::How::found);
  EXPECT_THAT(chosen(), IsEmpty());
  plan_.disk.clear();
  EXPECT_EQ(install_disks(plan_, present_)->how, InstallDisks::How::unspecified);
}

TEST_F(InstallDiskTest, SizesHaveAnOperatorAndUnitsOfBothKinds) {
  for (const auto& [size, count] :
       std::vector<std::pair<const char*, std::size_t>>{{">= 100GB", 3},
                                                        {"> 100GB", 2},
                                                        {"<= 100 gb", 1},
                                                        {"100GB", 1},
                                                        {"== 512GiB", 1},
                                                        {"<100000000000", 0},
                                                        {"0.1TB", 1}}) {
    plan_.disk_selector.size = size;
    EXPECT_EQ(chosen().size(), count) << size;
  }
}

TEST_F(InstallDiskTest, ASizeThatIsNoneIsAnError) {
  for (const char* size : {"!= 3GB", "big", "3 parsecs", ">="}) {
    plan_.disk_selector.size = size;
    EXPECT_FALSE(install_disks(plan_, present_)) << size;
  }
}

TEST_F(InstallDiskTest, TypesAreAboutTransportOrRotation) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> types = {
      {"nvme", {"nvme0n1"}}, {"sd", {}}, {"hdd", {"sdb"}}, {"ssd", {"nvme0n1", "sda"}}};
  for (const auto& [type, ids] : types) {
    plan_.disk_selector.type = type;
    EXPECT_EQ(chosen(), ids) << type;
  }
  plan_.disk_selector.type = "tape";
  EXPECT_FALSE(install_disks(plan_, present_));
}

TEST_F(InstallDiskTest, TextsAreGlobsWithAStarOnly) {
  plan_.disk_selector.model = "QEMU*";
  EXPECT_THAT(chosen(), ElementsAre("sdb"));
  plan_.disk_selector.model = "QEMU?HARDDISK";
  EXPECT_THAT(chosen(), IsEmpty());
  EXPECT_TRUE(matches_glob("*b*d*", "abcd"));
  EXPECT_FALSE(matches_glob("*b*e*", "abcd"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_FALSE(matches_glob("", "x"));
}

TEST_F(InstallDiskTest, ReadOnlyDisksAndCdsNeverMatch) {
  plan_.disk_selector.size = ">= 1GB";
  present_[0].cdrom = true;
  present_[1].read_only = true;
  EXPECT_THAT(chosen(), ElementsAre("nvme0n1"));
}

TEST_F(InstallDiskTest, ADiskIsNamedBySerialElseWwidElsePath) {
  Disk one = disk("sda", 64ull << 30, "sata");
  EXPECT_EQ(to_text(one), "/dev/sda, 64.0 GiB, serial S-sda, sata");
  EXPECT_EQ(consent_name(one), "S-sda");
  one.serial.clear();
  one.wwid = "naa.5";
  EXPECT_EQ(consent_name(one), "naa.5");
  one.wwid.clear();
  EXPECT_EQ(consent_name(one), "/dev/sda");
}

}  // namespace
}  // namespace ichor
