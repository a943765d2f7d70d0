#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

using std::chrono::seconds;

void says_no(History& history, const std::string& name) {
  history.reads(Call::etcd_data, name, Known::no);
}

TEST(UnknownIsNotNo, HoldsWhenEveryControlPlaneJustSaidNo) {
  History history("I3");
  for (const char* name : {"cp1", "cp2", "cp3"}) says_no(history, name);
  history.passes(seconds(59));
  history.sends(Call::bootstrap, "cp1");
  EXPECT_EQ(history.violation(), "");
}

TEST(UnknownIsNotNo, IsBrokenByAControlPlaneThatWasNotAsked) {
  History history("I3");
  says_no(history, "cp1");
  says_no(history, "cp2");
  history.sends(Call::bootstrap, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("cp3 had not said"));
}

TEST(UnknownIsNotNo, IsBrokenByAnAnswerThatWasLost) {
  History history("I3");
  for (const char* name : {"cp1", "cp2", "cp3"}) says_no(history, name);
  history.is_lost(Call::etcd_data, "cp3");
  history.sends(Call::bootstrap, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("cp3 had not said"));
}

TEST(UnknownIsNotNo, IsBrokenByAYes) {
  History history("I3");
  for (const char* name : {"cp1", "cp2", "cp3"}) says_no(history, name);
  history.reads(Call::etcd_data, "cp2", Known::yes);
  history.sends(Call::bootstrap, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("cp2 had not said"));
}

TEST(UnknownIsNotNo, IsBrokenByAnswersOlderThanAMinute) {
  History history("I3");
  for (const char* name : {"cp1", "cp2", "cp3"}) says_no(history, name);
  history.passes(seconds(61));
  says_no(history, "cp1");
  says_no(history, "cp3");
  history.sends(Call::bootstrap, "cp1");
  EXPECT_EQ(history.violation(), "Bootstrap was sent on an answer of cp2 that was 1m01s old");
}

TEST(UnknownIsNotNo, IsBrokenByAnswersThatAFormerProcessGot) {
  History history("I3");
  for (const char* name : {"cp1", "cp2", "cp3"}) says_no(history, name);
  history.crashes();
  history.starts_again();
  says_no(history, "cp1");
  history.sends(Call::bootstrap, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("cp2 had not said"));
}

TEST(UnknownIsNotNo, TakesMaintenanceModeForANo) {
  History history("I3");
  says_no(history, "cp1");
  says_no(history, "cp2");
  history.maintenance = true;
  history.reads(Call::machine_status, "cp3");
  history.maintenance = false;
  history.sends(Call::bootstrap, "cp1");
  EXPECT_EQ(history.violation(), "");
}

TEST(UnknownIsNotNo, DoesNotAskControlPlanesThatTheOperatorExcluded) {
  History history("I3");
  says_no(history, "cp1");
  says_no(history, "cp2");
  history.records(RecordKind::node_excluded, "cp3");
  history.sends(Call::bootstrap, "cp1");
  EXPECT_EQ(history.violation(), "");
}

TEST(UnknownIsNotNo, IsBrokenByABlindRetryAfterALostReply) {
  History history("I3");
  history.intends(Call::apply_configuration, "w1");
  history.sends(Call::apply_configuration, "w1");
  history.is_lost(Call::apply_configuration, "w1");
  history.tells(Call::apply_configuration, "w1", OutcomeKind::unknown);
  history.reads(Call::identity, "w1");
  history.sends(Call::apply_configuration, "w1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("sent again without a look"));
}

TEST(UnknownIsNotNo, AllowsARetryAfterALook) {
  History history("I3");
  history.intends(Call::apply_configuration, "w1");
  history.sends(Call::apply_configuration, "w1");
  history.is_lost(Call::apply_configuration, "w1");
  history.tells(Call::apply_configuration, "w1", OutcomeKind::unknown);
  history.reads(Call::machine_status, "w1");
  history.sends(Call::apply_configuration, "w1");
  EXPECT_EQ(history.violation(), "");
}

TEST(UnknownIsNotNo, DoesNotTakeAFailedLookForALook) {
  History history("I3");
  history.sends(Call::apply_configuration, "w1");
  history.is_lost(Call::apply_configuration, "w1");
  history.is_refused(Call::machine_status, "w1", Code::unavailable,
                     "error reading from server: EOF");
  history.sends(Call::apply_configuration, "w1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("sent again without a look"));
}

TEST(UnknownIsNotNo, IsBrokenByARetryAfterACrashWithTheIntentOpen) {
  History history("I3");
  history.reads(Call::machine_status, "w1");
  history.intends(Call::apply_configuration, "w1");
  history.crashes();
  history.starts_again();
  history.sends(Call::apply_configuration, "w1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("sent again without a look"));
}

TEST(UnknownIsNotNo, CountsAnIntentThatBecameDurableInTheCrash) {
  History history("I3");
  history.crashes();
  history.intends(Call::apply_configuration, "w1");
  history.starts_again();
  history.sends(Call::apply_configuration, "w1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("sent again without a look"));
}

TEST(UnknownIsNotNo, WantsTheLookFromTheProcessThatSends) {
  History history("I3");
  history.sends(Call::apply_configuration, "w1");
  history.is_lost(Call::apply_configuration, "w1");
  history.reads(Call::machine_status, "w1");
  history.crashes();
  history.starts_again();
  history.sends(Call::apply_configuration, "w1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("sent again without a look"));
}

TEST(UnknownIsNotNo, AllowsARetryOfWhatWasRefused) {
  History history("I3");
  history.intends(Call::apply_configuration, "w1");
  history.sends(Call::apply_configuration, "w1");
  history.is_refused(Call::apply_configuration, "w1", Code::failed_precondition,
                     "another apply configuration is already in progress");
  history.tells(Call::apply_configuration, "w1", OutcomeKind::refused);
  history.sends(Call::apply_configuration, "w1");
  EXPECT_EQ(history.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
