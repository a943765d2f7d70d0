#include "sim/checkers/kube_history.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using ::testing::HasSubstr;

TEST(NothingChanges, HoldsForARunThatOnlyLooks) {
  KubeHistory history("I31");
  history.is_handed_over();
  history.starts_again();
  history.applies(history.stack().material.secrets.front(), {true, false});
  history.checker->on_repeated({});
  EXPECT_EQ(history.violation(), "");
}

TEST(NothingChanges, IsBrokenByAnObjectOfANewVersion) {
  KubeHistory history("I31");
  history.is_handed_over();
  history.starts_again();
  KubeObject secret = history.stack().material.secrets.front();
  secret["metadata"]["labels"]["run"] = "2";
  history.kube.api().put(secret, "ichor");
  history.checker->on_repeated({});
  EXPECT_THAT(history.violation(), HasSubstr("took Secret/flux-system/sops-age from version"));
}

TEST(NothingChanges, IsBrokenByAnInstall) {
  KubeHistory history("I31");
  history.is_handed_over();
  history.starts_again();
  history.installs("coredns");
  history.passes(minutes(1));
  history.checker->on_repeated({});
  EXPECT_THAT(history.violation(), HasSubstr("changed 1 objects"));
}

}  // namespace
}  // namespace ichor::sim
