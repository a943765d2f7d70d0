#include "engine/kube_act.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/at_once.h"
#include "journal/memory_journal.h"
#include "phase/kubernetes/test_kit.h"
#include "phase/kubernetes/test_programs.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Files final : public Artifacts {
 public:
  Result<void> write(const std::string& name, const SecretString&) override {
    if (full) return fail(Errc::io, "no space left on device");
    written.push_back(name);
    return {};
  }
  std::optional<SecretString> read(const std::string&) override { return std::nullopt; }
  std::vector<std::string> written;
  bool full{false};
};

class KubeActTest : public ::testing::Test {
 protected:
  KubeActTest() : store_(bench_.clock), journal_(store_) {
    EXPECT_TRUE(at_once(journal_.lock({}, {"00000000000000aa", "host", "boot", 1})));
  }

  static ApplyObject secret() {
    ApplyObject apply;
    apply.object = {{"apiVersion", "v1"}, {"kind", "Secret"}};
    apply.object["metadata"] = {{"name", "key"}, {"namespace", "kube-system"}};
    apply.object["data"]["tls.key"] = "Y2FuYXJ5";
    return apply;
  }
  Outcome act(const Action& action) {
    Ledger ledger(bench_.context(), journal_, RunId("run"));
    EXPECT_TRUE(at_once(ledger.load()));
    KubeWorld world{bench_.clock, bench_.random, bench_.cluster, programs_, connect_,
                    ledger,       files_,        bench_.events,  nullptr,   "/state"};
    ClusterHands hands(world, material_);
    Outcome outcome = bench_.run(hands.act(bench_.context(), action));
    mutations_ = hands.mutations();
    return outcome;
  }

  KubeBench bench_;
  MemoryStore store_;
  MemoryJournal journal_;
  Files files_;
  PlayedPrograms programs_{bench_.cluster};
  PlayedConnect connect_;
  KubernetesMaterial material_;
  int mutations_{0};
};

TEST_F(KubeActTest, TellsTheIntentBeforeAndTheOutcomeAfterButNothingOfTheObject) {
  EXPECT_EQ(act(secret()).kind, OutcomeKind::done);
  const auto records = at_once(journal_.read({}));
  ASSERT_EQ(records->size(), 2u);
  EXPECT_EQ((*records)[0].kind, RecordKind::intent);
  EXPECT_EQ((*records)[0].key, "Secret/kube-system/key");
  EXPECT_EQ((*records)[1].outcome, OutcomeKind::done);
  EXPECT_EQ((*records)[1].ref, (*records)[0].seq);
  for (const JournalRecord& record : *records) {
    EXPECT_THAT(record.key + record.value, Not(HasSubstr("Y2FuYXJ5")));
  }
}

TEST_F(KubeActTest, SendsAKeyOnlyAfterItWasKept) {
  ApplyObject apply = secret();
  apply.keep = {"key.sops.yaml", SecretString("sealed")};
  files_.full = true;
  const Outcome refused = act(apply);
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->progress, Progress::not_sent);
  EXPECT_THAT(refused.error->text, HasSubstr("no space left"));
  EXPECT_EQ(bench_.cluster.applies, 0);
  files_.full = false;
  EXPECT_EQ(act(apply).kind, OutcomeKind::done);
  EXPECT_THAT(files_.written, ::testing::ElementsAre("key.sops.yaml"));
}

TEST_F(KubeActTest, SendsNothingAfterTheRunWasCalledOff) {
  bench_.scope.cancel();
  EXPECT_EQ(act(secret()).error->code, Code::cancelled);
  EXPECT_TRUE(at_once(journal_.read({}))->empty());
  EXPECT_EQ(mutations_, 0);
}

TEST_F(KubeActTest, LeavesTheEndOfAKilledHelmOpen) {
  programs_.dying = "cilium";
  InstallRelease install;
  install.release.name = "cilium";
  install.release.name_space = "kube-system";
  install.release.chart = "charts/cilium";
  EXPECT_EQ(act(install).kind, OutcomeKind::unknown) << "its revision is still pending";
  EXPECT_EQ(at_once(journal_.read({}))->back().outcome, OutcomeKind::unknown);
}

}  // namespace
}  // namespace ichor
