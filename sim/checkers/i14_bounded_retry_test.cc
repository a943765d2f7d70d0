#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

void fail_bootstrap(History& history, int times, Code code, const std::string& text) {
  for (int i = 0; i < times; ++i) {
    history.sends(Call::bootstrap, "cp1");
    history.is_refused(Call::bootstrap, "cp1", code, text);
  }
}

TEST(BoundedRetry, HoldsForOneTryAndFiveRetries) {
  History history("I14");
  fail_bootstrap(history, 6, Code::internal, "transient");
  EXPECT_EQ(history.violation(), "");
}

TEST(BoundedRetry, IsBrokenByOneMore) {
  History history("I14");
  fail_bootstrap(history, 7, Code::internal, "transient");
  EXPECT_THAT(history.violation(), testing::HasSubstr("Bootstrap was sent to cp1 7 times"));
}

TEST(BoundedRetry, CountsPerProcess) {
  History history("I14");
  fail_bootstrap(history, 6, Code::internal, "transient");
  history.crashes();
  history.starts_again();
  fail_bootstrap(history, 6, Code::internal, "transient");
  EXPECT_EQ(history.violation(), "");
}

TEST(BoundedRetry, CountsPerNode) {
  History history("I14");
  for (const char* name : {"cp1", "cp2", "cp3", "w1"}) {
    for (int i = 0; i < 6; ++i) history.sends(Call::apply_configuration, name);
  }
  EXPECT_EQ(history.violation(), "");
}

TEST(BoundedRetry, DoesNotCountWhatTheNodeCalledTooEarly) {
  History history("I14");
  fail_bootstrap(history, 30, Code::failed_precondition, "time is not in sync yet");
  fail_bootstrap(history, 6, Code::internal, "transient");
  EXPECT_EQ(history.violation(), "");
  fail_bootstrap(history, 1, Code::internal, "transient");
  EXPECT_THAT(history.violation(), testing::HasSubstr("37 times, 30 of them too early"));
}

TEST(BoundedRetry, IsBrokenByARetryOfWhatCanOnlyFailAgain) {
  History history("I14");
  history.sends(Call::apply_configuration, "w1");
  history.is_refused(Call::apply_configuration, "w1", Code::invalid_argument,
                     "error decoding document /v1alpha1/ (line 1): missing kind");
  EXPECT_EQ(history.violation(), "");
  history.sends(Call::apply_configuration, "w1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("again after a refusal for good"));
}

TEST(BoundedRetry, AllowsAnotherProcessToTryWhatWasRefusedForGood) {
  History history("I14");
  history.sends(Call::apply_configuration, "w1");
  history.is_refused(Call::apply_configuration, "w1", Code::invalid_argument, "bad");
  history.ends(Exit::failed);
  history.starts_again();
  history.sends(Call::apply_configuration, "w1");
  EXPECT_EQ(history.violation(), "");
}

TEST(BoundedRetry, IsBrokenByRepeatingWhatTheNodeJustTook) {
  History history("I14");
  history.node("cp1").power_on();
  history.sends(Call::bootstrap, "cp1");
  history.takes_effect(Call::bootstrap, "cp1");
  history.passes(std::chrono::seconds(19));
  history.sends(Call::bootstrap, "cp1");
  EXPECT_EQ(history.violation(), "Bootstrap was sent to cp1 again 19s after the node took it");
}

TEST(BoundedRetry, AllowsRepeatingWhatANewBootForgot) {
  History history("I14");
  history.node("cp1").power_on();
  history.sends(Call::bootstrap, "cp1");
  history.takes_effect(Call::bootstrap, "cp1");
  history.node("cp1").power_cycle();
  history.sends(Call::bootstrap, "cp1");
  EXPECT_EQ(history.violation(), "");
}

TEST(BoundedRetry, IsBrokenByEndlessReading) {
  History history("I14");
  for (int i = 0; i < 2000; ++i) history.sends(Call::machine_status, "cp2");
  EXPECT_EQ(history.violation(), "");
  history.sends(Call::open, "cp2");
  EXPECT_EQ(history.violation(), "run 1 sent more than 2000 requests to cp2");
}

}  // namespace
}  // namespace ichor::sim
