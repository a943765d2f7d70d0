#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/kubernetes/dns_message.h"
#include "phase/kubernetes/gate_table.h"
#include "phase/kubernetes/test_kit.h"

namespace ichor {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

/// Pods that answer every question in the same way.
class PlayedDns final : public PodPorts {
 public:
  Task<CallResult<std::string>> exchange(Context, PodPort where, std::string message,
                                         std::function<bool(std::string_view)> whole) override {
    asked.push_back(where.pod);
    if (error) co_return tl::unexpected(*error);
    std::string body = message.substr(2);
    body[2] = static_cast<char>(0x80);
    body[3] = static_cast<char>(code);
    if (code == 0) body[7] = 1;
    // A record whose name points to the question's.
    if (code == 0) body += std::string("\xC0\x0C\0\1\0\1\0\0\0\5\0\4", 12) + address;
    const std::string answer = {static_cast<char>(body.size() >> 8),
                                static_cast<char>(body.size())};
    EXPECT_TRUE(whole(answer + body));
    co_return answer + body;
  }

  std::optional<CallError> error;
  int code{0};
  std::string address{"\x0A\x60\0\1", 4};
  std::vector<std::string> asked;
};

/// CoreDNS with two pods, of which one is ready.
class CorednsGateTest : public ::testing::Test {
 protected:
  CorednsGateTest() {
    bench_.cluster.serve({"", "v1", "Service"}, "services", true);
    bench_.cluster.put(KubeObject::parse(
        R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"kubernetes",
            "namespace":"default"},"spec":{"clusterIP":"10.96.0.1"}})"));
    bench_.cluster.put(KubeObject::parse(
        R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"coredns",
            "namespace":"kube-system"},"spec":{"replicas":1,"selector":{"matchLabels":
            {"k8s-app":"kube-dns"}}},"status":{"replicas":1,"updatedReplicas":1,
            "readyReplicas":1,"availableReplicas":1}})"));
    put_pod("coredns-1", "True", "kube-dns");
    put_pod("coredns-2", "False", "kube-dns");
    put_pod("other", "True", "other");
  }

  void put_pod(const char* name, const char* ready, const char* label) {
    KubeObject pod{{"apiVersion", "v1"}, {"kind", "Pod"}};
    pod["metadata"] = {{"name", name}, {"namespace", "kube-system"}};
    pod["metadata"]["labels"]["k8s-app"] = label;
    pod["status"]["phase"] = "Running";
    pod["status"]["conditions"] = {{{"type", "Ready"}, {"status", ready}}};
    bench_.cluster.put(std::move(pod));
  }

  GateEnd pass(PodPorts* pods) {
    GateWorld place{bench_.clock, bench_.random, &bench_.cluster, bench_.events, "core"};
    place.pods = pods;
    place.profile = &profile_;
    return bench_.run(wait_for(bench_.context(seconds(60)), place, make_gate("coredns", {plan_})));
  }

  KubeBench bench_;
  ClusterProfile profile_;
  KubernetesPlan plan_;
  PlayedDns dns_;
};

TEST_F(CorednsGateTest, AsksTheReadyPodsAndTellsWhatWasResolved) {
  const GateEnd end = pass(&dns_);
  EXPECT_TRUE(end.holds());
  EXPECT_THAT(dns_.asked, ::testing::ElementsAre("coredns-1"));
  ASSERT_EQ(end.notes.size(), 1u);
  EXPECT_EQ(end.notes[0].severity, Severity::note);
  EXPECT_EQ(end.notes[0].what,
            "kubernetes.default.svc.cluster.local resolves to 10.96.0.1, asked in coredns-1");
}

TEST_F(CorednsGateTest, NamesAPodThatDoesNotResolve) {
  dns_.code = 2;
  const GateEnd end = pass(&dns_);
  EXPECT_FALSE(end.holds());
  EXPECT_GT(dns_.asked.size(), 1u) << "it may come to work";
  ASSERT_EQ(end.unmet.size(), 1u);
  EXPECT_EQ(to_text(end.unmet[0]),
            "Pod/kube-system/coredns-1: it does not resolve kubernetes.default.svc.cluster.local: "
            "SERVFAIL");
}

TEST_F(CorednsGateTest, NamesAnAddressThatIsNotTheServices) {
  dns_.address = std::string("\x0A\x60\0\2", 4);
  const GateEnd end = pass(&dns_);
  EXPECT_FALSE(end.holds());
  ASSERT_EQ(end.unmet.size(), 1u);
  EXPECT_THAT(end.unmet[0].reason, HasSubstr("10.96.0.2, and the Service has 10.96.0.1"));
}

TEST_F(CorednsGateTest, WaitsForAPodThatCannotBeReachedYet) {
  dns_.error = CallError{Call::kube_read, Progress::answered, TlsVerdict::fine, Code::unavailable,
                         "connection refused"};
  bench_.after(seconds(20), [this] { dns_.error.reset(); });
  EXPECT_TRUE(pass(&dns_).holds());
}

TEST_F(CorednsGateTest, SaysThatTheDeploymentMustDoWhereNothingCanBeAsked) {
  dns_.error = CallError{Call::kube_read, Progress::answered, TlsVerdict::fine,
                         Code::permission_denied, "pods is forbidden"};
  for (PodPorts* pods : {static_cast<PodPorts*>(&dns_), static_cast<PodPorts*>(nullptr)}) {
    const GateEnd end = pass(pods);
    EXPECT_TRUE(end.holds());
    ASSERT_EQ(end.notes.size(), 1u);
    EXPECT_THAT(end.notes[0].what, HasSubstr("no lookup was made"));
  }
  dns_.asked.clear();
  plan_.gates.coredns_lookup = false;
  EXPECT_TRUE(pass(&dns_).holds());
  EXPECT_TRUE(dns_.asked.empty());
}

}  // namespace
}  // namespace ichor
