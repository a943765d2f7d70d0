#include "phase/preflight_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/preflight.h"

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A machine in maintenance mode that can be brought up. Each test changes one thing.
class PreflightChecksTest : public testing::Test {
 protected:
  PreflightChecksTest() {
    plan_.name = NodeName("cp1");
    plan_.role = Role::control_plane;
    plan_.disk = "/dev/sda";
    plan_.address = plan_.maintenance_address = IpAddress("192.0.2.1");
    profile_.nodes.push_back(plan_);
    view_.node = plan_.name;
    view_.presence = Presence::maintenance;
    view_.address = plan_.address;
    view_.identity = Identity{MachineUuid("u1"), {}, {MacAddress("m1")}, {}};
    view_.status = MachineStatus{Stage::maintenance, true, {}};
    view_.version = TalosVersion{1, 12, 6};
    Disk disk;
    disk.id = "sda";
    disk.dev_path = "/dev/sda";
    disk.size_bytes = 64ull << 30;
    disk.serial = "S1";
    disk.transport = "sata";
    view_.disks = std::vector<Disk>{disk};
    view_.hardware = Hardware{};
    view_.hardware->memory_bytes = 4ull << 30;
    view_.hardware->secure_boot = false;
    view_.time_synced = true;
  }
  Wanted wanted() const { return {profile_, configs_, facts_, MonoTime{}}; }
  Check find(const std::string& name) const {
    for (Check& check : preflight_checks(wanted(), plan_, view_)) {
      if (check.name == name) return check;
    }
    return {name + " is missing", Verdict::skipped, {}, {}};
  }
  std::vector<std::string> stops() const {
    const Decision decision = Preflight().decide(wanted(), plan_, view_);
    std::vector<std::string> ids;
    const Stop* stop = std::get_if<Stop>(&decision);
    if (!stop) return ids;
    ids.push_back(stop->finding.id);
    for (const Finding& other : stop->more) ids.push_back(other.id);
    return ids;
  }
  void remember(RecordKind kind, std::string_view key, Call call = Call::open) {
    JournalRecord record;
    record.kind = kind;
    record.node = plan_.name;
    record.key = key;
    record.call = call;
    facts_.fold(record, MonoTime{});
  }

  ClusterProfile profile_;
  ConfigSet configs_;
  JournalFacts facts_;
  NodePlan plan_;
  NodeView view_;
};

TEST_F(PreflightChecksTest, AGoodMachinePassesEveryCheck) {
  for (const Check& check : preflight_checks(wanted(), plan_, view_)) {
    EXPECT_EQ(check.verdict, Verdict::passed) << check.name << ": " << check.detail;
  }
  EXPECT_THAT(stops(), IsEmpty());
}

TEST_F(PreflightChecksTest, EverythingThatIsWrongIsReportedAtOnce) {
  view_.disks->front().has_volumes = true;
  view_.hardware->memory_bytes = 1697ull << 20;
  view_.version = TalosVersion{1, 11, 0};
  EXPECT_THAT(stops(), ElementsAre("D3", "D5", "D10"));
}

TEST_F(PreflightChecksTest, AnImageThatCannotReadTheConfigIsFound) {
  MachineConfig config;
  config.bytes = SecretString(
      "machine: {type: worker}\n---\napiVersion: v1alpha1\nkind: SysctlConfig\nparams: {a: b}\n");
  configs_.nodes[plan_.name] = std::move(config);
  profile_.talos.contract = {1, 12, 0};
  view_.version = TalosVersion{1, 13, 9};
  EXPECT_THAT(stops(), ElementsAre("D10"));
  EXPECT_THAT(find("version").detail, HasSubstr("the document SysctlConfig exists since v1.14"));
  view_.version = TalosVersion{1, 14, 1};
  EXPECT_THAT(stops(), IsEmpty());
}

TEST_F(PreflightChecksTest, DataIsOverwrittenOnlyIfNodeAndSerialAreNamed) {
  view_.disks->front().has_volumes = true;
  EXPECT_EQ(find("data on disk").finding.id, "D3");
  EXPECT_THAT(find("data on disk").finding.fix, HasSubstr("--consent-wipe cp1=S1"));
  profile_.wipe_consents[NodeName("cp1")] = "S2";
  EXPECT_THAT(stops(), ElementsAre("D3"));
  profile_.wipe_consents[NodeName("cp1")] = "S1";
  EXPECT_THAT(stops(), IsEmpty());
}

TEST_F(PreflightChecksTest, WhatOurOwnInstallLeftIsNoData) {
  view_.disks->front().has_volumes = true;
  remember(RecordKind::intent, "", Call::apply_configuration);
  EXPECT_THAT(stops(), IsEmpty());
}

TEST_F(PreflightChecksTest, NoDiskAndTwoDisksStopWithTheCandidates) {
  plan_.disk = "/dev/vda";
  // As a real machine has them: Talos' own squashfs, and the CD that it booted from.
  Disk image;
  image.id = "loop0";
  image.dev_path = "/dev/loop0";
  image.read_only = true;
  Disk cd;
  cd.id = "sr0";
  cd.dev_path = "/dev/sr0";
  cd.transport = "virtio";
  cd.cdrom = true;
  view_.disks->insert(view_.disks->end(), {image, cd});
  EXPECT_THAT(stops(), ElementsAre("D3"));
  EXPECT_THAT(find("install disk").detail,
              HasSubstr("no disk of cp1 matches the profile: /dev/vda"));
  EXPECT_EQ(find("install disk").finding.fix,
            "name one of these by serial or path: /dev/sda, 64.0 GiB, serial S1, sata");
  plan_.disk.clear();
  plan_.disk_selector.size = ">= 1GB";
  Disk second = view_.disks->front();
  second.id = "sdb";
  second.dev_path = "/dev/sdb";
  view_.disks->push_back(second);
  EXPECT_THAT(find("install disk").detail, HasSubstr("2 disks of cp1 match"));
  EXPECT_THAT(find("install disk").finding.fix, HasSubstr("/dev/sdb"));
}

TEST_F(PreflightChecksTest, ADiskIsTooSmallBelowTalosMinimum) {
  view_.disks->front().size_bytes = kDiskMinimum - 1;
  EXPECT_THAT(stops(), ElementsAre("D5"));
  view_.disks->front().size_bytes = kDiskMinimum;
  EXPECT_THAT(stops(), IsEmpty());
}

TEST_F(PreflightChecksTest, AWorkerNeedsLessMemory) {
  view_.hardware->memory_bytes = 1000ull << 20;
  EXPECT_THAT(stops(), ElementsAre("D5"));
  plan_.role = Role::worker;
  EXPECT_THAT(stops(), IsEmpty());
  view_.hardware->memory_bytes = 873ull << 20;
  EXPECT_THAT(stops(), ElementsAre("D5"));
}

TEST_F(PreflightChecksTest, WhatWasNotSeenNeverPasses) {
  view_.disks.reset();
  view_.hardware.reset();
  view_.time_synced.reset();
  view_.version.reset();
  for (const char* name : {"install disk", "memory", "time", "version", "secure boot"}) {
    EXPECT_EQ(find(name).verdict, Verdict::skipped) << name;
  }
}

TEST_F(PreflightChecksTest, AContainerHasNoDisksToJudge) {
  view_.hardware->container = true;
  view_.disks->clear();
  EXPECT_EQ(find("install disk").verdict, Verdict::not_applicable);
  EXPECT_EQ(find("memory").verdict, Verdict::not_applicable);
  EXPECT_EQ(find("secure boot").verdict, Verdict::not_applicable);
  EXPECT_THAT(stops(), IsEmpty());
}

TEST_F(PreflightChecksTest, AClockOutOfSyncAndAnotherVersionAreWarnings) {
  view_.time_synced = false;
  view_.version = TalosVersion{1, 13, 0};
  const Decision decision = Preflight().decide(wanted(), plan_, view_);
  const Satisfied* fine = std::get_if<Satisfied>(&decision);
  ASSERT_NE(fine, nullptr);
  ASSERT_EQ(fine->notes.size(), 2u);
  EXPECT_EQ(fine->notes[0].id, "D10");
  EXPECT_EQ(fine->notes[1].id, "T7");
  EXPECT_EQ(fine->notes[1].severity, Severity::warning);
}

TEST_F(PreflightChecksTest, SecureBootAndInstallerMustAgree) {
  view_.hardware->secure_boot = true;
  EXPECT_THAT(stops(), ElementsAre("D10"));
  profile_.talos.secure_boot = true;
  EXPECT_THAT(stops(), IsEmpty());
  view_.hardware->secure_boot = false;
  EXPECT_THAT(stops(), ElementsAre("D10"));
}

TEST_F(PreflightChecksTest, AnInstalledNodeDoesNotFallBack) {
  remember(RecordKind::observed, kSettledKey);
  EXPECT_THAT(stops(), ElementsAre("T2"));
  remember(RecordKind::observed, kResetKey);
  EXPECT_THAT(stops(), IsEmpty());
}

TEST_F(PreflightChecksTest, TalosOnAnotherDiskThanThePlannedOneIsFound) {
  view_.presence = Presence::configured;
  view_.status = MachineStatus{Stage::running, true, {}};
  view_.disks->front().system_disk = true;
  EXPECT_THAT(stops(), IsEmpty());
  plan_.disk = "/dev/nvme0n1";
  EXPECT_THAT(stops(), ElementsAre("D4"));
}

TEST_F(PreflightChecksTest, ADiskImageElsewhereIsFoundBeforeTheConfigGoesOut) {
  Disk stick;
  stick.id = "sdb";
  stick.dev_path = "/dev/sdb";
  stick.system_disk = true;
  view_.disks->push_back(stick);
  EXPECT_THAT(stops(), ElementsAre("D4"));
}

TEST_F(PreflightChecksTest, OneMachineForTwoNodesIsFound) {
  JournalRecord record;
  record.kind = RecordKind::identity_bound;
  record.node = NodeName("cp2");
  record.value = encode_identity(*view_.identity, {});
  facts_.fold(record, MonoTime{});
  EXPECT_THAT(stops(), ElementsAre("D8"));
}

TEST_F(PreflightChecksTest, ASilentNodeIsWaitedForAndItsCheckFails) {
  view_ = {};
  view_.node = plan_.name;
  view_.trouble = CallError{Call::open, Progress::not_sent, TlsVerdict::fine,
                            Code::deadline_exceeded, "connect: i/o timeout"};
  EXPECT_TRUE(std::holds_alternative<Wait>(Preflight().decide(wanted(), plan_, view_)));
  EXPECT_EQ(find("reachable").verdict, Verdict::failed);
  EXPECT_EQ(find("reachable").finding.id, "N2");
}

TEST_F(PreflightChecksTest, AnUnfinishedLookIsNoLook) {
  view_.disks.reset();
  view_.trouble = CallError{Call::disks, Progress::sent, TlsVerdict::fine, Code::unavailable, ""};
  EXPECT_TRUE(std::holds_alternative<Wait>(Preflight().decide(wanted(), plan_, view_)));
}

}  // namespace
}  // namespace ichor
