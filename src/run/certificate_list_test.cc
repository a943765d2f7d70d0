#include "run/certificate_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "port/test_local_ports.h"

namespace ichor {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;
constexpr WallTime kNow{1'795'111'200'000};

WallTime in_days(std::int64_t days) { return {kNow.unix_ms + days * kDayMs}; }

CertificateRow row(CertificateRow::Kind kind, std::int64_t days) {
  return {kind, "one", "somewhere", "O=talos", in_days(days)};
}

TEST(CertificateList, TheAuthoritiesAreThoseOfTheSecrets) {
  Workspace space;
  space.secrets = pki::throw_away_secrets(kNow, {1, 12, 0});
  FakeFiles files;
  LiveNode node;
  node.view.node = NodeName("cp1");
  node.view.presence = Presence::configured;
  node.certificate_expires = in_days(1);
  const auto rows = list_certificates("lab", space, {node, LiveNode{}}, "", files);
  ASSERT_EQ(rows.size(), 5u) << "a node that was not seen has none";
  EXPECT_EQ(rows[0].name, "Talos CA");
  EXPECT_EQ(rows[3].name, "etcd CA");
  EXPECT_EQ(rows[4].name, "API of cp1");
  EXPECT_THAT(certificate_findings(rows, kNow), IsEmpty());
  const Listing listing = certificate_listing(rows, kNow);
  EXPECT_EQ(listing.rows[4].at("days"), 1);
  EXPECT_EQ(listing.rows[4].at("expires"), "2026-11-20T18:00:00Z");
}

TEST(CertificateList, EachKindHasItsOwnTimeToBeWarnedOf) {
  using Kind = CertificateRow::Kind;
  EXPECT_THAT(certificate_findings(
                  {row(Kind::client, 30), row(Kind::authority, 365), row(Kind::node, 0)}, kNow),
              IsEmpty());
  const auto soon = certificate_findings({row(Kind::client, 29), row(Kind::authority, 364)}, kNow);
  ASSERT_EQ(soon.size(), 2u);
  EXPECT_EQ(soon[0].severity, Severity::warning);
  EXPECT_THAT(soon[0].fix, HasSubstr("ichor certs renew"));
}

TEST(CertificateList, WhatExpiredIsAnError) {
  auto expired = row(CertificateRow::Kind::node, 0);
  expired.expires.unix_ms -= 1;
  const auto found = certificate_findings({expired}, kNow);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::error);
  EXPECT_THAT(found[0].what, HasSubstr("expired 1 days ago"));
}

}  // namespace
}  // namespace ichor
