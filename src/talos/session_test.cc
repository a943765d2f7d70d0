#include "talos/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine_events.pb.h"
#include "spec_block.pb.h"
#include "spec_network.pb.h"
#include "spec_runtime.pb.h"
#include "talos/fake_node.h"
#include "talos/test_session.h"

namespace ichor {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

class SessionTest : public OneSession {
 protected:
  template <class Spec>
  void put(const std::string& name_space, const std::string& type, const std::string& id,
           const Spec& spec) {
    node->resources[{name_space, type, id}] = spec.SerializeAsString();
  }
};

TEST_F(SessionTest, IdentityIsSystemInformationLinksAndBootId) {
  spec::SystemInformation system;
  system.set_uuid("ABCD");
  system.set_serial_number("S-1");
  put("hardware", "SystemInformations.hardware.talos.dev", "systeminformation", system);
  spec::LinkStatus link;
  link.set_type(spec::LINK_ETHER);
  link.set_hardware_addr(std::string("\x52\x54\x00\x00\x00\x01", 6));
  put("network", "LinkStatuses.net.talos.dev", "eth0", link);
  node->files["/proc/sys/kernel/random/boot_id"] = "0c7d0d52-11bd-4e0a-a2c7-5c1d0a8f3c11\n";
  const auto identity = loop.run(session().identity(context()));
  ASSERT_TRUE(identity) << to_text(identity.error());
  EXPECT_EQ(identity->uuid, MachineUuid("abcd"));
  EXPECT_EQ(identity->serial, SerialNumber("S-1"));
  EXPECT_THAT(identity->macs, ElementsAre(MacAddress("52:54:00:00:00:01")));
  EXPECT_EQ(identity->boot_id, BootId("0c7d0d52-11bd-4e0a-a2c7-5c1d0a8f3c11"));
}

TEST_F(SessionTest, AContainerHasNoSystemInformationAndStillAnIdentity) {
  const auto identity = loop.run(session().identity(context()));
  ASSERT_TRUE(identity) << to_text(identity.error());
  EXPECT_EQ(identity->uuid, MachineUuid());
  EXPECT_EQ(identity->boot_id, BootId());
}

TEST_F(SessionTest, TheVersionIsAResourceOrACall) {
  spec::Version version;
  version.set_version("v1.13.9");
  put("runtime", "Versions.runtime.talos.dev", "version", version);
  EXPECT_EQ(loop.run(session().version(context())).value(), (TalosVersion{1, 13, 9}));
  node->resources.clear();
  EXPECT_EQ(loop.run(session().version(context())).value(), (TalosVersion{1, 12, 6}));
  node->tag = "garbage";
  EXPECT_FALSE(loop.run(session().version(context())));
}

TEST_F(SessionTest, DisksKnowTheirVolumesAndTheSystemDisk) {
  spec::Disk disk;
  disk.set_dev_path("/dev/sda");
  disk.set_size(10737418240);
  put("runtime", "Disks.block.talos.dev", "sda", disk);
  put("runtime", "Disks.block.talos.dev", "sdb", disk);
  spec::DiscoveredVolume volume;
  volume.set_parent("sda");
  put("runtime", "DiscoveredVolumes.block.talos.dev", "sda1", volume);
  spec::SystemDisk system;
  system.set_disk_id("sda");
  put("runtime", "SystemDisks.block.talos.dev", "system-disk", system);
  const auto disks = loop.run(session().disks(context()));
  ASSERT_TRUE(disks) << to_text(disks.error());
  ASSERT_EQ(disks->size(), 2u);
  EXPECT_TRUE((*disks)[0].has_volumes);
  EXPECT_TRUE((*disks)[0].system_disk);
  EXPECT_FALSE((*disks)[1].system_disk);
}

TEST_F(SessionTest, AResourceThatCannotBeDecodedIsAnAnsweredError) {
  node->resources[{"runtime", "MachineStatuses.runtime.talos.dev", "machine"}] = "\xff\xff";
  const auto status = loop.run(session().machine_status(context()));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().progress, Progress::answered);
  EXPECT_EQ(status.error().code, Code::internal);
}

TEST_F(SessionTest, ANodeThatBootsSaysHowFarItsInstallationIs) {
  spec::MachineStatus status;
  status.set_stage(spec::STAGE_BOOTING);
  put("runtime", "MachineStatuses.runtime.talos.dev", "machine", status);
  put("runtime", "UnattendedInstallStatuses.runtime.talos.dev", "unattended-install",
      spec::UnattendedInstallStatus());
  EXPECT_TRUE(loop.run(session().machine_status(context()))->install);
}
TEST_F(SessionTest, TheConfigIsComparedByItsMeaning) {
  EXPECT_EQ(loop.run(session().config_digest(context())).value(), std::nullopt);
  spec::MachineConfig config;
  config.set_yaml_marshalled("machine: {}");
  put("config", "MachineConfigs.config.talos.dev", "v1alpha1", config);
  const auto digest = loop.run(session().config_digest(context()));
  ASSERT_TRUE(digest && *digest);
  EXPECT_EQ((*digest)->bytes[0], 11);
}

TEST_F(SessionTest, TimeIsSyncedWhenTheNodeSaysSo) {
  EXPECT_FALSE(loop.run(session().time_synced(context())).value());
  spec::TimeStatus time;
  time.set_synced(true);
  put("runtime", "TimeStatuses.v1alpha1.talos.dev", "node", time);
  EXPECT_TRUE(loop.run(session().time_synced(context())).value());
}

machine::FileInfo file(const std::string& relative_name) {
  machine::FileInfo file;
  file.set_name("/var/lib/etcd" + (relative_name == "." ? "" : "/" + relative_name));
  file.set_relative_name(relative_name);
  file.set_is_dir(true);
  return file;
}

TEST_F(SessionTest, EtcdHasDataIfAnythingLiesInItsDirectory) {
  node->listing = {file(".")};
  EXPECT_FALSE(loop.run(session().etcd_has_data(context())).value());
  node->listing.push_back(file("member"));
  EXPECT_TRUE(loop.run(session().etcd_has_data(context())).value());
}

TEST_F(SessionTest, EtcdHasNoDataWithoutItsDirectory) {
  node->list_status = {Code::unknown, "lstat /var/lib/etcd: no such file or directory"};
  EXPECT_FALSE(loop.run(session().etcd_has_data(context())).value());
}

TEST_F(SessionTest, UnknownIsNotNo) {
  node->list_status = {Code::permission_denied, "not authorized"};
  EXPECT_EQ(loop.run(session().etcd_has_data(context())).error().code, Code::permission_denied);
  node->list_status = {Code::unknown, "lstat /var/lib/etcd: input/output error"};
  EXPECT_FALSE(loop.run(session().etcd_has_data(context())));
  node->list_status = {};
  node->listing = {file(".")};
  node->listing[0].set_error("open /var/lib/etcd: permission denied");
  EXPECT_FALSE(loop.run(session().etcd_has_data(context())));
  node->listing[0].clear_error();
  node->listing[0].mutable_metadata()->set_error("rpc error");
  EXPECT_FALSE(loop.run(session().etcd_has_data(context())));
}

TEST_F(SessionTest, AnErrorInsideAGoodReplyIsTheNodesError) {
  auto& metadata = *node->etcd_members.add_messages()->mutable_metadata();
  metadata.set_error("rpc error: code = Unimplemented desc = member list is only available");
  metadata.mutable_status()->set_code(12);
  const auto members = loop.run(session().etcd_members(context()));
  ASSERT_FALSE(members);
  EXPECT_EQ(members.error().code, Code::unimplemented);
  EXPECT_EQ(members.error().progress, Progress::answered);
}

TEST_F(SessionTest, EtcdMembersAndServicesAreRead) {
  auto& member = *node->etcd_members.add_messages()->add_members();
  member.set_id(7);
  member.set_hostname("cp-1");
  const auto members = loop.run(session().etcd_members(context()));
  ASSERT_TRUE(members) << to_text(members.error());
  EXPECT_THAT(*members, ElementsAre(EtcdMember{EtcdMemberId(7), "cp-1", false}));

  auto& service = *node->services.add_messages()->add_services();
  service.set_id("etcd");
  service.set_state("Running");
  service.mutable_health()->set_healthy(true);
  const auto services = loop.run(session().services(context()));
  ASSERT_TRUE(services) << to_text(services.error());
  ASSERT_EQ(services->size(), 1u);
  EXPECT_TRUE(services->front().healthy);
}

TEST_F(SessionTest, CallsThatTheNodeDoesNotServeSaySo) {
  const auto status = loop.run(session().etcd_status(context()));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::unimplemented);
  EXPECT_EQ(status.error().progress, Progress::answered);
}

TEST_F(SessionTest, AKubeconfigThatIsNoArchiveIsRefused) {
  common::Data data;
  data.set_bytes("apiVersion: v1");
  node->kubeconfig = {data};
  const auto kubeconfig = loop.run(session().kubeconfig(context()));
  ASSERT_FALSE(kubeconfig);
  EXPECT_EQ(kubeconfig.error().text, "kubeconfig archive: not a whole gzip stream");
}

TEST_F(SessionTest, AStreamThatDoesNotEndIsCutOff) {
  common::Data data;
  data.set_bytes(std::string(900'000, 'x'));
  node->kubeconfig.assign(12, data);
  const auto kubeconfig = loop.run(session().kubeconfig(context()));
  ASSERT_FALSE(kubeconfig);
  EXPECT_EQ(kubeconfig.error().text, "more than a reply may hold");
}

TEST_F(SessionTest, ARefusalKeepsItsCodeAndItsText) {
  node->bootstrap_status = {Code::failed_precondition, "time is not in sync yet"};
  const Outcome outcome = loop.run(session().bootstrap(context(), {}));
  EXPECT_EQ(outcome.kind, OutcomeKind::refused);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->progress, Progress::answered);
  EXPECT_EQ(to_text(*outcome.error), "Bootstrap: FailedPrecondition: time is not in sync yet");
  node->bootstrap_status = {};
  EXPECT_EQ(loop.run(session().bootstrap(context(), {})).kind, OutcomeKind::done);
}

TEST_F(SessionTest, AnAppliedConfigArrivesAsItIsAndWarningsComeBack) {
  node->apply_reply.add_messages()->add_warnings("machine.network is deprecated\x1b[0m");
  MachineConfig config;
  config.bytes = SecretString("machine: {}");
  ApplyRequest request;
  request.config = &config;
  const Outcome outcome = loop.run(session().apply_configuration(context(), request));
  EXPECT_EQ(outcome.kind, OutcomeKind::done);
  EXPECT_THAT(outcome.warnings, ElementsAre("machine.network is deprecated"));
  EXPECT_EQ(node->applied, "machine: {}");
}

// Watching.

TEST_F(SessionTest, AChangeRingsTheBell) {
  Bell bell;
  const auto watch = loop.run(session().watch(context(), bell));
  ASSERT_TRUE(watch) << to_text(watch.error());
  EXPECT_EQ(node->open_watches, 5);
  for (int i = 0; i < 3; ++i) {
    const auto seen = bell.rings();
    node->change();
    EXPECT_EQ(loop.run(bell.rung_since(context(), seen)), Wake::signalled);
  }
  EXPECT_TRUE((*watch)->alive());
}

TEST_F(SessionTest, TheEndOfTheConnectionRingsTheBellAndEndsTheWatch) {
  Bell bell;
  const auto watch = loop.run(session().watch(context(), bell));
  ASSERT_TRUE(watch) << to_text(watch.error());
  node->stop();
  while ((*watch)->alive()) {
    ASSERT_EQ(loop.run(bell.rung_since(context(), bell.rings())), Wake::signalled);
  }
}

TEST_F(SessionTest, ADestroyedWatchIsClosedOnTheNode) {
  Bell bell;
  auto watch = loop.run(session().watch(context(), bell));
  ASSERT_TRUE(watch) << to_text(watch.error());
  watch->reset();
  loop.run_until([&] { return node->open_watches == 0; });
}

TEST_F(SessionTest, TheLastSessionMayGoAtAnyMoment) {
  for (int i = 0; i < 40; ++i) {
    Bell bell;
    auto watch = loop.run(session().watch(context(), bell));
    ASSERT_TRUE(watch) << to_text(watch.error());
    watch->reset();
    session_.reset();
  }
  EXPECT_TRUE(loop.run(session().version(context())));
}

TEST_F(SessionTest, KindsThatANodeDoesNotServeAreLeftOut) {
  node->kinds_not_served = {"NodeStatuses.kubernetes.talos.dev", "EtcdMembers.etcd.talos.dev"};
  Bell bell;
  const auto watch = loop.run(session().watch(context(), bell));
  ASSERT_TRUE(watch) << to_text(watch.error());
  EXPECT_TRUE((*watch)->alive());
  EXPECT_EQ(node->open_watches, 3);
}

TEST_F(SessionTest, WithoutTheMachineStatusThereIsNoWatch) {
  node->kinds_not_served = {"MachineStatuses.runtime.talos.dev"};
  Bell bell;
  const auto watch = loop.run(session().watch(context(), bell));
  ASSERT_FALSE(watch);
  EXPECT_EQ(watch.error().code, Code::permission_denied);
  loop.run_until([&] { return node->open_watches == 0; });
  EXPECT_EQ(bell.rings(), 0u) << "the result tells it; a ring would lead to the next try at once";
}

TEST(MaintenanceSession, StreamsAreClosedBeforeAConfigIsApplied) {
  const TestCertificate certificate = make_ca("maintenance");
  LoopClock clock;
  const auto node = FakeNode::in_maintenance(clock.io(), certificate);
  // Talos switches to apid when the last stream has gone.
  node->on_apply = [&] { EXPECT_EQ(node->open_watches, 0); };
  TestLoop loop(clock, node->port());
  const auto session = loop.open();
  ASSERT_TRUE(session) << to_text(session.error());
  Bell bell;
  const auto watch = loop.run((*session)->watch(loop.within(seconds(20)), bell));
  ASSERT_TRUE(watch) << to_text(watch.error());
  MachineConfig config;
  config.bytes = SecretString("machine: {}");
  ApplyRequest request;
  request.config = &config;
  const Outcome outcome =
      loop.run((*session)->apply_configuration(loop.within(seconds(20)), request));
  EXPECT_EQ(outcome.kind, OutcomeKind::done);
  EXPECT_EQ(node->applies, 1);
  EXPECT_FALSE((*watch)->alive());
}

TEST(MaintenanceSession, NoNodeIsAskedForAConfigThatCannotBeThere) {
  const TestCertificate certificate = make_ca("maintenance");
  LoopClock clock;
  const auto node = FakeNode::in_maintenance(clock.io(), certificate);
  TestLoop loop(clock, node->port());
  const auto session = loop.open();
  ASSERT_TRUE(session) << to_text(session.error());
  EXPECT_EQ(loop.run((*session)->config_digest(loop.within(seconds(20)))).value(), std::nullopt);
  EXPECT_EQ(node->calls, 0);
}

TEST_F(SessionTest, HardwareIsMemorySecurityVolumesAndExtensions) {
  node->memory_kib = 4u << 20;
  spec::SecurityState security;
  security.set_secure_boot(true);
  put("runtime", "SecurityStates.talos.dev", "securitystate", security);
  spec::VolumeStatus volume;
  volume.set_size(60ull << 30);
  put("runtime", "VolumeStatuses.block.talos.dev", "EPHEMERAL", volume);
  spec::Extension extension;
  extension.mutable_metadata()->set_name("qemu-guest-agent");
  put("runtime", "ExtensionStatuses.runtime.talos.dev", "0", extension);
  const auto hardware = loop.run(session().hardware(context()));
  ASSERT_TRUE(hardware) << to_text(hardware.error());
  EXPECT_EQ(hardware->memory_bytes, 4ull << 30);
  EXPECT_EQ(hardware->secure_boot, true);
  EXPECT_EQ(hardware->ephemeral_bytes, 60ull << 30);
  EXPECT_THAT(hardware->extensions, ElementsAre("qemu-guest-agent"));
}

TEST_F(SessionTest, WithoutTheCallTheMemoryIsThatOfItsModules) {
  spec::MemoryModule module;
  module.set_size_mib(1024);
  put("hardware", "MemoryModules.hardware.talos.dev", "DIMM-0", module);
  put("hardware", "MemoryModules.hardware.talos.dev", "DIMM-1", module);
  EXPECT_EQ(loop.run(session().hardware(context()))->memory_bytes, 2ull << 30);
}

TEST_F(SessionTest, WhatANodeDoesNotTellStaysUnknown) {
  const auto hardware = loop.run(session().hardware(context()));
  ASSERT_TRUE(hardware) << to_text(hardware.error());
  EXPECT_FALSE(hardware->memory_bytes);
  EXPECT_FALSE(hardware->secure_boot);
  EXPECT_FALSE(hardware->ephemeral_bytes);
  EXPECT_FALSE(hardware->container);
}

TEST_F(SessionTest, TheKernelLogEndsWithItsLastLines) {
  node->kernel_log = {"one", "two", "three \x1b[31m"};
  EXPECT_THAT(loop.run(session().dmesg(context(), 2)).value(), ElementsAre("two", "three "));
}

TEST_F(SessionTest, EventsAreReadThoughTheirStreamNeverEnds) {
  for (const char* const service : {"apid", "etcd", "kubelet"}) {
    machine::ServiceStateEvent state;
    state.set_service(service);
    state.set_action(machine::ServiceStateEvent::WAITING);
    state.set_message("for the rest");
    machine::Event& event = node->events.emplace_back();
    event.mutable_data()->set_type_url("talos/runtime/machine.ServiceStateEvent");
    event.mutable_data()->set_value(state.SerializeAsString());
  }
  EXPECT_THAT(
      loop.run(session().events(context(), 2)).value(),
      ElementsAre("service etcd WAITING: for the rest", "service kubelet WAITING: for the rest"));
  // Fewer than were asked for: then the time decides.
  EXPECT_EQ(loop.run(session().events(context(), 20))->size(), 3u);
}

TEST_F(SessionTest, AResetSaysWhatItTakesAway) {
  ResetRequest request;
  request.graceful = false;
  request.partitions = {"STATE", "EPHEMERAL"};
  request.user_disks = {"/dev/sdb"};
  EXPECT_EQ(loop.run(session().reset(context(), request)).kind, OutcomeKind::done);
  EXPECT_FALSE(node->reset.graceful());
  EXPECT_TRUE(node->reset.reboot());
  ASSERT_EQ(node->reset.system_partitions_to_wipe_size(), 2);
  EXPECT_EQ(node->reset.system_partitions_to_wipe(1).label(), "EPHEMERAL");
  EXPECT_TRUE(node->reset.system_partitions_to_wipe(1).wipe());
  EXPECT_EQ(node->reset.user_disks_to_wipe(0), "/dev/sdb");
  node->reset_status = {Code::permission_denied, "not authorized"};
  EXPECT_EQ(loop.run(session().reset(context(), request)).kind, OutcomeKind::refused);
}

TEST_F(SessionTest, AConfigThatMustNotRebootTheNodeSaysSo) {
  MachineConfig config;
  config.bytes = SecretString("machine: {}");
  ApplyRequest request;
  request.config = &config;
  EXPECT_EQ(loop.run(session().apply_configuration(context(), request)).kind, OutcomeKind::done);
  EXPECT_EQ(node->apply_mode, machine::ApplyConfigurationRequest::AUTO);
  request.no_reboot = true;
  EXPECT_EQ(loop.run(session().apply_configuration(context(), request)).kind, OutcomeKind::done);
  EXPECT_EQ(node->apply_mode, machine::ApplyConfigurationRequest::NO_REBOOT);
}

TEST_F(SessionTest, AnUnavailableOfTheNodeItselfIsAnAnswerAndOneOfApidIsNot) {
  // apid may have lost machined after it passed the call on.
  node->bootstrap_status = {Code::unavailable, "error reading from server: EOF"};
  EXPECT_EQ(loop.run(session().bootstrap(context(), {})).kind, OutcomeKind::unknown);
  node->list_status = {Code::unavailable, "error reading from server: EOF"};
  EXPECT_EQ(loop.run(session().etcd_has_data(context())).error().progress, Progress::answered);

  const auto stranger = FakeNode::in_maintenance(clock.io(), make_ca("maintenance"));
  stranger->apply_status = {Code::unavailable, "not now"};
  TestLoop direct(clock, stranger->port());
  const auto opened = direct.open();
  ASSERT_TRUE(opened) << to_text(opened.error());
  MachineConfig config;
  config.bytes = SecretString("machine: {}");
  ApplyRequest request;
  request.config = &config;
  const Outcome outcome =
      direct.run((*opened)->apply_configuration(direct.within(seconds(20)), request));
  EXPECT_EQ(outcome.kind, OutcomeKind::refused);
  EXPECT_EQ(outcome.error->progress, Progress::answered);
}

TEST_F(SessionTest, AConfigThatIsHeldBackIsNotTaken) {
  MachineConfig config;
  config.bytes = SecretString("machine: {}");
  node->apply_reply.add_messages()->set_mode(machine::ApplyConfigurationRequest::STAGED);
  ApplyRequest request;
  request.config = &config;
  const Outcome outcome = loop.run(session().apply_configuration(context(), request));
  EXPECT_EQ(outcome.kind, OutcomeKind::refused);
  EXPECT_EQ(outcome.error->code, Code::aborted);
}

TEST_F(SessionTest, AReplyHasALimitThatIsNotThatOfTheConnection) {
  spec::MachineStatus status;
  status.mutable_status()->add_unmet_conditions()->set_reason(std::string(2u << 20, 'x'));
  put("runtime", "MachineStatuses.runtime.talos.dev", "machine", status);
  const auto got = loop.run(session().machine_status(context()));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Code::resource_exhausted);
  spec::MachineConfig config;
  while (config.yaml_marshalled().size() < 3u << 20) {
    *config.mutable_yaml_marshalled() += "# a comment of a machine config\n";
  }
  put("config", "MachineConfigs.config.talos.dev", "v1alpha1", config);
  EXPECT_TRUE(loop.run(session().config_digest(context()))) << "a config may be larger";
}

TEST_F(SessionTest, AListThatTakesMuchMemoryIsRefused) {
  spec::LinkStatus crowded;
  for (int i = 0; i < 100'000; ++i) crowded.add_alt_names();
  for (int i = 0; i < 8; ++i)
    put("network", "LinkStatuses.net.talos.dev", std::to_string(i), crowded);
  const auto identity = loop.run(session().identity(context()));
  ASSERT_FALSE(identity);
  EXPECT_THAT(identity.error().text, testing::HasSubstr("more than a reply may hold"));
}

TEST_F(SessionTest, RepeatedFieldsHaveACap) {
  spec::MachineStatus status;
  for (int i = 0; i < 1'000; ++i) {
    status.mutable_status()->add_unmet_conditions()->set_name("c" + std::to_string(i));
  }
  put("runtime", "MachineStatuses.runtime.talos.dev", "machine", status);
  const auto got = loop.run(session().machine_status(context()));
  ASSERT_TRUE(got) << to_text(got.error());
  ASSERT_EQ(got->unmet.size(), 51u);
  EXPECT_EQ(got->unmet.back().reason, "950 conditions");
  auto* item = node->services.add_messages();
  for (int i = 0; i < 2'000; ++i) item->add_services()->set_id("s");
  EXPECT_FALSE(loop.run(session().services(context())));
}

}  // namespace
}  // namespace ichor
