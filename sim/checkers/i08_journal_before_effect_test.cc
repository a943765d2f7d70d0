#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

constexpr Call kApply = Call::apply_configuration;

void applies(History& history, const std::string& name) {
  history.intends(kApply, name);
  history.sends(kApply, name);
  history.takes_effect(kApply, name);
  history.is_answered(kApply, name);
  history.tells(kApply, name, OutcomeKind::done);
}

TEST(JournalBeforeEffect, HoldsForIntentCallAndOutcome) {
  History history("I8");
  applies(history, "cp1");
  applies(history, "w1");
  history.intends(Call::bootstrap, "cp1");
  history.sends(Call::bootstrap, "cp1");
  history.is_lost(Call::bootstrap, "cp1");
  history.tells(Call::bootstrap, "cp1", OutcomeKind::unknown);
  EXPECT_EQ(history.violation(), "");
}

TEST(JournalBeforeEffect, IsBrokenByACallWithoutIntent) {
  History history("I8");
  history.intends(Call::bootstrap, "cp1");
  history.sends(kApply, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("without a durable intent"));
}

TEST(JournalBeforeEffect, IsBrokenByASecondCallUnderTheSameIntent) {
  History history("I8");
  history.intends(kApply, "cp1");
  history.sends(kApply, "cp1");
  history.sends(kApply, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("without a durable intent"));
}

TEST(JournalBeforeEffect, IsBrokenByACallUnderTheIntentOfAProcessThatDied) {
  History history("I8");
  history.intends(kApply, "cp1");
  history.crashes();
  history.starts_again();
  history.sends(kApply, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("without a durable intent"));
}

TEST(JournalBeforeEffect, IsBrokenByAnIntentThatWasAlreadyRecorded) {
  History history("I8");
  history.intends(kApply, "cp1");
  history.tells(kApply, "cp1", OutcomeKind::refused);
  history.sends(kApply, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("without a durable intent"));
}

TEST(JournalBeforeEffect, IsBrokenByADoneThatIsNotTrue) {
  History history("I8");
  history.intends(kApply, "cp1");
  history.sends(kApply, "cp1");
  history.is_lost(kApply, "cp1");
  history.tells(kApply, "cp1", OutcomeKind::done);
  EXPECT_THAT(history.violation(), testing::HasSubstr("was done on cp1, which is not true"));
}

TEST(JournalBeforeEffect, IsBrokenByARefusalOfWhatHappened) {
  History history("I8");
  history.intends(kApply, "cp1");
  history.sends(kApply, "cp1");
  history.takes_effect(kApply, "cp1");
  history.is_lost(kApply, "cp1");
  history.tells(kApply, "cp1", OutcomeKind::refused);
  EXPECT_THAT(history.violation(), testing::HasSubstr("refused by cp1, but it took effect"));
}

TEST(JournalBeforeEffect, DoesNotBlameALaterTryForTheLateEffectOfTheFirst) {
  History history("I8");
  history.intends(kApply, "cp1");
  history.sends(kApply, "cp1");
  const Request first = history.request(kApply, "cp1");
  history.is_lost(kApply, "cp1");
  history.tells(kApply, "cp1", OutcomeKind::unknown);
  ++history.session;
  history.intends(kApply, "cp1");
  history.sends(kApply, "cp1");
  history.checker->on_effect(first);
  history.is_refused(kApply, "cp1", Code::permission_denied, "not authorized");
  history.tells(kApply, "cp1", OutcomeKind::refused);
  EXPECT_EQ(history.violation(), "");
}

TEST(JournalBeforeEffect, IsBrokenByAnOutcomeOfAnotherIntent) {
  History history("I8");
  history.intends(kApply, "cp1");
  history.intent = 0;
  history.tells(kApply, "cp1", OutcomeKind::unknown);
  EXPECT_THAT(history.violation(), testing::HasSubstr("not the open intent"));
}

TEST(JournalBeforeEffect, IsBrokenByABootstrapThatRestsOnAnUntoldConfig) {
  History history("I8");
  history.intends(Call::bootstrap, "cp1");
  history.intends(kApply, "cp2");
  history.sends(kApply, "cp2");
  history.takes_effect(kApply, "cp2");
  history.is_answered(kApply, "cp2");
  history.sends(Call::bootstrap, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("a call it rests on was not durable"));
}

TEST(JournalBeforeEffect, AllowsConfigsOfOtherNodesMeanwhile) {
  History history("I8");
  history.intends(kApply, "cp1");
  history.intends(kApply, "cp2");
  history.sends(kApply, "cp1");
  history.is_answered(kApply, "cp1");
  history.sends(kApply, "cp2");
  EXPECT_EQ(history.violation(), "");
}

TEST(JournalBeforeEffect, IsBrokenByAWorkerThatRestsOnAnUntoldBootstrap) {
  History history("I8");
  history.profile().worker_order = WorkerOrder::after_api;
  history.intends(Call::bootstrap, "cp1");
  history.sends(Call::bootstrap, "cp1");
  history.is_answered(Call::bootstrap, "cp1");
  history.intends(kApply, "w1");
  history.sends(kApply, "w1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("a call it rests on was not durable"));
}

TEST(JournalBeforeEffect, ExpectsNoOutcomeFromAProcessThatDied) {
  History history("I8");
  history.intends(kApply, "cp2");
  history.sends(kApply, "cp2");
  history.is_answered(kApply, "cp2");
  history.crashes();
  history.starts_again();
  history.intends(Call::bootstrap, "cp1");
  history.sends(Call::bootstrap, "cp1");
  EXPECT_EQ(history.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
