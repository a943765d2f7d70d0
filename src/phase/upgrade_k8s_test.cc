#include "phase/upgrade_k8s.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/test_upgrade_k8s.h"

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class UpgradeK8sTest : public UpgradeK8sRig {
 protected:
  Decision check() { return KubernetesCheck(upgrade_).decide(wanted(), view_); }
  Decision upgrade(KubeComponent component) {
    const UpgradeComponent step(upgrade_, component);
    return step.decide(wanted(), seen_by(step));
  }
  Decision manifests() { return UpdateProxy(upgrade_).decide(wanted(), view_); }

  /// Follows one component to its end: the nodes in their order.
  std::vector<std::string> follow(KubeComponent component) {
    std::vector<std::string> order;
    for (int i = 0; i < 16; ++i) {
      const Decision decision = upgrade(component);
      if (std::holds_alternative<Satisfied>(decision)) return order;
      EXPECT_TRUE(std::holds_alternative<Act>(decision)) << words_of(decision);
      if (!std::holds_alternative<Act>(decision)) return order;
      order.push_back(std::get<Act>(decision).node_call().node.value());
      takes(decision);
    }
    return order;
  }
};

TEST_F(UpgradeK8sTest, GoesComponentByComponentAndNodeByNode) {
  EXPECT_EQ(words_of(check()), "satisfied");
  EXPECT_EQ(words_of(upgrade(KubeComponent::api_server)), "remember kubernetes ")
      << "from here on `up` must not go back";
  started();
  EXPECT_THAT(follow(KubeComponent::api_server), ElementsAre("cp1", "cp2", "cp3"));
  EXPECT_THAT(follow(KubeComponent::controller_manager), ElementsAre("cp1", "cp2", "cp3"));
  EXPECT_THAT(follow(KubeComponent::scheduler), ElementsAre("cp1", "cp2", "cp3"));
  EXPECT_THAT(follow(KubeComponent::proxy), ElementsAre("cp1", "cp2", "cp3"));
  EXPECT_THAT(follow(KubeComponent::kubelet), ElementsAre("cp1", "cp2", "cp3", "w1", "w2"));
  for (const NodeView& one : view_.nodes) {
    EXPECT_EQ(*one.config, configs_.nodes.at(one.node).canonical)
        << "each node ends with the profile's own config";
  }
}

TEST_F(UpgradeK8sTest, NeverRebootsAndSendsTheProfilesOwnConfigLast) {
  started();
  const Decision first = upgrade(KubeComponent::api_server);
  EXPECT_TRUE(std::get<Act>(first).node_call().no_reboot);
  for (const KubeComponent component : kKubeComponents) {
    if (component != KubeComponent::kubelet) follow(component);
  }
  const Decision last = upgrade(KubeComponent::kubelet);
  EXPECT_EQ(std::get<Act>(last).node_call().payload, configs_.nodes.at(NodeName("cp1")).digest);
}

TEST_F(UpgradeK8sTest, TheNextNodeWaitsForTheOneBefore) {
  started();
  takes(upgrade(KubeComponent::api_server), false);
  const Decision decision = upgrade(KubeComponent::api_server);
  const Wait* wait = std::get_if<Wait>(&decision);
  ASSERT_NE(wait, nullptr) << words_of(decision);
  EXPECT_THAT(wait->reason, HasSubstr("kube-apiserver on cp1"));
  EXPECT_EQ(wait->limit, profile_.budgets.verify) << "no wait is without end";
  node("cp1").kube->components["kube-apiserver"].ready = true;
  EXPECT_EQ(words_of(upgrade(KubeComponent::api_server)), "ApplyConfiguration cp2");
}

TEST_F(UpgradeK8sTest, NoNodeIsTouchedWhileAnApiServerIsAwayElsewhere) {
  started();
  node("cp3").kube->components["kube-apiserver"].ready = false;
  EXPECT_THAT(words_of(upgrade(KubeComponent::api_server)),
              HasSubstr("wait kube-apiserver on cp3"));
  EXPECT_THAT(words_of(upgrade(KubeComponent::scheduler)), HasSubstr("wait kube-apiserver on cp3"));
  EXPECT_THAT(words_of(upgrade(KubeComponent::kubelet)), HasSubstr("wait kube-apiserver on cp3"));
}

TEST_F(UpgradeK8sTest, ALostReplyIsLookedAtBeforeItIsRepeated) {
  started();
  const Decision decision = upgrade(KubeComponent::api_server);
  JournalRecord intent;
  intent.kind = RecordKind::intent;
  intent.call = Call::apply_configuration;
  intent.node = NodeName("cp1");
  intent.seq = 77;
  intent.value = to_hex(std::get<Act>(decision).node_call().payload);
  facts_.fold(intent, now_);
  EXPECT_THAT(words_of(upgrade(KubeComponent::api_server)), HasSubstr("wait cp1 has the changed"));
  now_ += 2 * kSettleTime;
  EXPECT_EQ(words_of(upgrade(KubeComponent::api_server)), "ApplyConfiguration cp1");
}

TEST_F(UpgradeK8sTest, EveryNodePullsItsImagesOnce) {
  const PullKubernetes pull(upgrade_);
  const Decision decision = pull.decide(wanted(), plan_of("cp1"), node("cp1"));
  const NodeCall& call = std::get<Act>(decision).node_call();
  ASSERT_EQ(call.images.size(), 4u) << "kube-proxy is the DaemonSet's to pull";
  EXPECT_TRUE(call.images.front().for_pods);
  EXPECT_FALSE(call.images.back().for_pods) << "the kubelet is no pod";
  const Decision worker = pull.decide(wanted(), plan_of("w1"), node("w1"));
  EXPECT_EQ(std::get<Act>(worker).node_call().images.size(), 1u);
}

TEST_F(UpgradeK8sTest, ANodeThatDiffersInMoreThanTheVersionIsRefused) {
  runs_config("w1", config_of("w1", "v1.35.2", "{v: \"9\"}"));
  EXPECT_EQ(words_of(check()), "stop U12");
  upgrade_.target = {1, 36, 4};
  runs_config("w1", config_of("w1", "v1.35.2"));
  EXPECT_EQ(words_of(check()), "stop U9") << "the configs name another version: a patch pins it";
}

TEST_F(UpgradeK8sTest, ANodeThatKubernetesDoesNotKnowIsNotUpgraded) {
  node("w1").kube.emplace();
  EXPECT_EQ(words_of(check()), "wait the Kubernetes API has no Node w1");
  EXPECT_EQ(words_of(upgrade(KubeComponent::kubelet)), "wait the Kubernetes API has no Node w1");
}

TEST_F(UpgradeK8sTest, ASecondRunChangesNothing) {
  started();
  for (const KubeComponent component : kKubeComponents) follow(component);
  EXPECT_EQ(words_of(check()), "satisfied");
  const PullKubernetes pull(upgrade_);
  EXPECT_EQ(words_of(pull.decide(wanted(), plan_of("cp1"), node("cp1"))), "satisfied");
  for (const KubeComponent component : kKubeComponents) {
    EXPECT_EQ(words_of(upgrade(component)), "satisfied");
  }
}

TEST_F(UpgradeK8sTest, TheProxyIsUpdatedLastAndWaitedFor) {
  EXPECT_EQ(words_of(manifests()), "kube-proxy update cp1");
  view_.kube->proxy_image = "registry.k8s.io/proxy:v1.36.3";
  EXPECT_THAT(words_of(manifests()), HasSubstr("wait kube-proxy on cp1"));
  for (NodeView& one : view_.nodes) one.kube->components["kube-proxy"] = pod("proxy", "v1.36.3");
  EXPECT_EQ(words_of(manifests()), "satisfied");
}

TEST_F(UpgradeK8sTest, AProxyOfHelmOrFluxIsLeftAlone) {
  view_.kube->proxy_owner = "Flux";
  const Decision decision = manifests();
  const Satisfied* satisfied = std::get_if<Satisfied>(&decision);
  ASSERT_NE(satisfied, nullptr);
  ASSERT_EQ(satisfied->notes.size(), 1u);
  EXPECT_EQ(satisfied->notes.front().id, "U14");
  view_.kube->proxy_uid.clear();
  EXPECT_EQ(words_of(manifests()), "satisfied") << "a cluster without kube-proxy";
}

TEST_F(UpgradeK8sTest, SuccessIsRememberedOfWhatWasSeenTogether) {
  started();
  for (const KubeComponent component : kKubeComponents) follow(component);
  const KubernetesUpgraded done(upgrade_);
  for (const NodeView& one : view_.nodes) {
    JournalRecord settled;
    settled.kind = RecordKind::observed;
    settled.key = kSettledKey;
    settled.node = one.node;
    facts_.fold(settled, now_);
  }
  EXPECT_EQ(words_of(done.decide(wanted(), view_)), "remember kubernetes done ");
  node("w2").kube->kubelet_version = "v1.35.2";
  EXPECT_THAT(words_of(done.decide(wanted(), view_)), HasSubstr("wait kubelet on w2"));
}

}  // namespace
}  // namespace ichor
