#include "lab/lab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/control.h"
#include "lab/test_kit.h"
#include "spec_cluster.pb.h"

namespace ichor::lab {
namespace {

using google::protobuf::Empty;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kBootstrap = "/machine.MachineService/Bootstrap";
constexpr const char* kHostname = "/machine.MachineService/Hostname";
constexpr const char* kGet = "/cosi.resource.State/Get";
constexpr const char* kWatch = "/cosi.resource.State/Watch";

TestClient::Status call_version(TestClient& client) {
  machine::VersionResponse response;
  return client.call("/machine.MachineService/Version", Empty(), response);
}

TEST(LabTest, ANewMachineWaitsInMaintenanceModeWithACertificateOfItsOwn) {
  TestLab world(1, 0);
  world.start();
  TestClient stranger = world.stranger("cp1");
  ASSERT_TRUE(TestLab::reaches(stranger, spec::STAGE_MAINTENANCE, true));

  const auto facts = pki::inspect(shown_certificate(world.address("cp1")));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->common_name, "maintenance-service.talos.dev");
  EXPECT_THAT(facts->ip_addresses,
              ElementsAre("10.5.0.2", world.address("cp1"), "127.0.0.1", "::1"));
  EXPECT_EQ(facts->fingerprint.value(), world.lab->status().nodes.front().fingerprint);

  const TestClient::Status version = call_version(stranger);
  EXPECT_EQ(version.code, Code::unimplemented);
  EXPECT_EQ(version.text, "API is not implemented in maintenance mode");
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
  TestClient admin = world.admin("cp1");
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
  const auto refused = rival.try_once();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, Code::unavailable);

  TestClient reader = world.client("cp1", test_secrets().os, "os:reader");
  EXPECT_TRUE(call_version(reader).ok());
  machine::BootstrapResponse bootstrapped;
  const TestClient::Status denied =
      reader.call(kBootstrap, machine::BootstrapRequest(), bootstrapped);
  EXPECT_EQ(denied.code, Code::permission_denied);
  EXPECT_EQ(denied.text, "not authorized");
}

TEST(LabTest, AClusterOfThreeGrowsToThreeVotersAndAllNodesAreReady) {
  TestLab world(3, 1);
  world.start();
  world.bring_up();
  TestClient admin = world.admin("cp2");
  machine::EtcdMemberListResponse members;
  ASSERT_TRUE(
      admin
          .call("/machine.MachineService/EtcdMemberList", machine::EtcdMemberListRequest(), members)
          .ok());
  ASSERT_THAT(members.messages(), SizeIs(1));
  ASSERT_THAT(members.messages(0).members(), SizeIs(3));
  for (const machine::EtcdMember& member : members.messages(0).members()) {
    EXPECT_FALSE(member.is_learner()) << member.hostname();
    EXPECT_THAT(member.peer_urls(0), HasSubstr("https://10.5.0."));
  }
  const TestClient::Status again = TestLab::bootstrap(world.admin("cp1"));
  EXPECT_EQ(again.code, Code::already_exists);
  EXPECT_EQ(again.text, "etcd data directory is not empty");
  EXPECT_THAT(world.lab->status().etcd_clusters, SizeIs(1));
}

TEST(LabTest, OneNodesApidAsksTheOthersForTheClient) {
  TestLab world(1, 1);
  world.start();
  world.bring_up();
  const std::string worker = "10.5.0.3";

  TestClient through = world.admin("cp1", worker);
  machine::HostnameResponse hostname;
  ASSERT_TRUE(through.call(kHostname, Empty(), hostname).ok());
  EXPECT_EQ(hostname.messages(0).hostname(), "w1");
  EXPECT_FALSE(hostname.messages(0).has_metadata());

  TestClient admin = world.admin("cp1");
  const grpc::Metadata many{{"nodes", "10.5.0.2"}, {"nodes", worker}, {"nodes", "10.5.0.99"}};
  ASSERT_TRUE(admin.call(kHostname, Empty(), hostname, many).ok());
  ASSERT_THAT(hostname.messages(), SizeIs(3));
  EXPECT_EQ(hostname.messages(0).metadata().hostname(), "10.5.0.2");
  EXPECT_EQ(hostname.messages(1).metadata().hostname(), worker);
  EXPECT_EQ(hostname.messages(1).hostname(), "w1");
  EXPECT_THAT(hostname.messages(2).metadata().error(),
              HasSubstr("dial tcp 10.5.0.99:50000: connect: no route to host"));
  EXPECT_EQ(hostname.messages(2).metadata().status().code(), static_cast<int>(Code::unavailable));

  TestClient from_worker = world.admin("w1", "10.5.0.2");
  const TestClient::Status forwarded = from_worker.call(kHostname, Empty(), hostname);
  EXPECT_EQ(forwarded.code, Code::permission_denied);
  EXPECT_EQ(forwarded.text, "no request forwarding");
}

TEST(LabTest, AWatchBeginsWithAnEmptyMessageAndTheContentsAsked) {
  TestLab world(1, 0);
  world.start();
  TestClient stranger = world.stranger("cp1");
  ASSERT_TRUE(TestLab::reaches(stranger, spec::STAGE_MAINTENANCE));
  cosi::resource::WatchRequest request;
  request.set_namespace_("network");
  request.set_type("LinkStatuses.net.talos.dev");
  request.mutable_options()->set_bootstrap_contents(true);
  request.set_api_version(1);
  const auto stream = stranger.open(kWatch, request);
  cosi::resource::WatchResponse response;
  ASSERT_TRUE(stream->read(response));
  EXPECT_THAT(response.event(), SizeIs(0));
  for (const char* id : {"eth0", "lo", ""}) {
    ASSERT_TRUE(stream->read(response));
    ASSERT_THAT(response.event(), SizeIs(1));
    EXPECT_EQ(response.event(0).resource().metadata().id(), id);
    EXPECT_TRUE(response.event(0).resource().has_spec());
  }
  EXPECT_EQ(response.event(0).event_type(), cosi::resource::Event::BOOTSTRAPPED);
  EXPECT_THAT(response.event(0).bookmark(), SizeIs(16));
}

TEST(LabTest, SecretsAreForAdministrators) {
  TestLab world(1, 0);
  world.start();
  TestClient stranger = world.stranger("cp1");
  cosi::resource::GetRequest request;
  request.set_namespace_("config");
  request.set_type("MachineConfigs.config.talos.dev");
  request.set_id("v1alpha1");
  cosi::resource::GetResponse response;
  const TestClient::Status denied = stranger.call(kGet, request, response);
  EXPECT_EQ(denied.code, Code::permission_denied);
  EXPECT_EQ(denied.text, "not authorized");

  ASSERT_TRUE(world.apply("cp1").ok());
  TestClient admin = world.admin("cp1");
  ASSERT_TRUE(TestLab::reaches(admin, spec::STAGE_BOOTING));
  ASSERT_TRUE(admin.call(kGet, request, response).ok());
  spec::MachineConfig config;
  config.ParseFromString(response.resource().spec().proto_spec());
  EXPECT_EQ(config.yaml_marshalled(), world.config("cp1"));
}

TEST(LabTest, AReplyThatIsLostWasStillCarriedOut) {
  TestLab world(1, 0);
  world.start();
  ASSERT_TRUE(TestLab::reaches(world.stranger("cp1"), spec::STAGE_MAINTENANCE));
  ASSERT_TRUE(world.lab->inject({NodeName("cp1"), "lost-reply", {}}));
  const TestClient::Status lost = world.apply("cp1");
  EXPECT_EQ(lost.code, Code::unavailable) << lost.text;
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
  TestClient admin = world.admin("cp1");
  cluster::HealthCheckRequest request;
  request.mutable_wait_timeout()->set_seconds(1200);
  const auto stream = admin.open("/cluster.ClusterService/HealthCheck", request);
  std::vector<std::string> done;
  cluster::HealthCheckProgress progress;
  while (stream->read(progress)) {
    if (progress.message().ends_with(": OK")) done.push_back(progress.message());
  }
  const TestClient::Status status = stream->finish();
  EXPECT_TRUE(status.ok()) << status.text;
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
