#include "phase/kubernetes/course.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/kubernetes/core_phase.h"
#include "phase/kubernetes/secrets_phase.h"
#include "phase/kubernetes/validation_phase.h"

namespace ichor {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Phases asked by hand: a view is written down, and the decision read off.
class CourseTest : public ::testing::Test {
 protected:
  CourseTest() {
    material_.namespaces.push_back(object("Namespace", "", "flux-system"));
    material_.secrets.push_back(object("Secret", "flux-system", "sops-age"));
    material_.plan.gates.talos_services = false;
    material_.plan.core.approve_csrs = false;
    profile_.nodes.emplace_back().name = NodeName("w1");
  }

  static KubeObject object(const char* kind, const char* name_space, const char* name) {
    KubeObject result{{"apiVersion", "v1"}, {"kind", kind}};
    result["metadata"]["name"] = name;
    if (*name_space != '\0') result["metadata"]["namespace"] = name_space;
    return result;
  }
  void add_release(const char* name, std::vector<std::string> needs) {
    WantedRelease release;
    release.name = name;
    release.name_space = "kube-system";
    release.needs = std::move(needs);
    material_.releases.push_back(std::move(release));
  }

  KubeWanted wanted() const { return {profile_, material_, facts_, false, now_}; }
  Decision decide(const KubernetesPhase& phase) const { return phase.decide(wanted(), view_); }

  /// What was seen.
  void differs(const KubeObject& wanted, const char* change) {
    Seen<Difference>& seen = view_.differences[&wanted];
    seen.value = Difference{to_text(ref_of(wanted)), change, {}};
    seen.at = now_;
  }
  void holds(const std::string& gate) {
    view_.gates[gate].seen = true;
    view_.gates[gate].held_since = now_ - minutes(5);
  }
  void is_unmet(const std::string& gate, const char* reason) {
    GateState& state = view_.gates[gate];
    state.seen = true;
    state.held_since.reset();
    state.unmet = {{gate, reason, "", "K6", false}};
  }
  void is_deployed(const char* release, const char* status) {
    Seen<DeployedRelease>& seen = view_.releases["Release/kube-system/" + std::string(release)];
    seen.value = DeployedRelease{};
    seen.value->there = *status != '\0';
    seen.value->status = status;
    seen.value->record = {{"", "v1", "Secret"}, "kube-system", std::string("record-") + release};
    seen.first = seen.at = now_;
  }
  void is_not_there(const KubeRef& ref) { view_.objects[ref].value = KubeObject(nullptr); }

  static std::vector<std::string> due(const Decision& decision) {
    std::vector<std::string> keys;
    const Act* act = std::get_if<Act>(&decision);
    if (!act) return keys;
    for (const Action& action : act->actions) {
      keys.push_back(std::string(name_of(call_of(action))) + " " + key_of(action));
    }
    return keys;
  }
  static std::vector<std::string> unmet(const std::vector<Unmet>& list) {
    std::vector<std::string> texts;
    for (const Unmet& one : list) texts.push_back(one.fault + " " + to_text(one));
    return texts;
  }

  ClusterProfile profile_;
  KubernetesMaterial material_;
  JournalFacts facts_;
  KubeView view_;
  MonoTime now_{minutes(10)};
};

TEST_F(CourseTest, LooksAtNamespacesBeforeSecretsAndWaitsUntilItHasSeenThem) {
  const auto reads = SecretsPhase().reads(wanted(), view_);
  ASSERT_EQ(reads.size(), 1u);
  EXPECT_EQ(std::get<ReadDifference>(reads[0]).object, &material_.namespaces[0]);
  const Decision decision = decide(SecretsPhase());
  ASSERT_TRUE(std::holds_alternative<Wait>(decision));
  EXPECT_TRUE(std::get<Wait>(decision).unseen);
  EXPECT_EQ(std::get<Wait>(decision).reason, "") << "a look is nothing to tell";
}

TEST_F(CourseTest, SendsWhatDiffersAndNothingElse) {
  differs(material_.namespaces[0], "create");
  EXPECT_THAT(due(decide(SecretsPhase())), ElementsAre("server-side apply Namespace/flux-system"));
  view_.attempts["Namespace/flux-system"].in_flight = true;
  EXPECT_TRUE(std::holds_alternative<Wait>(decide(SecretsPhase())));
  view_.attempts["Namespace/flux-system"] = {};
  view_.attempts["Namespace/flux-system"].done = true;
  holds("namespaces");
  differs(material_.secrets[0], "none");
  EXPECT_TRUE(std::holds_alternative<Satisfied>(decide(SecretsPhase())));
}

TEST_F(CourseTest, LooksAgainAfterAnApplyThatFailedAndStopsAfterTheLastRetry) {
  differs(material_.namespaces[0], "create");
  Attempt& attempt = view_.attempts["Namespace/flux-system"];
  attempt.failures = 1;
  attempt.turn = 7;
  attempt.error = CallError{Call::kube_apply, Progress::sent, TlsVerdict::fine, Code::unavailable,
                            "connection reset"};
  const auto reads = SecretsPhase().reads(wanted(), view_);
  ASSERT_EQ(reads.size(), 1u);
  EXPECT_EQ(std::get<ReadDifference>(reads[0]).since, 7u);
  EXPECT_THAT(due(decide(SecretsPhase())), IsEmpty()) << "what was seen is older than the failure";
  attempt.over = true;
  const Decision decision = decide(SecretsPhase());
  ASSERT_TRUE(std::holds_alternative<Stop>(decision));
  EXPECT_EQ(std::get<Stop>(decision).end, StepEnd::out_of_time);
  EXPECT_THAT(unmet(std::get<Stop>(decision).unmet),
              ElementsAre("K3 Namespace/flux-system: connection reset"));
}

TEST_F(CourseTest, TakesInAPlanWhatTheRunWouldWaitFor) {
  differs(material_.namespaces[0], "none");
  is_unmet("namespaces", "Terminating");
  const Decision waits = decide(SecretsPhase());
  ASSERT_TRUE(std::holds_alternative<Wait>(waits));
  EXPECT_EQ(std::get<Wait>(waits).reason, "namespaces: namespaces: Terminating");
  view_.assumed.insert("namespaces");
  differs(material_.secrets[0], "create");
  EXPECT_THAT(due(decide(SecretsPhase())),
              ElementsAre("server-side apply Secret/flux-system/sops-age"));
}

TEST_F(CourseTest, StartsAReleaseWhenWhatItNeedsWorks) {
  add_release("cilium", {});
  add_release("dns", {"cilium"});
  add_release("free", {"foreign"});
  is_deployed("cilium", "");
  is_deployed("dns", "");
  is_deployed("free", "");
  EXPECT_THAT(due(decide(CorePhase())), ElementsAre("Helm release Release/kube-system/cilium",
                                                    "Helm release Release/kube-system/free"));
  is_deployed("cilium", "deployed");
  is_deployed("free", "deployed");
  is_unmet("cilium", "1 of 3 ready");
  EXPECT_THAT(due(decide(CorePhase())), IsEmpty());
  holds("cilium");
  EXPECT_THAT(due(decide(CorePhase())), ElementsAre("Helm release Release/kube-system/dns"));
}

TEST_F(CourseTest, InstallsNoMoreAtATimeThanThePlanSays) {
  material_.plan.core.parallel = 1;
  add_release("one", {});
  add_release("two", {});
  is_not_there({{"apps", "v1", "DaemonSet"}, "kube-system", "cilium"});
  is_deployed("one", "");
  is_deployed("two", "");
  EXPECT_THAT(due(decide(CorePhase())), ElementsAre("Helm release Release/kube-system/one"));
  view_.attempts["Release/kube-system/one"].in_flight = true;
  EXPECT_THAT(due(decide(CorePhase())), IsEmpty());
}

TEST_F(CourseTest, TakesAPendingRevisionAwayOnlyIfItIsOursAndItsHelmIsGone) {
  add_release("cilium", {});
  is_deployed("cilium", "pending-install");
  Decision decision = decide(CorePhase());
  ASSERT_TRUE(std::holds_alternative<Stop>(decision)) << "it is not ours";
  EXPECT_EQ(std::get<Stop>(decision).unmet[0].fault, "K5");
  JournalRecord intent;
  intent.kind = RecordKind::intent;
  intent.call = Call::install_release;
  intent.key = "Release/kube-system/cilium";
  intent.seq = 1;
  facts_.fold(intent, now_);
  view_.releases["Release/kube-system/cilium"].value->at_work = true;
  EXPECT_TRUE(std::holds_alternative<Wait>(decide(CorePhase())));
  view_.releases["Release/kube-system/cilium"].value->at_work = false;
  decision = decide(CorePhase());
  EXPECT_THAT(due(decision), ElementsAre("Kubernetes delete Secret/kube-system/record-cilium"));
}

/// Seed 7306 of the whole line: an install of a killed run wrote its objects after the next run had
/// reported the handover.
TEST_F(CourseTest, WaitsForAHelmOfAnEarlierRunThatStillInstalls) {
  add_release("cilium", {});
  is_deployed("cilium", "");
  view_.releases["Release/kube-system/cilium"].value->at_work = true;
  const Decision decision = decide(CorePhase());
  ASSERT_TRUE(std::holds_alternative<Wait>(decision));
  now_ += minutes(30);
  EXPECT_TRUE(std::holds_alternative<Wait>(decide(CorePhase()))) << "for as long as it runs";
  view_.releases["Release/kube-system/cilium"].value->at_work = false;
  EXPECT_THAT(due(decide(CorePhase())), ElementsAre("Helm release Release/kube-system/cilium"));
}

TEST_F(CourseTest, HandsOverOnlyWhatHoldsInOneLook) {
  holds("nodes");
  holds("flux");
  is_unmet("kustomizations", "not ready");
  EXPECT_TRUE(std::holds_alternative<Wait>(decide(ValidationPhase())));
  is_unmet("flux", "broken again");
  holds("kustomizations");
  const Decision decision = decide(ValidationPhase());
  ASSERT_TRUE(std::holds_alternative<Wait>(decision));
  EXPECT_THAT(unmet(std::get<Wait>(decision).unmet), ElementsAre("K6 flux: broken again"));
  view_.gates["flux"] = {};
  holds("flux");
  EXPECT_TRUE(std::holds_alternative<Satisfied>(decide(ValidationPhase())));
  is_unmet("nodes", "Node/w1 is cordoned");
  EXPECT_TRUE(std::holds_alternative<Wait>(decide(ValidationPhase())));
}

TEST_F(CourseTest, AReleaseIsNotJudgedByWhatWasListedBeforeItsInstall) {
  const WantedRelease release = [] {
    WantedRelease made;
    made.name = "coredns";
    return made;
  }();
  const KubeWanted wanted{profile_, material_, facts_, false, now_};
  const auto works = [&](std::uint64_t since) {
    return Course(wanted, view_).works(release, since);
  };
  holds(gate_key(release));
  view_.gates[gate_key(release)].turn = 4;
  EXPECT_TRUE(works(4));
  EXPECT_FALSE(works(5)) << "it was listed before helm had made anything";
}

}  // namespace
}  // namespace ichor
