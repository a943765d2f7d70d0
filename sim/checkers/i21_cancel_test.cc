#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(PromptCancel, HoldsForARunThatEndsInTenSeconds) {
  History history("I21");
  history.passes(minutes(5));
  history.checker->on_process_cancelled(1);
  history.passes(seconds(10));
  history.ends(Exit::interrupted);
  history.passes(minutes(5));
  history.checker->at_end();
  EXPECT_EQ(history.violation(), "");
}

TEST(PromptCancel, IsBrokenByAMutationAfterTheSignal) {
  History history("I21");
  history.checker->on_process_cancelled(1);
  history.sends(Call::machine_status, "cp1");
  EXPECT_EQ(history.violation(), "");
  history.sends(Call::bootstrap, "cp1");
  EXPECT_EQ(history.violation(), "run 1 sent Bootstrap after it was asked to stop");
}

TEST(PromptCancel, IsBrokenByARunThatEndsLater) {
  History history("I21");
  history.checker->on_process_cancelled(1);
  history.passes(seconds(11));
  history.ends(Exit::interrupted);
  EXPECT_EQ(history.violation(), "run 1 was asked to stop 11s ago and still runs");
}

TEST(PromptCancel, IsBrokenByARunThatGoesOnCalling) {
  History history("I21");
  history.checker->on_process_cancelled(1);
  history.passes(seconds(11));
  history.sends(Call::version, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("still runs"));
}

TEST(PromptCancel, GivesNoMoreTimeForASecondSignal) {
  History history("I21");
  history.checker->on_process_cancelled(1);
  history.passes(seconds(6));
  history.checker->on_process_cancelled(1);
  history.passes(seconds(6));
  history.checker->at_end();
  EXPECT_THAT(history.violation(), testing::HasSubstr("run 1 was asked to stop 12s ago"));
}

TEST(PromptCancel, ExpectsNothingOfARunThatWasKilled) {
  History history("I21");
  history.checker->on_process_cancelled(1);
  history.crashes();
  history.passes(minutes(1));
  history.starts_again();
  history.sends(Call::version, "cp1");
  EXPECT_EQ(history.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
