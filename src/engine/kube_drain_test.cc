#include "engine/kube_drain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/at_once.h"
#include "phase/kubernetes/json_view.h"
#include "port/test_host.h"
#include "sim/kube/cluster.h"
#include "sim/virtual_clock.h"

namespace ichor {
namespace {

using testing::HasSubstr;

const KubeRef kNode{{"", "v1", "Node"}, "", "w1"};

/// w1 with its pods, through a Kubernetes API that answers at once.
class KubeDrainTest : public testing::Test {
 protected:
  KubeDrainTest() {
    KubeObject node{{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", "w1"}}}};
    node["status"] = {{"conditions", {{{"type", "Ready"}, {"status", "True"}}}},
                      {"nodeInfo", {{"kubeletVersion", "v1.35.2"}}}};
    kube_.put(node, "kubelet");
    kube_.put({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "apps"}}}});
  }
  void pod(const std::string& name, const char* owner, const char* node = "w1",
           const char* phase = "Running") {
    KubeObject made{{"apiVersion", "v1"}, {"kind", "Pod"}};
    made["metadata"] = {{"name", name}, {"namespace", "apps"}, {"labels", {{"app", name}}}};
    made["metadata"]["ownerReferences"] = {{{"kind", owner}, {"controller", true}}};
    made["spec"] = {{"nodeName", node}};
    made["status"] = {{"phase", phase}, {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}};
    kube_.put(std::move(made));
  }
  void budget(const std::string& app, int least) {
    KubeObject made{{"apiVersion", "policy/v1"}, {"kind", "PodDisruptionBudget"}};
    made["metadata"] = {{"name", app}, {"namespace", "apps"}};
    made["spec"] = {{"minAvailable", least}, {"selector", {{"matchLabels", {{"app", app}}}}}};
    kube_.put(std::move(made));
  }
  KubeNodeView look() { return *at_once(drain_.look(context_, NodeName("w1"))); }
  Outcome evict_all() {
    std::vector<PodToEvict> pods;
    for (const PodOnNode& one : look().pods) pods.push_back({one.name_space, one.name, one.uid});
    return at_once(drain_.evict(context_, std::move(pods)));
  }

  sim::VirtualClock clock_;
  CancelScope scope_;
  Context context_{&clock_, &scope_};
  sim::KubeCluster kube_{clock_};
  bool reachable_{true};
  KubeDrain drain_{[this]() -> std::shared_ptr<KubeClient> {
    if (!reachable_) return nullptr;
    return std::make_shared<BorrowedKube>(kube_);
  }};
};

TEST_F(KubeDrainTest, OnlyPodsThatCanMoveAreSeen) {
  pod("web", "ReplicaSet");
  pod("proxy", "DaemonSet");
  pod("static", "Node");
  pod("job", "Job", "w1", "Succeeded");
  pod("elsewhere", "ReplicaSet", "w2");
  const KubeNodeView seen = look();
  ASSERT_EQ(seen.pods.size(), 1u);
  EXPECT_EQ(seen.pods.front().name, "web");
  EXPECT_TRUE(seen.ready);
  EXPECT_EQ(seen.kubelet_version, "v1.35.2");
  EXPECT_FALSE(seen.uid.empty());
}

TEST_F(KubeDrainTest, TheComponentsOfKubernetesAreSeenWithTheirImages) {
  KubeObject made{{"apiVersion", "v1"}, {"kind", "Pod"}};
  made["metadata"] = {{"name", "kube-scheduler-w1"}, {"namespace", "kube-system"}};
  made["metadata"]["ownerReferences"] = {{{"kind", "Node"}, {"controller", true}}};
  const KubeObject container{{"name", "kube-scheduler"}, {"image", "kube-scheduler:v1.36.3"}};
  made["spec"] = {{"nodeName", "w1"}, {"containers", KubeObject::array({container})}};
  kube_.put({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "kube-system"}}}});
  kube_.put(made);
  EXPECT_FALSE(look().components.at("kube-scheduler").ready);
  made["status"] = {{"conditions", {{{"type", "Ready"}, {"status", "True"}}}}};
  kube_.put(made);
  EXPECT_TRUE(look().components.at("kube-scheduler").ready);
  EXPECT_EQ(look().components.at("kube-scheduler").image, "kube-scheduler:v1.36.3");
  EXPECT_TRUE(look().pods.empty()) << "they stay where they are";
}

TEST_F(KubeDrainTest, ABudgetThatAllowsNothingIsNamed) {
  pod("db", "StatefulSet");
  budget("db", 1);
  EXPECT_THAT(look().pods.front().blocked_by, HasSubstr("apps/db (1 of 1 pods are healthy"));
  budget("db", 0);
  EXPECT_EQ(look().pods.front().blocked_by, "");
}

TEST_F(KubeDrainTest, ACordonOfOursIsTakenBackAndThatOfAnotherClientStays) {
  const std::string uid = look().uid;
  EXPECT_EQ(at_once(drain_.cordon(context_, NodeName("w1"), uid)).kind, OutcomeKind::done);
  EXPECT_TRUE(look().cordoned);
  EXPECT_EQ(at_once(drain_.uncordon(context_, NodeName("w1"), uid)).kind, OutcomeKind::done);
  EXPECT_FALSE(look().cordoned);

  KubeObject node = *kube_.find(kNode);
  node["spec"]["unschedulable"] = true;
  kube_.put(std::move(node), "kubectl-cordon");
  at_once(drain_.cordon(context_, NodeName("w1"), uid));
  at_once(drain_.uncordon(context_, NodeName("w1"), uid));
  EXPECT_TRUE(look().cordoned);
}

TEST_F(KubeDrainTest, EveryPodIsAskedAlthoughOneMustStay) {
  pod("db", "StatefulSet");
  pod("web", "ReplicaSet");
  budget("db", 1);
  const Outcome outcome = evict_all();
  EXPECT_EQ(outcome.kind, OutcomeKind::refused);
  EXPECT_EQ(outcome.error->call, Call::evict);
  EXPECT_EQ(outcome.error->code, Code::resource_exhausted);
  EXPECT_EQ(kube_.evictions, 1);
  EXPECT_EQ(kube_.removals, 0) << "a pod is never deleted";
}

TEST_F(KubeDrainTest, APodThatIsGoneNeedsNoEviction) {
  const Outcome outcome =
      at_once(drain_.evict(context_, std::vector<PodToEvict>{{"apps", "gone", "uid"}}));
  EXPECT_EQ(outcome.kind, OutcomeKind::done);
}

TEST_F(KubeDrainTest, WithoutAKubeconfigNothingIsSent) {
  reachable_ = false;
  const auto seen = at_once(drain_.look(context_, NodeName("w1")));
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().progress, Progress::not_sent);
  EXPECT_EQ(at_once(drain_.cordon(context_, NodeName("w1"), "uid")).kind, OutcomeKind::refused);
  reachable_ = true;
  EXPECT_TRUE(at_once(drain_.look(context_, NodeName("w1")))) << "it is asked for again";
}

}  // namespace
}  // namespace ichor
