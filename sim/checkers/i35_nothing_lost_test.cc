#include <gtest/gtest.h>

#include "sim/checkers/machines_history.h"

namespace ichor::sim {
namespace {

TEST(NothingLost, ASuccessKnowsEveryTaskAndHasEveryMachine) {
  MachinesHistory history("I35");
  history.makes_all(true);
  history.ends(Exit::done);
  EXPECT_EQ(history.violation(), "");
}

TEST(NothingLost, ATaskThatTheJournalDoesNotKnowIsLost) {
  MachinesHistory history("I35");
  history.makes_all(false);
  history.ends(Exit::done);
  EXPECT_NE(history.violation().find("the journal does not know the task UPID"), std::string::npos);
}

TEST(NothingLost, ANodeWithoutAMachineIsNoSuccess) {
  MachinesHistory history("I35");
  history.ends(Exit::failed);
  EXPECT_EQ(history.violation(), "");
  history.ends(Exit::done);
  EXPECT_EQ(history.violation(), "run 1 succeeded, and cp1 has no machine that runs");
}

}  // namespace
}  // namespace ichor::sim
