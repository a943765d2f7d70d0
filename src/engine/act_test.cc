#include "engine/act.h"

#include <gtest/gtest.h>

#include "engine/test_kit.h"

namespace ichor {
namespace {

Digest digest(std::uint8_t value) {
  Digest made;
  made.bytes[0] = value;
  return made;
}

/// Notes what is asked of it and what the journal held by then.
class RecordingSession final : public MaintenanceSession {
 public:
  RecordingSession(MemoryStore& store, Outcome answer, std::vector<std::string>& heard)
      : MaintenanceSession("key-1"), store_(store), answer_(std::move(answer)), heard_(heard) {}

  Task<Outcome> apply_configuration(Context, ApplyRequest request) override {
    heard_.push_back("apply " + std::string(request.config->bytes.reveal()) + " after " +
                     std::string(name_of(store_.records().back().kind)));
    co_return answer_;
  }
  Task<Outcome> bootstrap(Context, BootstrapRequest) override {
    heard_.push_back("bootstrap");
    co_return answer_;
  }
  Task<Outcome> reset(Context, ResetRequest request) override {
    heard_.push_back(request.graceful ? "graceful reset" : "reset");
    co_return answer_;
  }

 private:
  MemoryStore& store_;
  Outcome answer_;
  std::vector<std::string>& heard_;
};

class ActTest : public EngineRig {
 protected:
  std::unique_ptr<TalosSession> connect() override {
    return std::make_unique<RecordingSession>(store_, answer_, heard_);
  }
  Task<void> bind_and_act() {
    co_await bind("key-1");
    co_await link_.look(context_, {.status = true});
    if (disk_full_) store_.fail_after(0);
    NodeCall action{Call::apply_configuration, plan_.name, digest(1), "because", sound_until_};
    if (snapshots_) {
      action.call = Call::etcd_snapshot;
      action.purpose = "v1.13.9";
      world_.keep_snapshot = [this](Context, TalosSession&, const NodeName&) { return keep(); };
    }
    if (resets_) {
      action.call = Call::reset;
      action.payload = {};
      action.reset.graceful = false;
    }
    outcome_ = co_await act(context_, world_, ledger_, link_, action, configs_, profile_.budgets);
  }
  Task<CallResult<std::string>> keep() {
    heard_.push_back("snapshot");
    if (!answer_.error) co_return std::string("/state/a.db");
    co_return tl::unexpected(*answer_.error);
  }
  void run() { run_to_end(bind_and_act(), std::chrono::seconds(30)); }

  Outcome answer_{Outcome::done()};
  Outcome outcome_;
  std::vector<std::string> heard_;
  bool disk_full_{false};
  bool resets_{false};
  bool snapshots_{false};
  MonoTime sound_until_{kNever};
};

TEST_F(ActTest, WhatWasDecidedOnOldAnswersIsNotSent) {
  store_.set_commit_delay(std::chrono::seconds(5));
  // The last moment passes while the intent is being written.
  sound_until_ = clock_.now() + std::chrono::seconds(7);
  run();
  EXPECT_TRUE(heard_.empty());
  EXPECT_EQ(outcome_.kind, OutcomeKind::refused);
  ASSERT_TRUE(outcome_.error);
  EXPECT_EQ(outcome_.error->progress, Progress::not_sent);
  EXPECT_EQ(store_.records().back().outcome, OutcomeKind::refused) << "and the journal says so";
}

TEST_F(ActTest, NothingIsSentAfterASleepThatTheIntentWasWrittenIn) {
  store_.set_commit_delay(std::chrono::seconds(2));
  // Only the wall clock shows it: the monotonic one stood still.
  clock_.call_at(clock_.now() + std::chrono::seconds(3),
                 [this] { clock_.set_wall(WallTime{clock_.wall().unix_ms + 3'600'000}); });
  run();
  EXPECT_TRUE(heard_.empty());
  EXPECT_EQ(outcome_.kind, OutcomeKind::refused);
}

TEST_F(ActTest, TheIntentIsDurableWhenTheRequestLeaves) {
  run();
  EXPECT_EQ(heard_, std::vector<std::string>{"apply bytes after intent"});
  EXPECT_EQ(outcome_.kind, OutcomeKind::done);
  ASSERT_EQ(store_.records().size(), 3u);
  EXPECT_EQ(store_.records()[1].key, "key-1") << "the life of the node that it was sent to";
  EXPECT_EQ(store_.records()[2].kind, RecordKind::outcome);
  EXPECT_EQ(store_.records()[2].ref, 2u);
}

TEST_F(ActTest, ALostReplyIsReportedAsUnknownAndEndsTheSession) {
  answer_ = Outcome::failed(
      {Call::apply_configuration, Progress::sent, TlsVerdict::fine, Code::unavailable, "EOF"});
  run();
  EXPECT_EQ(store_.records().back().outcome, OutcomeKind::unknown);
  EXPECT_EQ(link_.session(), nullptr);
}

TEST_F(ActTest, NothingIsSentWhenTheIntentCannotBeWritten) {
  disk_full_ = true;
  run();
  EXPECT_TRUE(heard_.empty());
  EXPECT_EQ(outcome_.kind, OutcomeKind::refused);
  EXPECT_TRUE(ledger_.broken());
}

TEST_F(ActTest, NothingIsSentAfterACancellation) {
  scope_.cancel();
  run();
  EXPECT_TRUE(heard_.empty());
}

TEST_F(ActTest, AResetGoesTheSameWay) {
  resets_ = true;
  run();
  EXPECT_EQ(heard_, std::vector<std::string>{"reset"});
  EXPECT_EQ(store_.records()[1].call, Call::reset);
  EXPECT_EQ(store_.records()[2].outcome, OutcomeKind::done);
}

TEST_F(ActTest, ASnapshotChangesNoNodeAndIsRememberedOnceItIsWhole) {
  snapshots_ = true;
  run();
  EXPECT_EQ(outcome_.kind, OutcomeKind::done);
  ASSERT_EQ(store_.records().size(), 2u) << "no intent: no node is changed";
  ASSERT_NE(ledger_.facts().snapshot(), nullptr);
  EXPECT_EQ(*ledger_.facts().snapshot(), "v1.13.9 /state/a.db");
}

TEST_F(ActTest, ASnapshotThatIsNotWholeIsNotRemembered) {
  snapshots_ = true;
  answer_ = Outcome::failed(
      {Call::etcd_snapshot, Progress::answered, TlsVerdict::fine, Code::data_loss, "torn"});
  run();
  EXPECT_EQ(outcome_.kind, OutcomeKind::refused);
  EXPECT_EQ(ledger_.facts().snapshot(), nullptr);
}

}  // namespace
}  // namespace ichor
