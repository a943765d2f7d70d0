#include "phase/unattended_install.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

using Phase = UnattendedInstall::Phase;

std::optional<Wait> wait_in(Phase phase, std::string error = "") {
  NodePlan plan;
  plan.name = NodeName("w1");
  plan.address = IpAddress("10.5.0.2");
  NodeView view;
  view.status = MachineStatus{Stage::booting, false, {}};
  view.status->install = UnattendedInstall{phase, std::move(error)};
  return wait_for_install(plan, view);
}

TEST(UnattendedInstall, IsNoReasonToWaitWhereThereIsNone) {
  EXPECT_FALSE(wait_for_install(NodePlan(), NodeView()));
  NodeView view;
  view.status = MachineStatus{Stage::booting, false, {}};
  EXPECT_FALSE(wait_for_install(NodePlan(), view));
  EXPECT_FALSE(wait_in(Phase::installed));
}

TEST(UnattendedInstall, IsWaitedForUntilTheReboot) {
  EXPECT_EQ(wait_in(Phase::installing)->reason, "w1 is installing");
  EXPECT_EQ(wait_in(Phase::waiting_for_reboot)->reason, "w1 is installed and waits for its reboot");
}

TEST(UnattendedInstall, ThatDoesNotBeginNamesTheDisk) {
  const auto wait = wait_in(Phase::pending, "no disk matched the selector");
  EXPECT_EQ(wait->reason, "w1 does not install itself yet: no disk matched the selector");
  EXPECT_EQ(wait->fault, "D3");
}

TEST(UnattendedInstall, ThatFailsSaysWhy) {
  const auto wait = wait_in(Phase::failed, "failed to pull image");
  EXPECT_EQ(wait->reason, "w1 cannot install itself and tries again: failed to pull image");
  EXPECT_EQ(wait->fault, "D2");
}

}  // namespace
}  // namespace ichor
