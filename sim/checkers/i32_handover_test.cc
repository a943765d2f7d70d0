#include "sim/checkers/kube_history.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(TrueHandover, HoldsWhenEverythingIsReconciled) {
  KubeHistory history("I32");
  history.is_handed_over();
  history.ends(Exit::done);
  EXPECT_EQ(history.violation(), "");
}

TEST(TrueHandover, IsBrokenBeforeTheReleases) {
  KubeHistory history("I32");
  history.applies_phase_0();
  history.applies_crds();
  history.passes(seconds(5));
  history.ends(Exit::done);
  EXPECT_THAT(history.violation(), HasSubstr("coredns is not deployed as wanted"));
}

TEST(TrueHandover, IsBrokenWhileFluxCannotFetch) {
  KubeHistory history("I32");
  history.kube.flux().lock_repository(true);
  history.is_handed_over();
  history.ends(Exit::done);
  EXPECT_THAT(history.violation(), HasSubstr("Flux is not reconciled"));
}

TEST(TrueHandover, IsBrokenByANodeThatHasBeenAwayForLong) {
  KubeHistory history("I32");
  history.is_handed_over();
  history.node("w1").power_off();
  history.passes(minutes(5));
  history.ends(Exit::done);
  EXPECT_THAT(history.violation(), HasSubstr("not all nodes are Ready"));
}

TEST(TrueHandover, SaysNothingOfAnEndThatClaimsNothing) {
  KubeHistory history("I32");
  history.ends(Exit::out_of_time);
  EXPECT_EQ(history.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
