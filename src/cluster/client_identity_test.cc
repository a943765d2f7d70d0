#include "cluster/client_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "port/test_host.h"
#include "secrets/secrets_bundle.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;

/// Two clusters, and a talosconfig with a context for each of them; the first is the current one.
class ClientIdentityTest : public ::testing::Test {
 protected:
  static const pki::SecretsBundle& secrets_of(int cluster) {
    static const pki::SecretsBundle both[] = {pki::throw_away_secrets(WallTime{}, {1, 12, 0}),
                                              pki::throw_away_secrets(WallTime{}, {1, 12, 0})};
    return both[cluster];
  }

  ClientIdentityTest() {
    const WallTime now = host_.clock().wall();
    auto infra = pki::make_talosconfig("infra", secrets_of(0).os, {}, {}, now).value();
    const auto apps = pki::make_talosconfig("apps", secrets_of(1).os, {}, {}, now).value();
    infra.contexts.push_back(apps.contexts.front());
    host_.inputs["both"] = std::string(pki::write_talosconfig(infra).reveal());
    const WallTime two_days_ago{now.unix_ms - 48 * 3'600'000};
    const auto stale = pki::make_talosconfig("infra", secrets_of(0).os, {}, {}, two_days_ago,
                                             {"os:admin"}, std::chrono::hours(24));
    host_.inputs["stale"] = std::string(pki::write_talosconfig(*stale).reveal());
    options_.cluster = "infra";
    options_.ca = secrets_of(0).os.certificate;
  }

  /// The name of the context, "own certificate", or the exit code and why.
  std::string identity() {
    const auto found = find_identity(options_, host_);
    if (!found) {
      return std::to_string(static_cast<int>(found.error().exit)) + ": " + found.error().verdict;
    }
    return *found ? (*found)->name : "own certificate";
  }

  FakeHost host_;
  IdentityOptions options_;
};

TEST_F(ClientIdentityTest, TheSecretsSayWhoWeAreUnlessAskedOtherwise) {
  EXPECT_EQ(identity(), "own certificate");
  options_.access.talosconfig = "both";
  EXPECT_EQ(identity(), "infra");
}

TEST_F(ClientIdentityTest, TheEnvironmentNeverTakesThePlaceOfTheSecrets) {
  host_.variables["TALOSCONFIG"] = "both";
  options_.may_be_guest = true;
  EXPECT_EQ(identity(), "own certificate");
}

TEST_F(ClientIdentityTest, ContextAloneLooksWhereTalosctlWould) {
  options_.access.context = "infra";
  EXPECT_THAT(identity(), HasSubstr("64: --context: of which file?"));
  host_.variables["HOME"] = "/home/me";
  host_.inputs["/home/me/.talos/config"] = host_.inputs["both"];
  EXPECT_EQ(identity(), "infra");
  host_.variables["TALOSCONFIG"] = "both";
  host_.inputs.erase("/home/me/.talos/config");
  EXPECT_EQ(identity(), "infra");
}

TEST_F(ClientIdentityTest, AnotherClustersCertificateIsRefusedAndTheRightContextNamed) {
  options_.access.talosconfig = "both";
  options_.access.context = "apps";
  EXPECT_EQ(identity(),
            "5: both: the CA of context apps is not the one in the secrets of infra: it belongs to "
            "another cluster. --context infra would do");
}

TEST_F(ClientIdentityTest, WhatCannotBeUsedIsNamed) {
  options_.access.talosconfig = "nowhere";
  EXPECT_THAT(identity(), HasSubstr("64: nowhere"));
  options_.access.talosconfig = "both";
  options_.access.context = "prod";
  EXPECT_EQ(identity(), "64: both: there is no context prod; there are: infra, apps");
  options_.access = {"stale", "", {}};
  EXPECT_THAT(identity(), HasSubstr("expired"));
}

TEST_F(ClientIdentityTest, AGuestTurnsToTheEnvironmentsContextOfTheClustersName) {
  options_.ca.clear();
  host_.variables["TALOSCONFIG"] = "both";
  EXPECT_EQ(identity(), "own certificate");
  options_.may_be_guest = true;
  EXPECT_EQ(identity(), "infra");
  options_.cluster = "apps";
  EXPECT_EQ(identity(), "apps");
  options_.cluster = "third";
  EXPECT_EQ(identity(), "own certificate");
}

}  // namespace
}  // namespace ichor
