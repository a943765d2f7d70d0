#include "sim/checkers/kube_history.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(GatesFirst, HoldsForTheOrderOfThePhases) {
  KubeHistory history("I26");
  history.is_handed_over();
  EXPECT_EQ(history.violation(), "");
}

TEST(GatesFirst, IsBrokenByACrdBeforeTheSecrets) {
  KubeHistory history("I26");
  history.applies_crds();
  EXPECT_THAT(history.violation(), HasSubstr("the bootstrap secrets are not there"));
}

TEST(GatesFirst, IsBrokenByAReleaseBeforeTheCrdsAreEstablished) {
  KubeHistory history("I26");
  history.applies_phase_0();
  history.applies_crds();
  history.installs("coredns");
  EXPECT_THAT(history.violation(), HasSubstr("not all CRDs are Established"));
}

TEST(GatesFirst, IsBrokenByAReleaseBeforeWhatItNeedsWorks) {
  KubeHistory history("I26");
  history.applies_phase_0();
  history.applies_crds();
  history.passes(seconds(5));
  history.installs("flux-operator");
  EXPECT_THAT(history.violation(), HasSubstr("coredns does not work"));
}

TEST(GatesFirst, IsBrokenByTheSealedKeyWhileANodeIsAway) {
  KubeHistory history("I26");
  history.node("w1").power_off();
  history.passes(minutes(5));
  history.applies(sealed_key(1));
  EXPECT_THAT(history.violation(), HasSubstr("not all nodes are Ready"));
}

}  // namespace
}  // namespace ichor::sim
