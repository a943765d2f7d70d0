#include "talos/grpc_talos_api.h"

#include <gtest/gtest.h>

#include "talos/fake_node.h"
#include "talos/test_loop.h"
#include "talos/test_wires.h"

namespace ichor {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const FakeNode::Key kMachineStatus{"runtime", "MachineStatuses.runtime.talos.dev", "machine"};
const std::string kInMaintenance("\x08\x03\x12\x02\x08\x01", 6);

/// A cluster's CA, a node's certificate under it, and one that the node made for itself.
struct Certificates {
  TestCertificate ca{make_ca("talos")};
  TestCertificate node{make_server_certificate(ca, "127.0.0.1")};
  TestCertificate self_signed{make_ca("maintenance")};
};

MachineConfig some_config() {
  MachineConfig config;
  config.bytes = SecretString("machine: {token: secret}");
  return config;
}

Outcome apply(TestLoop& loop, TalosSession& session) {
  const MachineConfig config = some_config();
  ApplyRequest request;
  request.config = &config;
  return loop.run(session.apply_configuration(loop.within(seconds(20)), request));
}

TEST(GrpcTalosApi, OpensAMaintenanceNodeAndTellsItsFingerprint) {
  LoopClock clock;
  const Certificates certificates;
  const auto node = FakeNode::in_maintenance(clock.io(), certificates.self_signed);
  node->resources[kMachineStatus] = kInMaintenance;
  TestLoop loop(clock, node->port());
  const auto session = loop.open();
  ASSERT_TRUE(session) << to_text(session.error());
  EXPECT_EQ((*session)->peer().mode, PeerMode::maintenance);
  EXPECT_EQ((*session)->peer().fingerprint, certificates.self_signed.fingerprint());
  const auto status = loop.run((*session)->machine_status(loop.within(seconds(20))));
  ASSERT_TRUE(status) << to_text(status.error());
  EXPECT_EQ(status->stage, Stage::maintenance);
}

TEST(GrpcTalosApi, OpensAConfiguredNodeUnderTheClustersCa) {
  LoopClock clock;
  const Certificates certificates;
  const auto node = FakeNode::configured(clock.io(), certificates.node, certificates.ca);
  node->resources[kMachineStatus] = kInMaintenance;
  TestLoop loop(clock, node->port(), make_credentials(certificates.ca));
  const auto session = loop.open();
  ASSERT_TRUE(session) << to_text(session.error());
  EXPECT_EQ((*session)->peer().mode, PeerMode::configured);
  EXPECT_EQ((*session)->peer().fingerprint, certificates.node.fingerprint());
  EXPECT_TRUE(loop.run((*session)->machine_status(loop.within(seconds(20)))));
}

TEST(GrpcTalosApi, CredentialsThatDoNotBelongTogetherAreRefusedAtOnce) {
  LoopClock clock;
  const Certificates certificates;
  const auto make = [&](TalosCredentials credentials) {
    GrpcTalosApi::Options options;
    options.credentials = std::move(credentials);
    options.canonical_digest = [](std::string_view) { return Digest(); };
    options.io = &clock.io();
    return GrpcTalosApi::make(std::move(options)).has_value();
  };
  TalosCredentials mixed = make_credentials(certificates.ca);
  EXPECT_TRUE(make(mixed));
  mixed.client_key_pem = make_credentials(certificates.ca).client_key_pem;
  EXPECT_FALSE(make(mixed));
  mixed.client_key_pem = SecretString("nonsense");
  EXPECT_FALSE(make(mixed));
}

// Who answers.

TEST(GrpcTalosApi, AWrongPinIsAVerdictAndNoRequest) {
  LoopClock clock;
  const Certificates certificates;
  const auto node = FakeNode::in_maintenance(clock.io(), certificates.self_signed);
  TestLoop loop(clock, node->port());
  PeerDemand demand;
  demand.maintenance_pins = {certificates.node.fingerprint()};
  const auto session = loop.open(demand);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().tls, TlsVerdict::wrong_pin);
  EXPECT_EQ(session.error().shown, certificates.self_signed.fingerprint());
  EXPECT_EQ(session.error().progress, Progress::not_sent);
  EXPECT_EQ(node->calls, 0);
}

TEST(GrpcTalosApi, AManInTheMiddleReceivesNoByteAboveTls) {
  LoopClock clock;
  const Certificates certificates;
  TlsRecorder middle({&certificates.node});
  TestLoop loop(clock, middle.port());
  PeerDemand demand;
  demand.maintenance_pins = {certificates.self_signed.fingerprint()};
  const auto session = loop.open(demand);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().tls, TlsVerdict::wrong_pin);
  EXPECT_EQ(session.error().progress, Progress::not_sent);
  middle.stop();
  ASSERT_EQ(middle.connections().size(), 1u);
  EXPECT_EQ(middle.connections()[0].application_bytes, 0u);
}

TEST(GrpcTalosApi, EveryHandshakeIsTls13WithAlpnH2) {
  LoopClock clock;
  const Certificates certificates;
  TlsRecorder recorder({&certificates.self_signed});
  TestLoop loop(clock, recorder.port());
  EXPECT_FALSE(loop.open());  // the recorder hangs up on HTTP/2's first bytes
  recorder.stop();
  ASSERT_EQ(recorder.connections().size(), 1u);
  for (const auto& connection : recorder.connections()) {
    EXPECT_EQ(connection.tls_version, "TLSv1.3");
    EXPECT_EQ(connection.alpn, "h2");
  }
}

TEST(GrpcTalosApi, Tls12IsRefusedInMaintenanceModeAndUnderTheClustersCa) {
  const Certificates certificates;
  for (const bool configured : {false, true}) {
    LoopClock clock;
    TlsRecorder old({configured ? &certificates.node : &certificates.self_signed},
                    configured ? &certificates.ca : nullptr, TlsRecorder::Newest::tls12);
    TestLoop loop(clock, old.port(), make_credentials(certificates.ca));
    const auto session = loop.open();
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error().progress, Progress::not_sent);
    old.stop();
    for (const auto& connection : old.connections()) {
      EXPECT_EQ(connection.tls_version, "");
      EXPECT_EQ(connection.application_bytes, 0u);
    }
  }
}

TEST(GrpcTalosApi, AConnectionThatBreaksUnderTheRightPinIsNoWrongFingerprint) {
  LoopClock clock;
  const Certificates certificates;
  TlsRecorder hangs_up({&certificates.self_signed});
  TestLoop loop(clock, hangs_up.port());
  PeerDemand demand;
  demand.maintenance_pins = {certificates.self_signed.fingerprint()};
  const auto session = loop.open(demand);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().tls, TlsVerdict::fine);
  EXPECT_EQ(session.error().code, Code::unavailable);
  EXPECT_EQ(session.error().text.find("fingerprint"), std::string::npos) << session.error().text;
}

TEST(GrpcTalosApi, AConfiguredNodeWantsAClientCertificate) {
  LoopClock clock;
  const Certificates certificates;
  const auto node = FakeNode::configured(clock.io(), certificates.node, certificates.ca);
  TestLoop loop(clock, node->port());
  const auto session = loop.open();
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().tls, TlsVerdict::wants_client);
}

TEST(GrpcTalosApi, ANodeOfAnotherClusterIsForeign) {
  LoopClock clock;
  const Certificates ours;
  const Certificates theirs;
  const auto node = FakeNode::configured(clock.io(), theirs.node, theirs.ca);
  TestLoop loop(clock, node->port(), make_credentials(ours.ca));
  const auto session = loop.open();
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().tls, TlsVerdict::foreign_ca);
  EXPECT_NE(session.error().text.find("O=talos"), std::string::npos) << session.error().text;
}

TEST(GrpcTalosApi, ANodeThatTrustsAnotherCaRejectsOurClient) {
  LoopClock clock;
  const Certificates certificates;
  const TestCertificate another = make_ca("another");
  const TlsRecorder node({&certificates.node}, &another);
  TestLoop loop(clock, node.port(), make_credentials(certificates.ca));
  const auto session = loop.open();
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().tls, TlsVerdict::client_rejected) << session.error().text;
}

TEST(GrpcTalosApi, AnExpiredServerAndAnExpiredClientAreExpired) {
  LoopClock clock;
  Certificates certificates;
  CertificateOptions expired;
  expired.ip_names = {"127.0.0.1"};
  expired.valid_to_s = -60;
  const auto old_node = FakeNode::configured(
      clock.io(), make_certificate(expired, &certificates.ca), certificates.ca);
  TestLoop to_old_node(clock, old_node->port(), make_credentials(certificates.ca));
  EXPECT_EQ(to_old_node.open().error().tls, TlsVerdict::expired);

  expired.for_client = true;
  const TestCertificate old_client = make_certificate(expired, &certificates.ca);
  const TlsRecorder node({&certificates.node}, &certificates.ca);
  TestLoop loop(clock, node.port(),
                TalosCredentials{certificates.ca.pem(), old_client.pem(),
                                 SecretString(old_client.key_pem())});
  const auto session = loop.open();
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().tls, TlsVerdict::expired) << session.error().text;
}

TEST(GrpcTalosApi, ACertificateForAnotherAddressIsNotYetOurs) {
  LoopClock clock;
  const Certificates certificates;
  const auto node = FakeNode::configured(
      clock.io(), make_server_certificate(certificates.ca, "10.5.0.9"), certificates.ca);
  TestLoop loop(clock, node->port(), make_credentials(certificates.ca));
  const auto session = loop.open();
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().tls, TlsVerdict::fine);
  EXPECT_EQ(session.error().code, Code::unavailable);
}

// The way there.

TEST(GrpcTalosApi, AClosedPortIsUnavailable) {
  LoopClock clock;
  const Certificates certificates;
  int port = 0;
  {
    const SilentPort was_open;
    port = was_open.port();
  }
  TestLoop loop(clock, port);
  const auto session = loop.open();
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, Code::unavailable);
  EXPECT_EQ(session.error().progress, Progress::not_sent);
  EXPECT_NE(session.error().text.find("Connection refused"), std::string::npos);
}

TEST(GrpcTalosApi, ASilentPortRunsOutOfTime) {
  LoopClock clock;
  const SilentPort silent;
  TestLoop loop(clock, silent.port());
  const auto session =
      loop.run(loop.api->open(loop.within(milliseconds(50)), IpAddress("127.0.0.1"), {}));
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, Code::deadline_exceeded);
  EXPECT_EQ(session.error().progress, Progress::not_sent);
}

TEST(GrpcTalosApi, OpeningCanBeCalledOff) {
  LoopClock clock;
  const SilentPort silent;
  TestLoop loop(clock, silent.port());
  loop.clock.call_at(MonoTime::min(), [&] { loop.scope.cancel(); });
  const auto session = loop.open();
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, Code::cancelled);
}

TEST(GrpcTalosApi, TheAdapterCanEndWhileItOpens) {
  LoopClock clock;
  const SilentPort silent;
  TestLoop loop(clock, silent.port());
  auto opening = loop.api->open(loop.within(seconds(20)), IpAddress("127.0.0.1"), {});
  opening.start();
  opening = {};
  loop.api.reset();
}

TEST(GrpcTalosApi, ManySilentNodesAreProbedAtOnce) {
  LoopClock clock;
  const SilentPort silent;
  TestLoop loop(clock, silent.port());
  std::vector<Task<CallResult<std::unique_ptr<TalosSession>>>> openings;
  for (int i = 0; i < 200; ++i) {
    openings.push_back(loop.api->open(loop.within(milliseconds(300)), IpAddress("127.0.0.1"), {}));
    openings.back().start();
  }
  loop.run(loop.api->open(loop.within(milliseconds(600)), IpAddress("127.0.0.1"), {}));
  for (auto& opening : openings) {
    ASSERT_TRUE(opening.done());
    EXPECT_EQ(opening.take().error().code, Code::deadline_exceeded);
  }
}

// One session is one connection.

TEST(GrpcTalosApi, AServerSwappedBetweenIdentityAndApplyReceivesNoConfig) {
  LoopClock clock;
  const Certificates certificates;
  auto node = FakeNode::in_maintenance(clock.io(), certificates.self_signed);
  TestLoop loop(clock, node->port());
  const auto session = loop.open();
  ASSERT_TRUE(session) << to_text(session.error());
  ASSERT_TRUE(loop.run((*session)->identity(loop.within(seconds(20)))));
  const int port = node->port();
  node->stop();
  const auto intruder = FakeNode::in_maintenance(clock.io(), certificates.node, port);

  // The loop may not have noticed yet; then the call is lost on the dead connection and counts as
  // unknown.
  const Outcome at_once = apply(loop, **session);
  EXPECT_NE(at_once.kind, OutcomeKind::done);
  const Outcome outcome = apply(loop, **session);
  EXPECT_EQ(outcome.kind, OutcomeKind::refused);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->progress, Progress::not_sent) << to_text(*outcome.error);
  EXPECT_EQ(node->applies, 0);
  EXPECT_EQ(intruder->calls, 0);
}

TEST(GrpcTalosApi, NotEvenTheSameNodeGetsASecondConnectionOfASession) {
  LoopClock clock;
  const Certificates certificates;
  auto node = FakeNode::in_maintenance(clock.io(), certificates.self_signed);
  TestLoop loop(clock, node->port());
  const auto session = loop.open();
  ASSERT_TRUE(session) << to_text(session.error());
  const int port = node->port();
  node->stop();
  const auto rebooted = FakeNode::in_maintenance(clock.io(), certificates.self_signed, port);
  apply(loop, **session);
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Outcome outcome = apply(loop, **session);
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->progress, Progress::not_sent) << to_text(*outcome.error);
  }
  EXPECT_EQ(rebooted->calls, 0);
  EXPECT_TRUE(loop.open()) << "a new session proves itself again";
}

TEST(GrpcTalosApi, ALostReplyIsUnknown) {
  LoopClock clock;
  const Certificates certificates;
  const auto node = FakeNode::in_maintenance(clock.io(), certificates.self_signed);
  CutWire wire(node->port());
  node->on_apply = [&] { wire.cut(); };
  TestLoop loop(clock, wire.port());
  const auto session = loop.open();
  ASSERT_TRUE(session) << to_text(session.error());

  const Outcome outcome = apply(loop, **session);
  EXPECT_EQ(node->applies, 1);
  EXPECT_EQ(outcome.kind, OutcomeKind::unknown);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->progress, Progress::sent);

  const auto status = loop.run((*session)->machine_status(loop.within(seconds(20))));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().progress, Progress::not_sent) << "the session is dead for good";
}

TEST(GrpcTalosApi, ANodeThatHangsRunsIntoTheDeadlineWithTheCallSent) {
  LoopClock clock;
  const Certificates certificates;
  const auto node = FakeNode::configured(clock.io(), certificates.node, certificates.ca);
  node->hangs = true;
  TestLoop loop(clock, node->port(), make_credentials(certificates.ca));
  const auto session = loop.open();
  ASSERT_TRUE(session) << to_text(session.error());
  const Outcome outcome = loop.run((*session)->bootstrap(loop.within(milliseconds(200)), {}));
  EXPECT_EQ(outcome.kind, OutcomeKind::unknown);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code, Code::deadline_exceeded);
  EXPECT_EQ(node->bootstraps, 1);
}

TEST(GrpcTalosApi, CallLimitsStayRealOnAScaledClock) {
  LoopClock clock(1'000'000);
  const Certificates certificates;
  const auto node = FakeNode::in_maintenance(clock.io(), certificates.self_signed);
  node->resources[kMachineStatus] = kInMaintenance;
  // A minute of this clock is sixty microseconds: a limit that shrank with it could not be kept.
  // The caller itself grants a thousand real seconds, so that no machine is too slow for this test.
  constexpr auto patience = seconds(1'000'000'000);
  TestLoop loop(clock, node->port());
  const auto session = loop.run(loop.api->open(loop.within(patience), IpAddress("127.0.0.1"), {}));
  ASSERT_TRUE(session) << to_text(session.error());
  EXPECT_TRUE(loop.run((*session)->machine_status(loop.within(patience))));
}

TEST(GrpcTalosApi, ACancelledCallIsCalledOffOnTheNodeToo) {
  LoopClock clock;
  const Certificates certificates;
  const auto node = FakeNode::in_maintenance(clock.io(), certificates.self_signed);
  TestLoop loop(clock, node->port());
  const auto session = loop.open();
  ASSERT_TRUE(session) << to_text(session.error());
  node->hangs = true;
  node->on_get = [&] { clock.post([&] { loop.scope.cancel(); }); };
  const auto status = loop.run((*session)->machine_status(loop.within(seconds(20))));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::cancelled);
  EXPECT_EQ(status.error().progress, Progress::sent);
  loop.run_until([&] { return node->ended_calls == 1; });
}

TEST(GrpcTalosApi, ACallWithoutACallerIsCancelled) {
  LoopClock clock;
  const Certificates certificates;
  const auto node = FakeNode::in_maintenance(clock.io(), certificates.self_signed);
  TestLoop loop(clock, node->port());
  const auto session = loop.open();
  ASSERT_TRUE(session) << to_text(session.error());
  Task<CallResult<MachineStatus>> call;
  node->hangs = true;
  node->on_get = [&] { clock.post([&] { call = {}; }); };
  call = (*session)->machine_status(loop.within(seconds(20)));
  call.start();
  loop.run_until([&] { return node->ended_calls == 1; });
}

}  // namespace
}  // namespace ichor
