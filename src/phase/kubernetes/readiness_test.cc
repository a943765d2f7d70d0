#include "phase/kubernetes/readiness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::HasSubstr;
using State = Readiness::State;

struct Case {
  const char* story;
  const char* object;
  State state;
  const char* reason;  // part of it
};

void PrintTo(const Case& the, std::ostream* out) { *out << the.story; }

class ReadinessTest : public ::testing::TestWithParam<Case> {};

TEST_P(ReadinessTest, IsJudgedByTheRulesOfItsKind) {
  const Case& the = GetParam();
  const Readiness readiness = readiness_of(KubeObject::parse(the.object));
  EXPECT_EQ(name_of(readiness.state), name_of(the.state)) << readiness.reason;
  EXPECT_THAT(readiness.reason, HasSubstr(the.reason));
  EXPECT_EQ(readiness.reason.empty(), readiness.ready());
}

constexpr Case kWorkloads[] = {
    {"a Deployment with all its replicas",
     R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":2},
         "spec":{"replicas":2},
         "status":{"observedGeneration":2,"replicas":2,"updatedReplicas":2,"readyReplicas":2,
         "availableReplicas":2,"conditions":[{"type":"Available","status":"True"}]}})",
     State::ready, ""},
    {"a Deployment whose controller has not seen the spec",
     R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":3},
         "spec":{"replicas":1},
         "status":{"observedGeneration":2,"replicas":1,"updatedReplicas":1,"readyReplicas":1,
         "availableReplicas":1}})",
     State::in_progress, "generation 2 of 3"},
    {"a Deployment with one replica missing",
     R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":3},
         "status":{"replicas":3,"updatedReplicas":3,"readyReplicas":2,"availableReplicas":2}})",
     State::in_progress, "2 of 3 replicas ready"},
    {"a Deployment with old replicas left",
     R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":1},
         "status":{"replicas":2,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":2}})",
     State::in_progress, "1 old replicas are ending"},
    {"a Deployment that gave up",
     R"({"apiVersion":"apps/v1","kind":"Deployment","status":{"conditions":[{"type":"Progressing",
         "status":"False","reason":"ProgressDeadlineExceeded","message":"timed out"}]}})",
     State::failed, "ProgressDeadlineExceeded"},
    {"a Deployment whose pods are refused",
     R"({"apiVersion":"apps/v1","kind":"Deployment",
         "status":{"conditions":[{"type":"ReplicaFailure",
         "status":"True","reason":"FailedCreate","message":"exceeded quota"}]}})",
     State::in_progress, "exceeded quota"},
    {"a DaemonSet that is not counted yet", R"({"apiVersion":"apps/v1","kind":"DaemonSet"})",
     State::in_progress, "not counted"},
    {"a DaemonSet on two of three nodes",
     R"({"apiVersion":"apps/v1","kind":"DaemonSet","status":{"desiredNumberScheduled":3,
         "currentNumberScheduled":3,"updatedNumberScheduled":3,"numberAvailable":2,
         "numberReady":2}})",
     State::in_progress, "2 of 3 pods available"},
    {"a DaemonSet on all nodes",
     R"({"apiVersion":"apps/v1","kind":"DaemonSet","status":{"desiredNumberScheduled":3,
         "currentNumberScheduled":3,"updatedNumberScheduled":3,"numberAvailable":3,
         "numberReady":3}})",
     State::ready, ""},
    {"a StatefulSet between revisions",
     R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"replicas":1},"status":{"replicas":1,
         "readyReplicas":1,"currentRevision":"a","updateRevision":"b"}})",
     State::in_progress, "old revision"},
    {"a StatefulSet with a partition",
     R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"replicas":3,"updateStrategy":
         {"rollingUpdate":{"partition":2}}},"status":{"replicas":3,"readyReplicas":3,
         "updatedReplicas":1,"currentRevision":"a","updateRevision":"b"}})",
     State::ready, ""},
    {"a Job that runs",
     R"({"apiVersion":"batch/v1","kind":"Job","spec":{"completions":2},"status":{"succeeded":1}})",
     State::in_progress, "1 of 2 completions"},
    {"a Job that failed",
     R"({"apiVersion":"batch/v1","kind":"Job","status":{"conditions":[{"type":"Failed",
         "status":"True",
         "reason":"BackoffLimitExceeded"}]}})",
     State::failed, "BackoffLimitExceeded"},
    {"a Job that is complete",
     R"({"apiVersion":"batch/v1","kind":"Job","status":{"conditions":[{"type":"Complete",
         "status":"True"}]}})",
     State::ready, ""},
};
INSTANTIATE_TEST_SUITE_P(Workloads, ReadinessTest, ::testing::ValuesIn(kWorkloads));

constexpr Case kPods[] = {
    {"a pod that is ready",
     R"({"apiVersion":"v1","kind":"Pod","status":{"phase":"Running","conditions":[{"type":"Ready",
         "status":"True"}]}})",
     State::ready, ""},
    {"a pod that is done", R"({"apiVersion":"v1","kind":"Pod","status":{"phase":"Succeeded"}})",
     State::ready, ""},
    {"a pod that crashes",
     R"({"apiVersion":"v1","kind":"Pod","status":{"phase":"Running",
         "containerStatuses":[{"name":"c",
         "state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 5m0s"}}}]}})",
     State::failed, "container c: CrashLoopBackOff"},
    {"a pod without its image",
     R"({"apiVersion":"v1","kind":"Pod","status":{"phase":"Pending",
         "containerStatuses":[{"name":"c",
         "state":{"waiting":{"reason":"ImagePullBackOff","message":"not found"}}}]}})",
     State::in_progress, "ImagePullBackOff: not found"},
    {"a pod that fits nowhere",
     R"({"apiVersion":"v1","kind":"Pod","status":{"phase":"Pending","conditions":[{"type":
         "PodScheduled","status":"False","reason":"Unschedulable","message":"0/3 nodes"}]}})",
     State::in_progress, "Unschedulable: 0/3 nodes"},
};
INSTANTIATE_TEST_SUITE_P(Pods, ReadinessTest, ::testing::ValuesIn(kPods));

constexpr Case kOthers[] = {
    {"a CRD that is new",
     R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition"})",
     State::in_progress, "not Established yet"},
    {"a CRD whose names are taken",
     R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","status":
         {"conditions":[{"type":"NamesAccepted","status":"False","reason":"PluralConflict"}]}})",
     State::failed, "PluralConflict"},
    {"a CRD that is served",
     R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","status":
         {"conditions":[{"type":"Established","status":"True"}]}})",
     State::ready, ""},
    {"a namespace on its way out",
     R"({"apiVersion":"v1","kind":"Namespace",
         "metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},
         "status":{"phase":"Terminating"}})",
     State::in_progress, "being deleted"},
    {"a namespace", R"({"apiVersion":"v1","kind":"Namespace","status":{"phase":"Active"}})",
     State::ready, ""},
    {"a claim without a volume",
     R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","status":{"phase":"Pending"}})",
     State::in_progress, "Pending, not Bound"},
    {"a node whose kubelet is silent",
     R"({"apiVersion":"v1","kind":"Node","status":{"conditions":[{"type":"Ready","status":"Unknown",
         "reason":"NodeStatusUnknown"}]}})",
     State::in_progress, "NodeStatusUnknown"},
    {"a node that is cordoned",
     R"({"apiVersion":"v1","kind":"Node","spec":{"unschedulable":true},"status":{"conditions":[
         {"type":"Ready","status":"True"}]}})",
     State::in_progress, "cordoned"},
    {"a Kustomization that is not reconciled yet",
     R"({"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":
         {"generation":1}})",
     State::in_progress, "has not said Ready"},
    {"a Kustomization that is Ready for an older spec",
     R"({"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":
         {"generation":2},"status":{"observedGeneration":1,"conditions":[{"type":"Ready",
         "status":"True"}]}})",
     State::in_progress, "generation 1 of 2"},
    {"a Kustomization that fails",
     R"({"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization",
         "status":{"conditions":[
         {"type":"Ready","status":"False","reason":"BuildFailed","message":"no such file"}]}})",
     State::in_progress, "BuildFailed: no such file"},
    {"a HelmRelease that is stalled",
     R"({"apiVersion":"helm.toolkit.fluxcd.io/v2","kind":"HelmRelease","status":{"conditions":[
         {"type":"Stalled","status":"True","reason":"RetriesExceeded"},{"type":"Ready",
         "status":"False","reason":"UpgradeFailed","message":"no such kind"}]}})",
     State::failed, "RetriesExceeded; UpgradeFailed: no such kind"},
    {"a GitRepository that is suspended",
     R"({"apiVersion":"source.toolkit.fluxcd.io/v1","kind":"GitRepository","spec":{"suspend":true},
         "status":{"conditions":[{"type":"Ready","status":"True"}]}})",
     State::failed, "suspended"},
    {"a FluxInstance that is Ready",
     R"({"apiVersion":"fluxcd.controlplane.io/v1","kind":"FluxInstance","metadata":{"generation":1},
         "status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True"}]}})",
     State::ready, ""},
    {"something of no known kind without a status",
     R"({"apiVersion":"example.org/v1","kind":"Thing"})", State::ready, ""},
    {"something of no known kind that says no",
     R"({"apiVersion":"example.org/v1","kind":"Thing","status":{"conditions":[{"type":"Ready",
         "status":"False","reason":"NotToday"}]}})",
     State::in_progress, "NotToday"},
    {"something that is no object at all", R"([1,2])", State::ready, ""},
};
INSTANTIATE_TEST_SUITE_P(Others, ReadinessTest, ::testing::ValuesIn(kOthers));

TEST(Stalled, IsReportedOnceWhereReadySaysTheSame) {
  const KubeObject object = KubeObject::parse(
      R"({"apiVersion":"helm.toolkit.fluxcd.io/v2","kind":"HelmRelease","status":{"conditions":[
          {"type":"Stalled","status":"True","reason":"AccessDenied"},
          {"type":"Ready","status":"False","reason":"AccessDenied"}]}})");
  EXPECT_EQ(readiness_of(object).reason, "AccessDenied");
}

TEST(ConditionHolds, ForTheNamedStatusAtTheCurrentGeneration) {
  const KubeObject object = KubeObject::parse(
      R"({"kind":"Thing","metadata":{"generation":1},"status":{"observedGeneration":1,
          "conditions":[{"type":"Synced","status":"False","reason":"Why"}]}})");
  EXPECT_TRUE(condition_holds(object, "Synced", "False").ready());
  EXPECT_THAT(condition_holds(object, "Synced", "True").reason, HasSubstr("Why"));
  EXPECT_THAT(condition_holds(object, "Other", "True").reason, HasSubstr("not there"));
}

}  // namespace
}  // namespace ichor
