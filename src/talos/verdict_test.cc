#include "talos/verdict.h"

#include <gtest/gtest.h>
#include <string>

namespace ichor {
namespace {

HandshakeReport maintenance_node() {
  HandshakeReport report;
  report.fingerprint = Fingerprint("AAAA");
  return report;
}

HandshakeReport configured_node() {
  HandshakeReport report = maintenance_node();
  report.wants_client = true;
  report.client_offered = true;
  report.client_accepted = true;
  return report;
}

TlsVerdict refusal(const HandshakeReport& report, const PeerDemand& demand = {}) {
  const auto peer = judge_handshake(report, demand);
  EXPECT_FALSE(peer.has_value());
  if (peer) return TlsVerdict::fine;
  EXPECT_EQ(peer.error().progress, Progress::not_sent);
  EXPECT_EQ(peer.error().call, Call::open);
  EXPECT_FALSE(peer.error().text.empty());
  return peer.error().tls;
}

TEST(Verdict, WhoAsksForNoCertificateIsInMaintenanceMode) {
  const auto peer = judge_handshake(maintenance_node(), {});
  ASSERT_TRUE(peer.has_value());
  EXPECT_EQ(peer->mode, PeerMode::maintenance);
  EXPECT_EQ(peer->fingerprint, Fingerprint("AAAA"));
}

TEST(Verdict, WhoTakesOurCertificateIsOurs) {
  const auto peer = judge_handshake(configured_node(), {});
  ASSERT_TRUE(peer.has_value());
  EXPECT_EQ(peer->mode, PeerMode::configured);
}

TEST(Verdict, APinBindsInMaintenanceModeOnly) {
  PeerDemand demand;
  demand.maintenance_pins = {Fingerprint("CCCC"), Fingerprint("AAAA")};
  EXPECT_TRUE(judge_handshake(maintenance_node(), demand).has_value());
  demand.maintenance_pins = {Fingerprint("BBBB")};
  EXPECT_EQ(refusal(maintenance_node(), demand), TlsVerdict::wrong_pin);
  EXPECT_TRUE(judge_handshake(configured_node(), demand).has_value());
}

TEST(Verdict, TheServersCertificateIsJudgedBeforeOurs) {
  HandshakeReport report = configured_node();
  report.client_offered = false;
  report.client_accepted = false;
  report.chain = ChainFault::foreign_ca;
  EXPECT_EQ(refusal(report), TlsVerdict::foreign_ca);
  report.chain = ChainFault::expired;
  EXPECT_EQ(refusal(report), TlsVerdict::expired);
  report.chain = ChainFault::wrong_name;
  EXPECT_EQ(refusal(report), TlsVerdict::fine);
}

TEST(Verdict, AClockThatIsWrongIsReportedInSeconds) {
  HandshakeReport report = configured_node();
  report.chain = ChainFault::expired;
  report.seconds_outside = 3600;
  EXPECT_NE(judge_handshake(report, {}).error().text.find("ended 3600 s ago"), std::string::npos);
  report.seconds_outside = -86'400;
  EXPECT_NE(judge_handshake(report, {}).error().text.find("begins in 86400 s"), std::string::npos);
}

TEST(Verdict, WithoutCredentialsAConfiguredNodeWantsOne) {
  HandshakeReport report = configured_node();
  report.client_offered = false;
  report.client_accepted = false;
  EXPECT_EQ(refusal(report), TlsVerdict::wants_client);
}

TEST(Verdict, AlertsSayWhyOurCertificateWasRefused) {
  HandshakeReport report = configured_node();
  report.client_accepted = false;
  for (const int alert : {42, 43, 44, 46, 48, 49, 51}) {
    report.alert = alert;
    EXPECT_EQ(refusal(report), TlsVerdict::client_rejected) << alert;
  }
  report.alert = 45;
  EXPECT_EQ(refusal(report), TlsVerdict::expired);
  report.alert = 80;  // an internal error of the server says nothing about us
  EXPECT_EQ(refusal(report), TlsVerdict::fine);
}

HandshakeReport shaken() {
  HandshakeReport report;
  report.contact = Contact::shaken;
  report.speaks_h2 = true;
  return report;
}

TEST(PeerKinds, MaintenanceModeIsRecognizedByTheNameOnItsCertificate) {
  HandshakeReport report = shaken();
  report.common_name = "maintenance-service.talos.dev";
  EXPECT_EQ(kind_of(report), PeerKind::maintenance);
  report.common_name = "www.example.com";
  EXPECT_EQ(kind_of(report), PeerKind::other);
  report.common_name = "maintenance-service.talos.dev";
  report.speaks_h2 = false;
  EXPECT_EQ(kind_of(report), PeerKind::other);
}

TEST(PeerKinds, WhoAsksForACertificateIsOursByOurCaOnly) {
  HandshakeReport report = shaken();
  report.wants_client = true;
  report.issuer_organization = "talos";
  EXPECT_EQ(kind_of(report), PeerKind::foreign);  // we have no CA to go by
  report.chain_judged = true;
  for (const ChainFault fault : {ChainFault::none, ChainFault::wrong_name, ChainFault::expired}) {
    report.chain = fault;
    EXPECT_EQ(kind_of(report), PeerKind::ours);
  }
  report.chain = ChainFault::foreign_ca;
  EXPECT_EQ(kind_of(report), PeerKind::foreign);
  report.issuer_organization = "Some Company";
  EXPECT_EQ(kind_of(report), PeerKind::other);
}

TEST(PeerKinds, BeforeTheHandshakeThereIsNoMachineOrAnotherOne) {
  HandshakeReport report;
  EXPECT_EQ(kind_of(report), PeerKind::nothing);
  report.contact = Contact::refused;
  EXPECT_EQ(kind_of(report), PeerKind::refused);
  report.contact = Contact::connected;
  EXPECT_EQ(kind_of(report), PeerKind::other);
  report.contact = Contact::not_tls;
  report.why_not = "wrong version number";
  EXPECT_EQ(kind_of(report), PeerKind::other);
  EXPECT_EQ(detail_of(report), "no TLS 1.3: wrong version number");
}

}  // namespace
}  // namespace ichor
