#include "sim/checkers/history.h"
#include "sim/checkers/kube_history.h"

namespace ichor::sim {
namespace {

RunResult result_of(Exit exit, int mutations) {
  RunResult result;
  result.exit = exit;
  result.verdict = "sim is ready";
  result.mutations = mutations;
  return result;
}

/// The run that brought the cluster up, and the beginning of the one that repeats it.
void bring_up_and_repeat(History& history) {
  history.sends(Call::apply_configuration, "cp1");
  history.sends(Call::bootstrap, "cp1");
  history.ends(Exit::done);
  history.starts_again();
  history.reads(Call::machine_status, "cp1");
}

TEST(Convergence, HoldsWhenTheRepetitionOnlyReads) {
  History history("I7");
  bring_up_and_repeat(history);
  history.checker->on_repeated(result_of(Exit::done, 0));
  EXPECT_EQ(history.violation(), "");
}

TEST(Convergence, IsBrokenByARepetitionThatMutates) {
  History history("I7");
  bring_up_and_repeat(history);
  history.sends(Call::apply_configuration, "w1");
  history.checker->on_repeated(result_of(Exit::done, 0));
  EXPECT_EQ(history.violation(), "the repeated run sent 1 mutations and reported 0");
}

TEST(Convergence, IsBrokenByARepetitionThatReportsMutations) {
  History history("I7");
  bring_up_and_repeat(history);
  history.checker->on_repeated(result_of(Exit::done, 2));
  EXPECT_EQ(history.violation(), "the repeated run sent 0 mutations and reported 2");
}

TEST(Convergence, AllowsTheFirstAnswerToACertificateRequest) {
  KubeHistory history("I7");
  history.starts_again();
  history.approves("csr-w1-2");
  history.checker->on_repeated(result_of(Exit::done, 1));
  EXPECT_EQ(history.violation(), "");
}

TEST(Convergence, IsBrokenByAnApprovalThatAnEarlierRunTried) {
  KubeHistory history("I7");
  history.approves("csr-w1-1");
  history.starts_again();
  history.approves("csr-w1-1");
  history.checker->on_repeated(result_of(Exit::done, 1));
  EXPECT_EQ(history.violation(), "the repeated run sent 1 mutations and reported 1");
}

TEST(Convergence, IsBrokenByARepetitionThatFails) {
  History history("I7");
  bring_up_and_repeat(history);
  history.checker->on_repeated(result_of(Exit::unsafe, 0));
  EXPECT_EQ(history.violation(), "the repeated run ended with 5: sim is ready");
}

}  // namespace
}  // namespace ichor::sim
