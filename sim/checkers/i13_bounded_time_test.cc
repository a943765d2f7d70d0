#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(BoundedTime, HoldsForCallsWithADeadline) {
  History history("I13");
  Request request = history.request(Call::version, "cp1");
  request.deadline = history.clock.now() + minutes(5);
  history.checker->on_request(request);
  EXPECT_EQ(history.violation(), "");
}

TEST(BoundedTime, IsBrokenByACallWithoutDeadline) {
  History history("I13");
  Request request = history.request(Call::watch, "cp1");
  request.deadline = kNever;
  history.checker->on_request(request);
  EXPECT_EQ(history.violation(), "Watch left for cp1 without a deadline");
}

TEST(BoundedTime, IsBrokenByADeadlineFarAway) {
  History history("I13");
  Request request = history.request(Call::version, "cp1");
  request.deadline = history.clock.now() + minutes(5) + seconds(1);
  history.checker->on_request(request);
  EXPECT_THAT(history.violation(), testing::HasSubstr("Version left for cp1 with 5m01s to go"));
}

TEST(BoundedTime, IsBrokenByARunThatGoesOnLongAfterTheLastFault) {
  History history("I13");
  history.passes(minutes(200));
  history.checker->on_quiet();
  history.passes(minutes(91));
  history.ends(Exit::failed);
  EXPECT_THAT(history.violation(), testing::HasSubstr("a run has not ended"));
}

TEST(BoundedTime, IsBrokenByARunThatNeverEnds) {
  History history("I13");
  history.checker->on_quiet();
  history.passes(minutes(91));
  history.checker->at_end();
  EXPECT_THAT(history.violation(), testing::HasSubstr("a run has not ended"));
}

TEST(BoundedTime, HoldsForARunThatEndsInTimeAndAnotherAfterIt) {
  History history("I13");
  history.checker->on_quiet();
  history.passes(minutes(89));
  history.ends(Exit::done);
  history.starts_again();
  history.passes(minutes(89));
  history.ends(Exit::done);
  history.passes(minutes(200));
  history.checker->at_end();
  EXPECT_EQ(history.violation(), "");
}

TEST(BoundedTime, SetsNoLimitWhileFaultsAreOn) {
  History history("I13");
  history.passes(minutes(300));
  history.reads(Call::version, "cp1");
  EXPECT_EQ(history.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
