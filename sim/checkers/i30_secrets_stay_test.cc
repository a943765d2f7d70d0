#include "sim/checkers/kube_history.h"

namespace ichor::sim {
namespace {

using ::testing::HasSubstr;

TEST(SecretsStay, HoldsForTheDataOfASecret) {
  KubeHistory history("I30");
  history.applies_phase_0();
  EXPECT_EQ(history.violation(), "");
}

TEST(SecretsStay, IsBrokenByAnAnnotation) {
  KubeHistory history("I30");
  KubeObject secret = history.stack().material.secrets.front();
  secret["metadata"]["annotations"]["last-applied"] = secret["data"].dump();
  history.applies(secret);
  EXPECT_THAT(history.violation(), HasSubstr("Secret/flux-system/sops-age gives away age key"));
}

TEST(SecretsStay, IsBrokenByAnArgumentOrAnAddress) {
  KubeHistory first("I30");
  ProcessCall call;
  call.program = "/bin/helm";
  call.arguments = {"--set", "token=" + first.stack().onepassword_value};
  first.checker->on_program(1, call);
  EXPECT_THAT(first.violation(), HasSubstr("gives away 1Password item"));
  KubeHistory second("I30");
  second.checker->on_web(1, "http://127.0.0.1/?t=" + second.stack().onepassword_value);
  EXPECT_THAT(second.violation(), HasSubstr("an address"));
}

}  // namespace
}  // namespace ichor::sim
