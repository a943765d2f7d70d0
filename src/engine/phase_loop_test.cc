#include "engine/phase_loop.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <utility>

#include "engine/test_kit.h"
#include "phase/apply.h"
#include "phase/verify.h"

namespace ichor {
namespace {

/// Runs one phase on the rig's node.
class LoopRig : public EngineRig {
 protected:
  void run_phase(const NodePhase& phase, Duration limit = std::chrono::hours(1)) {
    run_to_end(loop(phase), limit);
  }

  RunState state_{world_, profile_, configs_, ledger_};
  PhaseEnd end_;
  bool applied_before_{false};  // an earlier run has sent its config to the node

 private:
  Task<void> loop(const NodePhase& phase) {
    co_await bind();
    JournalRecord applied;
    applied.kind = RecordKind::intent;
    applied.node = plan_.name;
    applied.call = Call::apply_configuration;
    if (applied_before_) co_await ledger_.append(applied);
    NodeSubject subject(link_, phase);
    PhaseLoop loop(state_, phase, subject, bell_);
    end_ = co_await loop.run(context_);
  }
};

/// Accepts every config, boots again and is in maintenance mode again: each life has another key.
class ForgetfulSession final : public MaintenanceSession {
 public:
  explicit ForgetfulSession(int& applied)
      : MaintenanceSession("life-" + std::to_string(applied)), life_(applied), applied_(applied) {}

  Task<CallResult<Identity>> identity(Context context) override {
    auto identity = co_await MaintenanceSession::identity(context);
    identity->since = std::to_string(life_);
    co_return identity;
  }

  Task<Outcome> apply_configuration(Context, ApplyRequest) override {
    ++applied_;
    co_return Outcome::done();
  }
  Task<Outcome> bootstrap(Context, BootstrapRequest) override { co_return Outcome::done(); }

 private:
  int life_;
  int& applied_;
};

class PhaseLoopTest : public LoopRig {
 protected:
  std::unique_ptr<TalosSession> connect() override {
    return std::make_unique<ForgetfulSession>(applied_);
  }

  int applied_{0};
};

TEST_F(PhaseLoopTest, ANodeThatTakesTheConfigAndLosesItIsGivenUpAfterTheRetries) {
  run_phase(Apply());
  EXPECT_EQ(applied_, 1 + profile_.retry.retries);
  EXPECT_EQ(end_.end, StepEnd::failed);
  ASSERT_TRUE(end_.finding);
  EXPECT_EQ(end_.finding->node, plan_.name);
  EXPECT_THAT(end_.finding->what, testing::HasSubstr("was sent 6 times"));
  EXPECT_EQ(state_.notes.size(), 7u) << "each new key is a warning";
}

/// A configured node that never gets beyond booting, with a new boot at every look if it is wild.
class BootingSession final : public MaintenanceSession {
 public:
  BootingSession(int& looks, bool wild) : MaintenanceSession("key"), looks_(looks), wild_(wild) {
    booting_.mode = PeerMode::configured;
  }
  const Peer& peer() const override { return booting_; }
  Task<CallResult<Identity>> identity(Context) override {
    ++looks_;
    const std::string boot = wild_ ? std::to_string(looks_) : "one";
    co_return Identity{MachineUuid("uuid-1"), {}, {MacAddress("mac-1")}, BootId(boot)};
  }
  Task<CallResult<MachineStatus>> machine_status(Context) override {
    if (wild_) {
      co_return tl::unexpected(CallError{Call::machine_status, Progress::sent, TlsVerdict::fine,
                                         Code::unavailable, "connection reset"});
    }
    co_return MachineStatus{Stage::booting, false, {{"services", "etcd not running"}}};
  }
  Task<CallResult<std::vector<std::string>>> events(Context, int) override {
    co_return std::vector<std::string>{"service etcd WAITING: for etcd spec"};
  }
  Task<CallResult<std::vector<std::string>>> dmesg(Context, int) override {
    co_return std::vector<std::string>{"eth0: link down"};
  }
  Task<Outcome> apply_configuration(Context, ApplyRequest) override { co_return Outcome::done(); }
  Task<Outcome> bootstrap(Context, BootstrapRequest) override { co_return Outcome::done(); }

 private:
  Peer booting_;
  int& looks_;
  bool wild_;
};

class StuckTest : public LoopRig {
 protected:
  std::unique_ptr<TalosSession> connect() override {
    return std::make_unique<BootingSession>(looks_, wild_);
  }
  void emit(const Event& event) override {
    if (event.kind == EventKind::finding) told_.push_back(event.text);
  }

  int looks_{0};
  bool wild_{false};
  std::vector<std::string> told_;
};

TEST_F(StuckTest, ANodeThatStaysInAStageIsReportedOnceWithItsEvidence) {
  run_phase(Verify());
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_THAT(told_[0], testing::HasSubstr("cp1 has been booting for 5m"));
  EXPECT_THAT(told_[0], testing::HasSubstr("services (etcd not running)"));
  EXPECT_THAT(told_[0], testing::HasSubstr("service etcd WAITING: for etcd spec"));
  EXPECT_THAT(told_[0], testing::HasSubstr("talosctl -n 192.0.2.1 services"));
}

TEST_F(StuckTest, OutOfTimeComesWithEvidenceAndACommandForTheNode) {
  run_phase(Verify());
  EXPECT_EQ(end_.end, StepEnd::out_of_time);
  ASSERT_TRUE(end_.finding);
  EXPECT_THAT(end_.finding->what, testing::HasSubstr("etcd not running"));
  EXPECT_THAT(end_.finding->why, testing::HasSubstr("eth0: link down"));
  EXPECT_THAT(end_.finding->fix, testing::HasSubstr("ichor verify -n cp1"));
}

TEST_F(StuckTest, ANodeThatBootsAgainAndAgainIsGivenUp) {
  wild_ = true;
  run_phase(Verify());
  EXPECT_EQ(end_.end, StepEnd::failed);
  ASSERT_TRUE(end_.finding);
  EXPECT_EQ(end_.finding->id, "D6");
}

/// Waits for one fault that has a limit.
class Impatient final : public NodePhase {
 public:
  std::string_view name() const override { return "impatient"; }
  Reads reads() const override { return {}; }
  Duration budget(const Budgets& budgets) const override { return budgets.verify; }
  Decision decide(const Wanted&, const NodePlan&, const NodeView&) const override {
    return Wait{"a learner", "E7", "remove it", std::chrono::minutes(2)};
  }
};

class OverdueTest : public StuckTest {};

TEST_F(OverdueTest, AWaitWithALimitEndsAsItsFault) {
  run_phase(Impatient(), std::chrono::minutes(3));
  EXPECT_EQ(end_.end, StepEnd::failed);
  ASSERT_TRUE(end_.finding);
  EXPECT_EQ(end_.finding->id, "E7");
  EXPECT_EQ(end_.finding->fix, "remove it");
}

/// Waits for a node until its budget is used up.
class Patient final : public NodePhase {
 public:
  std::string_view name() const override { return "patient"; }
  Reads reads() const override { return {}; }
  Duration budget(const Budgets& budgets) const override { return budgets.preflight; }
  Decision decide(const Wanted&, const NodePlan&, const NodeView&) const override {
    return Wait{"it does not answer"};
  }
};

TEST_F(StuckTest, ANodeThatHasNoConfigYetHasTheTimeOfThePhase) {
  run_phase(Patient());
  ASSERT_TRUE(end_.finding);
  EXPECT_THAT(end_.finding->what, testing::HasSubstr("out of time after 3m"));
}

/// Real machines need longer to install and boot than a preflight has (tests/vm).
TEST_F(StuckTest, AnInstallThatAnEarlierRunBeganHasTheTimeOfApply) {
  applied_before_ = true;
  run_phase(Patient());
  ASSERT_TRUE(end_.finding);
  EXPECT_THAT(end_.finding->what, testing::HasSubstr("out of time after 15m"));
}

/// A node whose services change all the time while it boots, and whose stage changes once.
class NoisyTest : public LoopRig {
 protected:
  class Session final : public MaintenanceSession {
   public:
    explicit Session(NoisyTest& test) : MaintenanceSession("key"), test_(test) {
      peer_.mode = PeerMode::configured;
    }
    const Peer& peer() const override { return peer_; }
    Task<CallResult<Identity>> identity(Context) override {
      ++test_.looks_;
      co_return Identity{MachineUuid("uuid-1"), {}, {MacAddress("mac-1")}, BootId("one")};
    }
    Task<CallResult<MachineStatus>> machine_status(Context) override {
      co_return MachineStatus{test_.stage_, false, {{"services", "etcd not running"}}};
    }
    Task<Outcome> apply_configuration(Context, ApplyRequest) override { co_return Outcome::done(); }
    Task<Outcome> bootstrap(Context, BootstrapRequest) override { co_return Outcome::done(); }

   private:
    NoisyTest& test_;
    Peer peer_;
  };

  std::unique_ptr<TalosSession> connect() override { return std::make_unique<Session>(*this); }
  void emit(const Event& event) override {
    if (event.kind == EventKind::stage_changed) seen_[event.stage] = event.at;
  }
  void make_noise(MonoTime until) {
    bell_.ring();
    const MonoTime next = clock_.now() + std::chrono::milliseconds(10);
    if (next < until) clock_.call_at(next, [this, until] { make_noise(until); });
  }

  Stage stage_{Stage::installing};
  int looks_{0};
  std::map<Stage, MonoTime> seen_;
};

TEST_F(NoisyTest, ANewStageIsSeenAtOnceAmongManyOtherChanges) {
  const MonoTime changes = clock_.now() + std::chrono::milliseconds(60'005);
  make_noise(clock_.now() + std::chrono::minutes(2));
  clock_.call_at(changes, [this] {
    stage_ = Stage::booting;
    bell_.ring_urgently();
  });
  run_phase(Verify());
  ASSERT_TRUE(seen_.contains(Stage::booting));
  EXPECT_EQ(seen_[Stage::booting], changes);
  EXPECT_LE(looks_, 1000) << "12,000 other changes are followed at a steady pace";
}

/// A machine that is looked at when the operator's laptop goes to sleep for an hour.
class SleepySession final : public MaintenanceSession {
 public:
  SleepySession(std::function<void()> while_looking, int opened, std::vector<int>& applied_by)
      : MaintenanceSession("key"),
        while_looking_(std::move(while_looking)),
        opened_(opened),
        applied_by_(applied_by) {}
  Task<CallResult<MachineStatus>> machine_status(Context) override {
    while_looking_();
    co_return MachineStatus{Stage::maintenance, true, {}};
  }
  Task<Outcome> apply_configuration(Context, ApplyRequest) override {
    applied_by_.push_back(opened_);
    co_return Outcome::done();
  }
  Task<Outcome> bootstrap(Context, BootstrapRequest) override { co_return Outcome::done(); }

 private:
  std::function<void()> while_looking_;
  int opened_;
  std::vector<int>& applied_by_;
};

enum class Asleep { while_it_looks, after_it_looked };

class SleepTest : public LoopRig, public testing::WithParamInterface<Asleep> {
 protected:
  std::unique_ptr<TalosSession> connect() override {
    return std::make_unique<SleepySession>([this] { sleep_once(Asleep::while_it_looks); },
                                           ++opened_, applied_by_);
  }
  void emit(const Event& event) override {
    if (event.kind == EventKind::stage_changed) sleep_once(Asleep::after_it_looked);
  }
  void sleep_once(Asleep when) {
    if (when != GetParam() || std::exchange(slept_, true)) return;
    clock_.set_wall(WallTime{clock_.wall().unix_ms + 3'600'000});
  }

  int opened_{0};
  bool slept_{false};
  std::vector<int> applied_by_;
};

INSTANTIATE_TEST_SUITE_P(Asleep, SleepTest,
                         testing::Values(Asleep::while_it_looks, Asleep::after_it_looked));

TEST_P(SleepTest, AfterASleepTheMachineIsProvedAgainBeforeItIsChanged) {
  run_phase(Apply());
  EXPECT_TRUE(slept_);
  ASSERT_FALSE(applied_by_.empty());
  EXPECT_GT(applied_by_.front(), 1) << "not on the connection from before the sleep";
}

}  // namespace
}  // namespace ichor
