#include "sim/kube/helm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/virtual_clock.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

class HelmTest : public ::testing::Test {
 protected:
  Helm::JobId install(const std::string& release = "coredns") {
    const WantedRelease& wanted = *stack_.wants(release);
    return helm_.upgrade(1, release, wanted.version, wanted.values,
                         [this](Helm::Ended ended) { ended_ = std::move(ended); });
  }
  bool there(const std::string& release) const {
    return api_.find(ref_of(stack_.find(release)->objects.front())) != nullptr;
  }

  VirtualClock clock_;
  ApiServer api_{clock_};
  KubeStack stack_ = make_stack({});
  Helm helm_{api_, clock_, stack_, SeededRandom(1)};
  std::optional<Helm::Ended> ended_;
};

TEST_F(HelmTest, WritesARevisionThenTheObjectsThenThatItIsDeployed) {
  helm_.slowness = 20;
  install();
  clock_.run_for(seconds(25));
  EXPECT_EQ(helm_.status_of("coredns"), "pending-install");
  clock_.run_for(minutes(5));
  ASSERT_TRUE(ended_);
  EXPECT_EQ(ended_->exit, 0);
  EXPECT_TRUE(there("coredns"));
  EXPECT_TRUE(helm_.deployed(*stack_.wants("coredns")));
}

TEST_F(HelmTest, RefusesWhileAnotherOperationIsInProgress) {
  helm_.begin_by_others("coredns");
  install();
  clock_.run_for(minutes(1));
  ASSERT_TRUE(ended_);
  EXPECT_EQ(ended_->exit, 1);
  EXPECT_THAT(ended_->errors, HasSubstr("another operation (install/upgrade/rollback) is in"));
}

TEST_F(HelmTest, LeavesAPendingRevisionWhereItIsKilledHalfway) {
  helm_.dies = 1.0;
  install();
  clock_.run_for(minutes(1));
  ASSERT_TRUE(ended_);
  EXPECT_EQ(ended_->exit, 137);
  EXPECT_EQ(helm_.status_of("coredns"), "pending-install");
  EXPECT_FALSE(helm_.busy("coredns"));
}

TEST_F(HelmTest, GoesOnWithoutTheRunThatStartedIt) {
  install();
  helm_.lose(1, false);
  clock_.run_for(minutes(1));
  EXPECT_FALSE(ended_);
  EXPECT_EQ(helm_.status_of("coredns"), "deployed");
}

TEST_F(HelmTest, FailsWhereAKindIsNotServed) {
  install("flux-instance");
  clock_.run_for(minutes(1));
  ASSERT_TRUE(ended_);
  EXPECT_THAT(ended_->errors, HasSubstr("no matches for kind \"FluxInstance\""));
  EXPECT_EQ(helm_.status_of("flux-instance"), "failed");
}

TEST_F(HelmTest, SaysThatTheClusterIsUnreachable) {
  helm_.reachable = [] { return false; };
  install();
  clock_.run_for(minutes(1));
  ASSERT_TRUE(ended_);
  EXPECT_THAT(ended_->errors, HasSubstr("Kubernetes cluster unreachable"));
  EXPECT_EQ(helm_.status_of("coredns"), "");
}

TEST_F(HelmTest, KnowsTheVersionThatFluxMakesOfARelease) {
  install();
  clock_.run_for(minutes(1));
  helm_.adopt("coredns");
  EXPECT_EQ(helm_.version_of("coredns"), "1.4.2+0a1b2c3d4e5f");
  EXPECT_TRUE(helm_.deployed(*stack_.wants("coredns")));
}

}  // namespace
}  // namespace ichor::sim
