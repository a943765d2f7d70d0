#include "profile/write_profile.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "profile/read_profile.h"

namespace ichor {
namespace {

TEST(WriteProfile, TheStarterReadsWithoutFindings) {
  const ProfileReading reading = read_profile(write_profile(starter_profile()), "ichor.yaml");
  ASSERT_TRUE(reading.ok()) << reading.findings.front().where << reading.findings.front().what;
  EXPECT_EQ(reading.profile.nodes.size(), 4u);
}

TEST(WriteProfile, WhatWasReadIsWrittenAndReadAgain) {
  std::ifstream file("examples/reference/ichor.yaml");
  std::stringstream text;
  text << file.rdbuf();
  ClusterProfile profile = read_profile(text.str(), "ichor.yaml").profile;
  NodePlan& node = profile.nodes.back();
  node.labels = {{"topology.kubernetes.io/zone", "a"}, {"yes", "no"}, {"empty", ""}};
  node.taints = {{"dedicated", "storage", "NoSchedule"}, {"gpu", "", "NoExecute"}};
  node.disk.clear();
  node.disk_selector.size = ">= 100GB";
  node.patches = {"patches/a, b.yaml"};
  node.maintenance_address = IpAddress("192.168.21.57");
  profile.talos.cni_none = profile.talos.secure_boot = true;
  profile.network.vlan = 22;
  profile.proxmox = ProxmoxPlan{"q35", "ovmf", "virtio-scsi-single", true, false, 22};
  const std::string once = write_profile(profile);
  const ProfileReading again = read_profile(once, "ichor.yaml");
  ASSERT_TRUE(again.ok()) << again.findings.front().where << again.findings.front().what << once;
  EXPECT_EQ(write_profile(again.profile), once);
  EXPECT_EQ(again.profile.nodes.back().labels, node.labels);
  EXPECT_EQ(again.profile.nodes.back().patches, node.patches);
  EXPECT_EQ(again.profile.proxmox->ballooning, false);
}

}  // namespace
}  // namespace ichor
