#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/at_once.h"
#include "command/commands.h"
#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kProfile =
    "name: small\n"
    "network: {api_endpoint: 10.0.0.1, node_cidr: 10.0.0.0/24}\n"
    "talos: {version: v1.12.6}\n"
    "nodes: {controlplane: {assignments: [{name: a, ip: 10.0.0.1, disk: /dev/vda}]},\n"
    "        worker: {assignments: [{name: b, ip: 10.0.0.2, disk: /dev/vda}]}}\n";

class PhaseTest : public ::testing::Test {
 protected:
  Exit phase(const std::string& phases, PhaseRequest request) {
    host_.inputs["ichor.yaml"] = kProfile + phases;
    host_.inputs["admin.conf"] = "a kubeconfig";
    request.kubeconfig = "admin.conf";
    CommonOptions common;
    common.output = OutputFormat::json;
    common.state_dir = "state";
    return run(request, common, host_);
  }

  FakeHost host_;
};

TEST_F(PhaseTest, MakesTheNamespacesOfTheTree) {
  host_.inputs["./kubernetes/apps/network/ks.yaml"] = "";
  host_.inputs["./kubernetes/apps/flux-system/ks.yaml"] = "";
  host_.inputs["./kubernetes/apps/README.md"] = "";
  const Exit exit = phase("phases: {namespaces: {tree: kubernetes/apps}}\n", {});
  EXPECT_EQ(exit, Exit::done) << host_.display().summary().result.verdict;
  EXPECT_THAT(host_.display().rows("object", {"object", "change"}),
              ElementsAre("Namespace/flux-system create", "Namespace/network create"));
  EXPECT_EQ(host_.display().summary().result.mutations, 2);
}

TEST_F(PhaseTest, PlansWithoutChangingAnything) {
  PhaseRequest request;
  request.change.dry_run = true;
  request.change.detailed_exitcode = true;
  EXPECT_EQ(phase("phases: {namespaces: {names: [network]}}\n", request), Exit::changes_pending);
  EXPECT_EQ(host_.kube_cluster().applies, 0);
}

TEST_F(PhaseTest, NamesEverySecretThatCannotBeHad) {
  const Exit exit = phase(
      "phases: {secrets: {manifests: [a.sops.yaml], items: [{name: s, namespace: x, files: "
      "{k: b.key}}]}}\n",
      {});
  EXPECT_EQ(exit, Exit::failed);
  const auto& findings = host_.display().summary().result.findings;
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_THAT(findings[0].where, HasSubstr("a.sops.yaml"));
  EXPECT_THAT(findings[1].where, HasSubstr("b.key"));
  EXPECT_EQ(findings[0].id, "K4");
  EXPECT_EQ(host_.kube_cluster().applies, 0);
}

TEST_F(PhaseTest, SaysThatAProgramIsMissing) {
  PhaseRequest request;
  request.phase = UpPart::core;
  const Exit exit =
      phase("phases: {core: {releases: [{name: cilium, chart: oci://host/cilium}]}}\n", request);
  EXPECT_EQ(exit, Exit::findings);
  EXPECT_EQ(host_.display().summary().result.findings[0].id, "L14");
}

TEST_F(PhaseTest, LeavesAJournalWithWhichTheNextUpGoesOn) {
  const std::string phases = "phases: {namespaces: {names: [network]}}\n";
  EXPECT_EQ(phase(phases, {}), Exit::done);
  const auto& records = host_.store().records();
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(records.front().kind, RecordKind::run_started);
  EXPECT_EQ(records.front().key, "small");
  host_.display().summaries.clear();
  CommonOptions common;
  common.state_dir = "state";
  EXPECT_EQ(run(UpRequest{}, common, host_), Exit::out_of_time);  // no machine is there
  for (const Finding& finding : host_.display().summary().result.findings) {
    EXPECT_NE(finding.id, "O1") << finding.what;
  }
}

TEST_F(PhaseTest, DoesNothingWithTheJournalOfAnotherCluster) {
  MemoryJournal journal(host_.store());
  ASSERT_TRUE(at_once(journal.lock({}, {"00000000000000bb", "desk", "boot", 2})));
  JournalRecord started;
  started.kind = RecordKind::run_started;
  started.key = "large";
  CancelScope scope;
  const Context context{&host_.clock(), &scope};
  const auto append = [&]() -> Task<void> { co_await journal.append(context, started); };
  host_.drive(append(), scope);
  journal.unlock();
  EXPECT_EQ(phase("phases: {namespaces: {names: [network]}}\n", {}), Exit::unsafe);
  EXPECT_EQ(host_.display().summary().result.findings.at(0).id, "O1");
  EXPECT_EQ(host_.kube_cluster().applies, 0);
}

TEST_F(PhaseTest, NeedsASectionOfTheProfile) { EXPECT_EQ(phase("", {}), Exit::usage); }

}  // namespace
}  // namespace ichor
