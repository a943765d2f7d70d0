#include "phase/kubernetes/dns_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/memory_journal.h"
#include "phase/kubernetes/dns_message.h"
#include "phase/kubernetes/test_kit.h"
#include "phase/kubernetes/test_programs.h"

namespace ichor {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

class NoFiles final : public Artifacts {
 public:
  Result<void> write(const std::string&, const SecretString&) override { return {}; }
  std::optional<SecretString> read(const std::string&) override { return std::nullopt; }
};

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
class DnsGateTest : public ::testing::Test {
 protected:
  DnsGateTest() : store_(bench_.clock), journal_(store_) {
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

  PhaseReport pass(PodPorts* pods) {
    Ledger ledger(bench_.context(), journal_, RunId("run"));
    KubeWorld world{bench_.clock, bench_.random, bench_.cluster, programs_, connect_, ledger,
                    files_,       bench_.events, nullptr,        "/state",  pods};
    KubeActor actor(world);
    PhaseRun run{world, material_, profile_, actor, {}, {}};
    bench_.run(go(bench_.context(seconds(60)), run));
    return std::move(run.report);
  }
  static Task<bool> go(Context context, PhaseRun& run) {
    co_await pass_dns(context, run);
    co_return true;
  }

  KubeBench bench_;
  MemoryStore store_;
  MemoryJournal journal_;
  NoFiles files_;
  PlayedPrograms programs_{bench_.cluster};
  PlayedConnect connect_;
  ClusterProfile profile_;
  KubernetesMaterial material_;
  PlayedDns dns_;
};

TEST_F(DnsGateTest, AsksTheReadyPodsAndTellsWhatWasResolved) {
  const PhaseReport report = pass(&dns_);
  EXPECT_EQ(report.end, StepEnd::passed);
  EXPECT_THAT(dns_.asked, ::testing::ElementsAre("coredns-1"));
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].severity, Severity::note);
  EXPECT_EQ(report.findings[0].what,
            "kubernetes.default.svc.cluster.local resolves to 10.96.0.1, asked in coredns-1");
}

TEST_F(DnsGateTest, NamesAPodThatDoesNotResolve) {
  dns_.code = 2;
  const PhaseReport report = pass(&dns_);
  EXPECT_EQ(report.end, StepEnd::out_of_time);
  EXPECT_GT(dns_.asked.size(), 1u) << "it may come to work";
  ASSERT_EQ(report.unmet.size(), 1u);
  EXPECT_EQ(report.unmet[0].first, "coredns");
  EXPECT_EQ(to_text(report.unmet[0].second),
            "Pod/kube-system/coredns-1: it does not resolve kubernetes.default.svc.cluster.local: "
            "SERVFAIL");
}

TEST_F(DnsGateTest, NamesAnAddressThatIsNotTheServices) {
  dns_.address = std::string("\x0A\x60\0\2", 4);
  const PhaseReport report = pass(&dns_);
  EXPECT_EQ(report.end, StepEnd::out_of_time);
  ASSERT_EQ(report.unmet.size(), 1u);
  EXPECT_THAT(report.unmet[0].second.reason, HasSubstr("10.96.0.2, and the Service has 10.96.0.1"));
}

TEST_F(DnsGateTest, WaitsForAPodThatCannotBeReachedYet) {
  dns_.error = CallError{Call::kube_read, Progress::answered, TlsVerdict::fine, Code::unavailable,
                         "connection refused"};
  bench_.after(seconds(20), [this] { dns_.error.reset(); });
  EXPECT_EQ(pass(&dns_).end, StepEnd::passed);
}

TEST_F(DnsGateTest, SaysThatTheDeploymentMustDoWhereNothingCanBeAsked) {
  dns_.error = CallError{Call::kube_read, Progress::answered, TlsVerdict::fine,
                         Code::permission_denied, "pods is forbidden"};
  for (PodPorts* pods : {static_cast<PodPorts*>(&dns_), static_cast<PodPorts*>(nullptr)}) {
    const PhaseReport report = pass(pods);
    EXPECT_EQ(report.end, StepEnd::passed);
    ASSERT_EQ(report.findings.size(), 1u);
    EXPECT_THAT(report.findings[0].what, HasSubstr("no lookup was made"));
  }
  dns_.asked.clear();
  material_.plan.gates.coredns_lookup = false;
  EXPECT_EQ(pass(&dns_).end, StepEnd::passed);
  EXPECT_TRUE(dns_.asked.empty());
}

}  // namespace
}  // namespace ichor
