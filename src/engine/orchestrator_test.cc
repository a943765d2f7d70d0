#include "engine/orchestrator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/at_once.h"
#include "engine/kubernetes_part.h"
#include "engine/test_kit.h"
#include "phase/kubernetes/test_programs.h"
#include "phase/preflight.h"
#include "phase/ready.h"
#include "sim/kube/cluster.h"

namespace ichor {
namespace {

using testing::HasSubstr;

/// These runs change no node.
class QuietSession final : public MaintenanceSession {
 public:
  QuietSession() : MaintenanceSession("key") {}
  Task<CallResult<TalosVersion>> version(Context) override { co_return TalosVersion{1, 12, 6}; }
  Task<Outcome> apply_configuration(Context, ApplyRequest) override { co_return Outcome::done(); }
  Task<Outcome> bootstrap(Context, BootstrapRequest) override { co_return Outcome::done(); }
};

/// Runs of one step over a journal that an earlier run left.
class OrchestratorTest : public EngineRig {
 protected:
  OrchestratorTest() {
    profile_.name = "infra";
    configs_.plan.bytes[0] = 5;
  }
  std::unique_ptr<TalosSession> connect() override { return std::make_unique<QuietSession>(); }
  void emit(const Event& event) override {
    if (event.kind == EventKind::finding) told_.push_back(event.text);
    if (event.kind == stop_at_) scope_.cancel();
    if (event.kind == asleep_at_) clock_.set_wall(WallTime{clock_.wall().unix_ms + 3'600'000});
  }
  Task<void> left_by_earlier_run(std::vector<JournalRecord> records) {
    for (JournalRecord& record : records) co_await ledger_.append(std::move(record));
  }
  void earlier(std::vector<JournalRecord> records) {
    run_to_end(left_by_earlier_run(std::move(records)), std::chrono::seconds(10));
    journal_.unlock();
  }
  Task<void> run_into(Orchestrator& orchestrator) { result_ = co_await orchestrator.run(context_); }
  void run(bool adopt = false) {
    run({{std::make_shared<Preflight>(), Who::every_node, Milestone::none, Milestone::none, false}},
        adopt);
  }
  void run(const std::vector<Step>& steps, bool adopt = false) {
    Orchestrator orchestrator(world_, profile_, configs_,
                              {RunId("r2"), {"nonce2", "host", "boot", 2}, adopt}, steps);
    Task<void> task = run_into(orchestrator);
    task.start();
    clock_.run_for(std::chrono::minutes(10));
    ASSERT_TRUE(task.done());
  }
  static JournalRecord started(const char* cluster, const Digest& plan) {
    JournalRecord record;
    record.kind = RecordKind::run_started;
    record.key = cluster;
    record.value = to_hex(plan);
    return record;
  }

  RunResult result_;
  std::vector<std::string> told_;
  std::optional<EventKind> asleep_at_;
  std::optional<EventKind> stop_at_;
};

TEST_F(OrchestratorTest, TheJournalOfAnotherClusterIsNotGoneOnWith) {
  earlier({started("apps", configs_.plan)});
  run();
  EXPECT_EQ(result_.exit, Exit::unsafe);
  ASSERT_EQ(result_.findings.size(), 1u);
  EXPECT_EQ(result_.findings[0].id, "O1");
  EXPECT_THAT(result_.findings[0].what, HasSubstr("apps"));
  EXPECT_THAT(result_.findings[0].what, HasSubstr("infra"));
}

TEST_F(OrchestratorTest, ANodeThatTheClusterWaitsForHasNotPassed) {
  run({{std::make_shared<Ready>(), Who::cluster, Milestone::none, Milestone::none, false}});
  EXPECT_NE(result_.exit, Exit::done);
  ASSERT_EQ(result_.nodes.size(), 1u);
  EXPECT_EQ(result_.nodes[0].end, StepEnd::failed);
  EXPECT_EQ(result_.nodes[0].phase, "ready");
  EXPECT_EQ(result_.nodes[0].reason, "cp1 is back in maintenance mode");
}

TEST_F(OrchestratorTest, AnEditBetweenRunsNamesTheNodesThatGotAnotherConfig) {
  Digest before;
  before.bytes[0] = 4;
  JournalRecord sent;
  sent.kind = RecordKind::intent;
  sent.node = plan_.name;
  sent.call = Call::apply_configuration;
  sent.value = to_hex(before);
  earlier({started("infra", before), sent});
  run();
  ASSERT_FALSE(told_.empty());
  EXPECT_THAT(told_[0], HasSubstr("O3"));
  EXPECT_THAT(told_[0], HasSubstr("cp1"));
}

TEST_F(OrchestratorTest, TheWordToAdoptIsKeptInTheJournal) {
  run(true);
  EXPECT_EQ(result_.exit, Exit::done) << result_.verdict;
  JournalFacts facts;
  for (const JournalRecord& record : store_.records()) facts.fold(record, clock_.now());
  EXPECT_TRUE(facts.adopted());
  EXPECT_EQ(facts.cluster(), "infra");
}

TEST_F(OrchestratorTest, WhatWasSeenBeforeASleepIsNotCalledReady) {
  run();
  EXPECT_EQ(result_.exit, Exit::done);
  asleep_at_ = EventKind::phase_done;
  run();
  EXPECT_EQ(result_.exit, Exit::out_of_time);
  ASSERT_EQ(result_.findings.size(), 1u);
  EXPECT_EQ(result_.findings[0].id, "L2");
}

/// Runs whose second half works on a simulated Kubernetes API.
class BothHalvesTest : public OrchestratorTest {
 protected:
  BothHalvesTest() {
    KubeObject name_space{{"apiVersion", "v1"}, {"kind", "Namespace"}};
    name_space["metadata"]["name"] = "flux-system";
    material_.namespaces.push_back(name_space);
    world_.kubernetes = &part_;
  }
  void run_both() {
    std::vector<Step> steps = kubernetes_steps(0, 1);
    steps.insert(steps.begin(), {std::make_shared<Preflight>(), Who::every_node, Milestone::none,
                                 Milestone::cluster_ready, false});
    for (Step& step : steps) {
      if (step.who == Who::kubernetes) step.needs = Milestone::cluster_ready;
    }
    run(steps);
  }
  tl::expected<OpenedKube, RunResult> open() {
    ++opened_;
    MemoryJournal rival(store_);
    const auto lock = at_once(rival.lock({}, {"nonce3", "host", "boot", 3}));
    rival_got_in_ = lock.has_value();
    if (refusal_) return tl::unexpected(*refusal_);
    OpenedKube opened;
    opened.client = std::shared_ptr<KubeClient>(&cluster_, [](KubeClient*) {});
    return opened;
  }
  std::vector<JournalRecord> of_kind(RecordKind kind) {
    std::vector<JournalRecord> found;
    for (const JournalRecord& record : store_.records()) {
      if (record.kind == kind) found.push_back(record);
    }
    return found;
  }

  sim::KubeCluster cluster_{clock_};
  PlayedPrograms programs_{cluster_};
  PlayedConnect connect_;
  KubernetesMaterial material_;
  KubernetesPart part_{{random_, programs_, connect_, *this, *this, nullptr, "/state"},
                       material_,
                       [this] { return open(); },
                       {}};
  std::optional<RunResult> refusal_;
  int opened_{0};
  bool rival_got_in_{true};
};

TEST_F(BothHalvesTest, AreOneRunUnderOneLock) {
  run_both();
  EXPECT_EQ(result_.exit, Exit::done) << result_.verdict;
  EXPECT_EQ(result_.verdict, "phase 1 (crds): done, 1 changed");
  EXPECT_EQ(result_.mutations, 1);
  EXPECT_EQ(opened_, 1);
  EXPECT_FALSE(rival_got_in_) << "the lock is held between the halves";
  EXPECT_FALSE(store_.owner()) << "and is gone at the end";
  EXPECT_EQ(of_kind(RecordKind::run_started).size(), 1u);
  EXPECT_EQ(of_kind(RecordKind::run_ended).size(), 1u);
  ASSERT_EQ(of_kind(RecordKind::intent).size(), 1u);
  for (const JournalRecord& record : store_.records()) EXPECT_EQ(record.run, RunId("r2"));
}

TEST_F(BothHalvesTest, EndWithTheReasonWhyTheApiCannotBeOpened) {
  refusal_ = RunResult{};
  refusal_->exit = Exit::unsafe;
  refusal_->verdict = "the kubeconfig is not one of this cluster";
  run_both();
  EXPECT_EQ(result_.exit, Exit::unsafe);
  EXPECT_EQ(result_.verdict, "the kubeconfig is not one of this cluster");
  EXPECT_FALSE(store_.owner());
  ASSERT_EQ(of_kind(RecordKind::run_ended).size(), 1u);
  EXPECT_EQ(of_kind(RecordKind::run_ended)[0].key, "5");
}

TEST_F(BothHalvesTest, TouchNoObjectWhereTheNodesDoNotPass) {
  profile_.nodes[0].role = Role::worker;
  profile_.trust = Trust::pin;
  run_both();
  EXPECT_NE(result_.exit, Exit::done);
  EXPECT_EQ(opened_, 0);
  EXPECT_EQ(cluster_.applies, 0);
}

TEST_F(BothHalvesTest, StopAtASignalBetweenTheHalves) {
  stop_at_ = EventKind::barrier_opened;
  run_both();
  EXPECT_EQ(result_.exit, Exit::interrupted) << result_.verdict;
  EXPECT_EQ(cluster_.applies, 0);
  EXPECT_FALSE(store_.owner());
}

}  // namespace
}  // namespace ichor
