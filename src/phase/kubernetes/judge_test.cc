#include "phase/kubernetes/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/kubernetes/eligibility.h"

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

KubeObject node(const std::string& name, bool ready = true) {
  KubeObject object = KubeObject::parse(R"({"apiVersion":"v1","kind":"Node","spec":{}})");
  object["metadata"]["name"] = name;
  object["metadata"]["labels"]["kubernetes.io/hostname"] = name;
  object["status"]["conditions"] = {{{"type", "Ready"}, {"status", ready ? "True" : "False"}}};
  return object;
}

KubeObject daemon_set(int desired, int there) {
  KubeObject object = KubeObject::parse(
      R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"cilium","namespace":
          "kube-system"},"spec":{"selector":{"matchLabels":{"app":"cilium"}},"template":{"spec":
          {"tolerations":[{"operator":"Exists"}]}}}})");
  object["status"] = {{"desiredNumberScheduled", desired},
                      {"currentNumberScheduled", there},
                      {"updatedNumberScheduled", there},
                      {"numberAvailable", there},
                      {"numberReady", there}};
  return object;
}

KubeObject pod(const std::string& on, bool ready) {
  KubeObject object = KubeObject::parse(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"kube-system","labels":
          {"app":"cilium"}},"status":{"phase":"Running"}})");
  object["metadata"]["name"] = "cilium-" + on;
  object["spec"]["nodeName"] = on;
  object["status"]["conditions"] = {
      {{"type", "Ready"}, {"status", ready ? "True" : "False"}, {"reason", "ContainersNotReady"}}};
  return object;
}

const Workload kCilium{
    {{"apps", "v1", "DaemonSet"}, "kube-system", "cilium"}, "K1", "install Cilium"};

std::vector<std::string> lines(const std::vector<Unmet>& unmet) {
  std::vector<std::string> texts;
  for (const Unmet& one : unmet) texts.push_back(one.fault + " " + to_text(one));
  return texts;
}

TEST(Nodes, MustAllBeThereAndReady) {
  EXPECT_THAT(judge_nodes({node("a"), node("b")}, {"a", "b"}), IsEmpty());
  EXPECT_THAT(lines(judge_nodes({node("a")}, {"a", "b"})),
              ElementsAre("K6 Node/b: it is not registered"));
  EXPECT_THAT(lines(judge_nodes({}, {})), ElementsAre("K6 Node: there is none"));
}

TEST(Nodes, WithoutACniAreNamedSo) {
  KubeObject bare = node("a", false);
  bare["status"]["conditions"][0]["message"] =
      "container runtime network not ready: cni plugin not initialized";
  const auto unmet = judge_nodes({bare}, {"a"});
  ASSERT_EQ(unmet.size(), 1u);
  EXPECT_EQ(unmet[0].fault, "K1");
  EXPECT_THAT(unmet[0].fix, HasSubstr("CNI"));
}

TEST(DaemonSets, MustHaveAPodOnEveryEligibleNode) {
  const SeenObjects nodes{node("a"), node("b")};
  EXPECT_THAT(judge_daemon_set(kCilium, {daemon_set(2, 2)}, nodes, {}), IsEmpty());
  EXPECT_THAT(lines(judge_daemon_set(kCilium, {}, nodes, {})),
              ElementsAre("K1 DaemonSet/kube-system/cilium: it is not there"));
  EXPECT_THAT(lines(judge_daemon_set(kCilium, {daemon_set(2, 1)}, nodes,
                                     {pod("a", true), pod("b", false)})),
              ElementsAre("K1 Node/b: pod cilium-b: ContainersNotReady"));
  EXPECT_THAT(lines(judge_daemon_set(kCilium, {daemon_set(2, 1)}, nodes, {pod("a", true)})),
              ElementsAre("K1 Node/b: no pod of DaemonSet/kube-system/cilium"));
}

TEST(DaemonSets, ThatTheirControllerCountsWrongAreNotBelieved) {
  // The controller has not seen the new node yet, so that all of its counts look well.
  EXPECT_THAT(
      lines(judge_daemon_set(kCilium, {daemon_set(1, 1)}, {node("a"), node("b")}, {})),
      ElementsAre("K1 DaemonSet/kube-system/cilium: it counts 1 nodes, and 2 are eligible"));
}

TEST(DaemonSets, WantNodesBySelectorAffinityAndTaints) {
  KubeObject set = daemon_set(1, 1);
  KubeObject& spec = set["spec"]["template"]["spec"];
  KubeObject tainted = node("a");
  tainted["spec"]["taints"] = {{{"key", "gpu"}, {"value", "yes"}, {"effect", "NoSchedule"}}};
  EXPECT_TRUE(wants_node(set, tainted));
  spec.erase("tolerations");
  EXPECT_FALSE(wants_node(set, tainted));
  EXPECT_TRUE(wants_node(set, node("a")));
  spec["tolerations"] = {{{"key", "gpu"}, {"value", "yes"}}};
  EXPECT_TRUE(wants_node(set, tainted));
  spec["tolerations"][0]["value"] = "no";
  EXPECT_FALSE(wants_node(set, tainted));
  KubeObject not_ready = node("a");
  not_ready["spec"]["taints"] = {
      {{"key", "node.kubernetes.io/not-ready"}, {"effect", "NoSchedule"}}};
  EXPECT_TRUE(wants_node(set, not_ready));
  spec["nodeSelector"]["kubernetes.io/hostname"] = "b";
  EXPECT_FALSE(wants_node(set, node("a")));
  EXPECT_TRUE(wants_node(set, node("b")));
  spec.erase("nodeSelector");
  spec["affinity"] = KubeObject::parse(
      R"({"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
          {"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"NotIn","values":["a"]}]},
          {"matchFields":[{"key":"metadata.name","operator":"In","values":["c"]}]}]}}})");
  EXPECT_FALSE(wants_node(set, node("a")));
  EXPECT_TRUE(wants_node(set, node("b")));
}

TEST(Services, MustRunAndBeHealthy) {
  ServiceStatus kubelet{"kubelet", "Running", true, false, ""};
  ServiceStatus done{"setup", "Finished", false, true, ""};
  EXPECT_THAT(judge_services("w1", {kubelet, done}), IsEmpty());
  kubelet.healthy = false;
  kubelet.last_message = "mount failed";
  EXPECT_THAT(lines(judge_services("w1", {kubelet})),
              ElementsAre("K6 Node/w1: service kubelet is Running and not healthy: mount failed"));
  EXPECT_THAT(lines(judge_services("w1", {done})),
              ElementsAre("K6 Node/w1: there is no service kubelet"));
}

TEST(Selectors, AreWrittenAsQueriesWantThem) {
  const KubeObject selector = KubeObject::parse(
      R"({"matchLabels":{"a":"b"},"matchExpressions":[{"key":"c","operator":"In","values":["d",
         "e"]},
          {"key":"f","operator":"DoesNotExist"}]})");
  EXPECT_EQ(selector_text(selector), "a=b,c in (d,e),!f");
  EXPECT_TRUE(selects(selector, KubeObject::parse(R"({"a":"b","c":"e"})")));
  EXPECT_FALSE(selects(selector, KubeObject::parse(R"({"a":"b","c":"e","f":"x"})")));
}

}  // namespace
}  // namespace ichor
