#include "engine/phase_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_kit.h"
#include "phase/apply.h"

namespace ichor {
namespace {

/// Takes every config, boots anew and is in maintenance mode again: each life has another key.
class ForgetfulSession final : public MaintenanceSession {
 public:
  explicit ForgetfulSession(int& applied)
      : MaintenanceSession("life-" + std::to_string(applied)), applied_(applied) {}

  Task<Outcome> apply_configuration(Context, ApplyRequest) override {
    ++applied_;
    co_return Outcome::done();
  }
  Task<Outcome> bootstrap(Context) override { co_return Outcome::done(); }

 private:
  int& applied_;
};

class PhaseLoopTest : public EngineRig {
 protected:
  std::unique_ptr<TalosSession> connect() override {
    return std::make_unique<ForgetfulSession>(applied_);
  }
  Task<void> apply() {
    co_await bind();
    const Apply phase;
    NodeSubject subject(link_, phase);
    PhaseLoop loop(state_, phase, subject, bell_);
    end_ = co_await loop.run(context_);
  }

  RunState state_{world_, profile_, configs_, ledger_};
  int applied_{0};
  PhaseEnd end_;
};

TEST_F(PhaseLoopTest, ANodeThatTakesTheConfigAndLosesItIsGivenUpAfterTheRetries) {
  run_to_end(apply(), std::chrono::hours(1));
  EXPECT_EQ(applied_, 1 + profile_.retry.retries);
  EXPECT_EQ(end_.end, StepEnd::failed);
  ASSERT_TRUE(end_.finding);
  EXPECT_EQ(end_.finding->node, plan_.name);
  EXPECT_THAT(end_.finding->what, testing::HasSubstr("was sent 6 times"));
}

}  // namespace
}  // namespace ichor
