#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

void gives_kubeconfig(History& history, const std::string& node) {
  Reply reply;
  reply.secret = "server: https://192.168.22.100:6443";
  history.checker->on_reply(history.request(Call::kubeconfig, node), reply);
}

TEST(Credentials, HoldsForWhatAControlPlaneGave) {
  History history("I18");
  gives_kubeconfig(history, "cp2");
  history.checker->on_written({1, "kubeconfig", "server: https://192.168.22.100:6443"});
  EXPECT_EQ(history.violation(), "");
}

TEST(Credentials, IsBrokenByAFileThatNoNodeGave) {
  History history("I18");
  history.checker->on_written({1, "kubeconfig", "server: https://192.168.22.100:6443"});
  EXPECT_EQ(history.violation(), "run 1 wrote a kubeconfig that no node gave it");
}

TEST(Credentials, IsBrokenByAFileFromAMaintenanceServer) {
  History history("I18");
  history.maintenance = true;
  gives_kubeconfig(history, "cp1");
  history.checker->on_written({1, "kubeconfig", "server: https://192.168.22.100:6443"});
  EXPECT_EQ(history.violation(), "run 1 wrote a kubeconfig from a node that is not verified");
}

TEST(Credentials, IsBrokenByAFileFromAWorker) {
  History history("I18");
  gives_kubeconfig(history, "w1");
  history.checker->on_written({1, "kubeconfig", "server: https://192.168.22.100:6443"});
  EXPECT_EQ(history.violation(), "run 1 wrote a kubeconfig from a node that is not verified");
}

TEST(Credentials, IsBrokenByHalfAFile) {
  History history("I18");
  gives_kubeconfig(history, "cp1");
  history.checker->on_written({1, "kubeconfig", "server: ht"});
  EXPECT_EQ(history.violation(), "run 1 wrote 10 bytes of a kubeconfig of 35");
}

TEST(Credentials, DoesNotTakeAnotherRunsWord) {
  History history("I18");
  gives_kubeconfig(history, "cp1");
  history.checker->on_written({2, "kubeconfig", "server: https://192.168.22.100:6443"});
  EXPECT_EQ(history.violation(), "run 2 wrote a kubeconfig that no node gave it");
}

}  // namespace
}  // namespace ichor::sim
