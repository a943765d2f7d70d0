#include "sim/checkers/kube_history.h"

namespace ichor::sim {
namespace {

using ::testing::HasSubstr;

TEST(OwnRequests, HoldsForWhatAKubeletSent) {
  KubeHistory history("I27");
  history.approves("csr-cp1-1");
  EXPECT_EQ(history.violation(), "");
}

TEST(OwnRequests, IsBrokenByAForgedOne) {
  KubeHistory history("I27");
  history.kube.api().put(csr_of("forged", "cp1", kubelet_request("another name")), "outsider");
  history.approves("forged");
  EXPECT_THAT(history.violation(), HasSubstr("no kubelet of ours sent it"));
}

}  // namespace
}  // namespace ichor::sim
