#include "sim/kube/kubernetes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/kubernetes/dns_message.h"
#include "phase/kubernetes/json_view.h"
#include "sim/checkers/kube_history.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

KubeObject node_object(KubeHistory& history, const char* name) {
  return *history.kube.api().find({{"", "v1", "Node"}, "", name});
}

TEST(SimKubernetes, ShowsTheNodesThatTheMachinesAre) {
  KubeHistory history("I32");
  EXPECT_TRUE(history.kube.up());
  EXPECT_EQ(condition_status(node_object(history, "w1"), "Ready"), "True");
  history.node("w1").power_off();
  history.passes(seconds(20));
  EXPECT_EQ(condition_status(node_object(history, "w1"), "Ready"), "True")
      << "its silence is noticed later";
  history.passes(minutes(1));
  EXPECT_EQ(condition_status(node_object(history, "w1"), "Ready"), "Unknown");
  history.node("w1").power_on();
  history.passes(minutes(5));
  EXPECT_EQ(condition_status(node_object(history, "w1"), "Ready"), "True");
}

TEST(SimKubernetes, IsGoneWithItsControlPlanes) {
  KubeHistory history("I32");
  for (const char* name : {"cp1", "cp2", "cp3"}) history.node(name).power_off();
  EXPECT_FALSE(history.kube.up());
}

TEST(SimKubernetes, IssuesACertificateWhenARequestIsApproved) {
  KubeHistory history("I32");
  const KubeRef ref{{"certificates.k8s.io", "v1", "CertificateSigningRequest"}, "", "csr-cp1-1"};
  ASSERT_NE(history.kube.api().find(ref), nullptr);
  EXPECT_FALSE(history.kube.kubelets().serves(0));
  ASSERT_TRUE(history.kube.api().approve(*history.kube.api().find(ref), "ours"));
  history.passes(seconds(2));
  EXPECT_TRUE(history.kube.kubelets().serves(0));
}

TEST(SimKubernetes, RollsAWorkloadAndLosesItsPodsWithTheirNode) {
  KubeHistory history("I32");
  history.is_handed_over();
  const Workloads& workloads = history.kube.workloads();
  const Workloads::Workload* dns = workloads.find("coredns");
  ASSERT_NE(dns, nullptr);
  EXPECT_TRUE(dns->ready.holds());
  history.node("w1").power_off();
  history.passes(minutes(2));
  EXPECT_FALSE(dns->ready.holds());
  const KubeObject* object = history.kube.api().find(dns->ref);
  EXPECT_EQ(number_at(*object, {"status", "readyReplicas"}), 1);
  history.node("w1").power_on();
  history.passes(minutes(5));
  EXPECT_TRUE(dns->ready.holds());
}

TEST(SimKubernetes, CrashesThePodsOfAWorkload) {
  KubeHistory history("I32");
  history.is_handed_over();
  history.kube.workloads().crash("coredns");
  const auto pods = history.kube.api().list({{"", "v1", "Pod"}, "kube-system", "app=coredns", {}});
  ASSERT_EQ(pods->items.size(), 2u);
  EXPECT_THAT(pods->items[0].dump(), testing::HasSubstr("CrashLoopBackOff"));
  EXPECT_FALSE(history.kube.workloads().find("coredns")->ready.holds());
  history.kube.workloads().recover();
  EXPECT_TRUE(history.kube.workloads().find("coredns")->ready.holds());
}

TEST(SimKubernetes, AnswersDnsThroughAKubeletWithACertificate) {
  KubeHistory history("I32");
  history.is_handed_over();
  const Workloads::Workload& dns = *history.kube.workloads().find("coredns");
  const std::string question = dns_question(7, "kubernetes.default.svc.cluster.local", DnsType::a);
  EXPECT_FALSE(history.kube.resolve(dns.pods[0].name, question)) << "its request is not approved";
  for (const char* name : {"cp1", "cp2", "cp3", "w1"}) {
    const KubeRef ref{{"certificates.k8s.io", "v1", "CertificateSigningRequest"},
                      "",
                      std::string("csr-") + name + "-1"};
    ASSERT_TRUE(history.kube.api().approve(*history.kube.api().find(ref), "ours"));
  }
  history.passes(seconds(2));
  const auto answer = history.kube.resolve(dns.pods[0].name, question);
  ASSERT_TRUE(answer);
  const auto read = read_dns_answer(*answer, 7, DnsType::a);
  ASSERT_TRUE(read);
  EXPECT_THAT(read->addresses, testing::ElementsAre("10.96.0.1"));
}

TEST(SimKubernetes, ReconcilesWhenTheSourceCanBeFetched) {
  KubeHistory history("I32");
  history.kube.flux().lock_repository(true);
  history.is_handed_over();
  EXPECT_FALSE(history.kube.flux().ready().holds());
  history.kube.flux().lock_repository(false);
  history.passes(minutes(1));
  EXPECT_TRUE(history.kube.flux().ready().holds());
}

}  // namespace
}  // namespace ichor::sim
