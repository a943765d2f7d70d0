#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// Every node runs its config and no etcd exists yet.
void configure(History& history) {
  for (const NodePlan& plan : history.profile().nodes) history.node(plan.name.value()).power_on();
  history.passes(minutes(1));
  for (const NodePlan& plan : history.profile().nodes) {
    history.take_config(history.node(plan.name.value()));
  }
  history.passes(minutes(3));
}

TEST(BootstrapOnce, HoldsForOneBootstrapAndItsJoiners) {
  History history("I1");
  configure(history);
  history.take_bootstrap("cp1");
  history.takes_effect(Call::bootstrap, "cp1");
  history.passes(minutes(5));
  history.ends(Exit::done);
  EXPECT_EQ(history.violation(), "");
}

TEST(BootstrapOnce, IsBrokenBySecondNodeThatTakesOneBeforeTheFirstWroteItsData) {
  History history("I1");
  configure(history);
  history.take_bootstrap("cp1");
  history.takes_effect(Call::bootstrap, "cp1");
  history.take_bootstrap("cp2");
  history.takes_effect(Call::bootstrap, "cp2");
  EXPECT_EQ(history.violation(), "cp2 took a bootstrap while cp1 holds one");
}

TEST(BootstrapOnce, IsBrokenByTwoDataDirectoriesWhoeverMadeThem) {
  History history("I1");
  configure(history);
  history.take_bootstrap("cp1");
  history.take_bootstrap("cp3");
  history.passes(minutes(1));
  EXPECT_THAT(history.violation(), testing::HasSubstr("2 etcd clusters exist"));
}

TEST(BootstrapOnce, AllowsAnotherOneAfterTheFirstWasLostInMemory) {
  History history("I1");
  configure(history);
  history.take_bootstrap("cp1");
  history.takes_effect(Call::bootstrap, "cp1");
  history.node("cp1").power_cycle();
  history.passes(minutes(1));
  history.take_bootstrap("cp1");
  history.takes_effect(Call::bootstrap, "cp1");
  history.passes(minutes(5));
  history.ends(Exit::done);
  EXPECT_EQ(history.violation(), "");
}

TEST(BootstrapOnce, IsBrokenBySuccessWithoutAnyCluster) {
  History history("I1");
  configure(history);
  history.ends(Exit::done);
  EXPECT_EQ(history.violation(), "run 1 succeeded with 0 etcd clusters");
}

TEST(BootstrapOnce, SaysNothingAboutRunsThatFailed) {
  History history("I1");
  configure(history);
  history.ends(Exit::failed);
  EXPECT_EQ(history.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
