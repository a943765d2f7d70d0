#include "lab/lab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/control.h"
#include "lab/test_kit.h"
#include "spec_cluster.pb.h"

namespace ichor::lab {
namespace {

using grpc::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

grpc::Status call_version(const TestClient& client) {
  machine::VersionResponse response;
  return client.machine->Version(client.context().get(), {}, &response);
}

TEST(LabTest, ANewMachineWaitsInMaintenanceModeWithACertificateOfItsOwn) {
  TestLab world(1, 0);
  world.start();
  const auto seen = std::make_shared<std::string>();
  const TestClient stranger = world.stranger("cp1", seen);
  ASSERT_TRUE(TestLab::reaches(stranger, spec::STAGE_MAINTENANCE, true));

  const auto facts = pki::inspect(*seen);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->common_name, "maintenance-service.talos.dev");
  EXPECT_THAT(facts->ip_addresses,
              ElementsAre("10.5.0.2", world.address("cp1"), "127.0.0.1", "::1"));
  EXPECT_EQ(facts->fingerprint.value(), world.lab->status().nodes.front().fingerprint);

  const grpc::Status version = call_version(stranger);
  EXPECT_EQ(version.error_code(), StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(version.error_message(), "API is not implemented in maintenance mode");
}

TEST(LabTest, ACrashGivesAMachineInMaintenanceModeANewKey) {
  TestLab world(1, 0);
  world.start();
  ASSERT_TRUE(TestLab::reaches(world.stranger("cp1"), spec::STAGE_MAINTENANCE));
  const std::string before = world.lab->status().nodes.front().fingerprint;
  ASSERT_TRUE(world.lab->inject({NodeName("cp1"), "crash", {}}));
  ASSERT_TRUE(TestLab::reaches(world.stranger("cp1"), spec::STAGE_MAINTENANCE));
  const std::string after = world.lab->status().nodes.front().fingerprint;
  EXPECT_NE(before, after);
}

TEST(LabTest, AnAppliedConfigIsInstalledAndTheNodeComesBackUnderTheClustersAuthority) {
  TestLab world(1, 0);
  world.start();
  ASSERT_TRUE(world.apply("cp1").ok());
  const TestClient admin = world.admin("cp1");
  ASSERT_TRUE(TestLab::reaches(admin, spec::STAGE_BOOTING));
  EXPECT_TRUE(call_version(admin).ok());
  const NodeReport report = world.lab->status().nodes.front();
  EXPECT_TRUE(report.installed);
  EXPECT_EQ(report.hostname, "cp1");
  EXPECT_EQ(report.port, "apid");
}

TEST(LabTest, AConfiguredNodeTakesOnlyClientsOfItsCluster) {
  TestLab world(1, 0);
  world.start();
  ASSERT_TRUE(world.apply("cp1").ok());
  ASSERT_TRUE(TestLab::reaches(world.admin("cp1"), spec::STAGE_BOOTING));

  const auto foreign = pki::make_ca("talos", pki::KeyKind::ed25519, TestLab::wall_now());
  TestClient rival = world.client("cp1", foreign);
  grpc::ClientContext once;
  machine::VersionResponse response;
  EXPECT_EQ(rival.machine->Version(&once, {}, &response).error_code(), StatusCode::UNAVAILABLE);

  const TestClient reader = world.client("cp1", test_secrets().os, "os:reader");
  EXPECT_TRUE(call_version(reader).ok());
  machine::BootstrapResponse bootstrapped;
  const grpc::Status denied = reader.machine->Bootstrap(reader.context().get(), {}, &bootstrapped);
  EXPECT_EQ(denied.error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(denied.error_message(), "not authorized");
}

TEST(LabTest, AClusterOfThreeGrowsToThreeVotersAndAllNodesAreReady) {
  TestLab world(3, 1);
  world.start();
  world.bring_up();
  const TestClient admin = world.admin("cp2");
  machine::EtcdMemberListResponse members;
  ASSERT_TRUE(admin.machine->EtcdMemberList(admin.context().get(), {}, &members).ok());
  ASSERT_THAT(members.messages(), SizeIs(1));
  ASSERT_THAT(members.messages(0).members(), SizeIs(3));
  for (const machine::EtcdMember& member : members.messages(0).members()) {
    EXPECT_FALSE(member.is_learner()) << member.hostname();
    EXPECT_THAT(member.peer_urls(0), HasSubstr("https://10.5.0."));
  }
  const grpc::Status again = TestLab::bootstrap(world.admin("cp1"));
  EXPECT_EQ(again.error_code(), StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(again.error_message(), "etcd data directory is not empty");
  EXPECT_THAT(world.lab->status().etcd_clusters, SizeIs(1));
}

TEST(LabTest, OneNodesApidAsksTheOthersForTheClient) {
  TestLab world(1, 1);
  world.start();
  world.bring_up();
  const std::string worker = "10.5.0.3";

  const TestClient through = world.admin("cp1", worker);
  machine::HostnameResponse hostname;
  ASSERT_TRUE(through.machine->Hostname(through.context().get(), {}, &hostname).ok());
  EXPECT_EQ(hostname.messages(0).hostname(), "w1");
  EXPECT_FALSE(hostname.messages(0).has_metadata());

  const TestClient admin = world.admin("cp1");
  const auto many = admin.context();
  many->AddMetadata("nodes", "10.5.0.2");
  many->AddMetadata("nodes", worker);
  many->AddMetadata("nodes", "10.5.0.99");
  ASSERT_TRUE(admin.machine->Hostname(many.get(), {}, &hostname).ok());
  ASSERT_THAT(hostname.messages(), SizeIs(3));
  EXPECT_EQ(hostname.messages(0).metadata().hostname(), "10.5.0.2");
  EXPECT_EQ(hostname.messages(1).metadata().hostname(), worker);
  EXPECT_EQ(hostname.messages(1).hostname(), "w1");
  EXPECT_THAT(hostname.messages(2).metadata().error(),
              HasSubstr("dial tcp 10.5.0.99:50000: connect: no route to host"));
  EXPECT_EQ(hostname.messages(2).metadata().status().code(), StatusCode::UNAVAILABLE);

  const TestClient from_worker = world.admin("w1", "10.5.0.2");
  const grpc::Status forwarded =
      from_worker.machine->Hostname(from_worker.context().get(), {}, &hostname);
  EXPECT_EQ(forwarded.error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(forwarded.error_message(), "no request forwarding");
}

TEST(LabTest, AWatchBeginsWithAnEmptyMessageAndTheContentsAsked) {
  TestLab world(1, 0);
  world.start();
  const TestClient stranger = world.stranger("cp1");
  ASSERT_TRUE(TestLab::reaches(stranger, spec::STAGE_MAINTENANCE));
  cosi::resource::WatchRequest request;
  request.set_namespace_("network");
  request.set_type("LinkStatuses.net.talos.dev");
  request.mutable_options()->set_bootstrap_contents(true);
  request.set_api_version(1);
  const auto context = stranger.context();
  const auto stream = stranger.state->Watch(context.get(), request);
  cosi::resource::WatchResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_THAT(response.event(), SizeIs(0));
  for (const char* id : {"eth0", "lo", ""}) {
    ASSERT_TRUE(stream->Read(&response));
    ASSERT_THAT(response.event(), SizeIs(1));
    EXPECT_EQ(response.event(0).resource().metadata().id(), id);
    EXPECT_TRUE(response.event(0).resource().has_spec());
  }
  EXPECT_EQ(response.event(0).event_type(), cosi::resource::Event::BOOTSTRAPPED);
  EXPECT_THAT(response.event(0).bookmark(), SizeIs(16));
  context->TryCancel();
}

TEST(LabTest, SecretsAreForAdministrators) {
  TestLab world(1, 0);
  world.start();
  const TestClient stranger = world.stranger("cp1");
  cosi::resource::GetRequest request;
  request.set_namespace_("config");
  request.set_type("MachineConfigs.config.talos.dev");
  request.set_id("v1alpha1");
  cosi::resource::GetResponse response;
  const grpc::Status denied = stranger.state->Get(stranger.context().get(), request, &response);
  EXPECT_EQ(denied.error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(denied.error_message(), "not authorized");

  ASSERT_TRUE(world.apply("cp1").ok());
  const TestClient admin = world.admin("cp1");
  ASSERT_TRUE(TestLab::reaches(admin, spec::STAGE_BOOTING));
  ASSERT_TRUE(admin.state->Get(admin.context().get(), request, &response).ok());
  spec::MachineConfig config;
  config.ParseFromString(response.resource().spec().proto_spec());
  EXPECT_EQ(config.yaml_marshalled(), world.config("cp1"));
}

TEST(LabTest, AReplyThatIsLostWasStillCarriedOut) {
  TestLab world(1, 0);
  world.start();
  ASSERT_TRUE(TestLab::reaches(world.stranger("cp1"), spec::STAGE_MAINTENANCE));
  ASSERT_TRUE(world.lab->inject({NodeName("cp1"), "lost-reply", {}}));
  const grpc::Status lost = world.apply("cp1");
  EXPECT_EQ(lost.error_code(), StatusCode::UNAVAILABLE) << lost.error_message();
  EXPECT_TRUE(TestLab::reaches(world.admin("cp1"), spec::STAGE_BOOTING));
}

TEST(LabTest, ARestartedLabGoesOnWithTheSameDisks) {
  TestLab world(1, 1);
  world.start();
  world.bring_up();
  const std::vector<std::string> clusters = world.lab->status().etcd_clusters;
  ASSERT_THAT(clusters, SizeIs(1));
  const std::string address = world.address("cp1");
  world.restart();
  EXPECT_EQ(world.address("cp1"), address);
  ASSERT_TRUE(TestLab::reaches(world.admin("cp1"), spec::STAGE_RUNNING, true));
  ASSERT_TRUE(TestLab::reaches(world.admin("w1"), spec::STAGE_RUNNING, true));
  EXPECT_EQ(world.lab->status().etcd_clusters, clusters);
  EXPECT_EQ(world.lab->status().mutations, 0u);
}

TEST(LabTest, HealthChecksAreWaitedForOneAfterTheOther) {
  TestLab world(1, 1);
  world.start();
  world.bring_up();
  const TestClient admin = world.admin("cp1");
  cluster::HealthCheckRequest request;
  request.mutable_wait_timeout()->set_seconds(1200);
  const auto context = admin.context();
  const auto stream = admin.cluster->HealthCheck(context.get(), request);
  std::vector<std::string> done;
  cluster::HealthCheckProgress progress;
  while (stream->Read(&progress)) {
    if (progress.message().ends_with(": OK")) done.push_back(progress.message());
  }
  const grpc::Status status = stream->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  ASSERT_THAT(done, SizeIs(16));
  EXPECT_EQ(done.front(), "waiting for etcd to be healthy: OK");
  EXPECT_EQ(done.back(), "waiting for all k8s nodes to report schedulable: OK");
}

TEST(LabTest, OnlyOneLabUsesAFolder) {
  TestLab world(1, 0);
  world.start();
  const auto second = Lab::start(world.profile, world.options);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::locked);
}

TEST(LabTest, TheControlChannelTellsAndObeys) {
  TestLab world(1, 0);
  world.start();
  const auto status = status_of(world.options.state_dir);
  ASSERT_TRUE(status) << status.error().message;
  ASSERT_THAT(status->nodes, SizeIs(1));
  EXPECT_EQ(status->nodes.front().loopback.value(), world.address("cp1"));
  EXPECT_FALSE(inject_into(world.options.state_dir, {NodeName("cp9"), "refuse", {}}));
  EXPECT_FALSE(inject_into(world.options.state_dir, {NodeName("cp1"), "meteor", {}}));
  ASSERT_TRUE(inject_into(world.options.state_dir, {NodeName("cp1"), "refuse", {}}));
  EXPECT_THAT(world.lab->status().nodes.front().faults, ElementsAre("refuse"));
}

}  // namespace
}  // namespace ichor::lab
