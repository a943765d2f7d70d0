#include "sim/checkers/kube_history.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(OneInstall, HoldsForOneAfterTheOther) {
  KubeHistory history("I29");
  history.installs("coredns");
  history.passes(minutes(1));
  history.installs("coredns");
  history.passes(minutes(1));
  EXPECT_EQ(history.violation(), "");
  EXPECT_EQ(history.kube.helm().status_of("coredns"), "deployed");
}

/// helm itself refuses the second one, unless its record was taken away.
TEST(OneInstall, IsBrokenByARecordThatIsTakenFromALivingHelm) {
  KubeHistory history("I29");
  history.kube.helm().slowness = 30;
  history.installs("coredns");
  for (int i = 0; i < 60 && !history.kube.helm().busy("coredns"); ++i) history.passes(seconds(1));
  ASSERT_TRUE(history.kube.helm().busy("coredns"));
  history.removes("kube-system", "sh.helm.release.v1.coredns.v1");
  EXPECT_THAT(history.violation(), HasSubstr("while its helm still works"));
}

TEST(OneInstall, IsBrokenByTwoWhoWriteAtATime) {
  KubeHistory history("I29");
  history.checker->on_install({1, "coredns", true});
  EXPECT_THAT(history.violation(), HasSubstr("while another helm still writes it"));
}

TEST(OneInstall, IsBrokenByTheRemovalOfWhatAnotherClientBegan) {
  KubeHistory history("I29");
  history.kube.helm().begin_by_others("cert-manager");
  history.removes("cert-manager", "sh.helm.release.v1.cert-manager.v1");
  EXPECT_THAT(history.violation(), HasSubstr("which another client began"));
}

TEST(OneInstall, AllowsTheRemovalOfARevisionWhoseHelmIsGone) {
  KubeHistory history("I29");
  history.kube.helm().slowness = 30;
  history.installs("coredns");
  history.passes(seconds(40));
  history.kube.helm().lose(history.process, true);
  history.removes("kube-system", "sh.helm.release.v1.coredns.v1");
  EXPECT_EQ(history.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
