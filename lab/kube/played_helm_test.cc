#include "lab/kube/played_helm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/kubernetes/json_view.h"
#include "sim/kube/cluster.h"
#include "sim/virtual_clock.h"

namespace ichor {
namespace {

using testing::HasSubstr;

/// A machine that has helmfile and nothing else.
class OnlyHelmfile final : public Processes {
 public:
  std::optional<std::string> find(const std::string& name) override {
    if (name == "helmfile") return "/usr/bin/helmfile";
    return std::nullopt;
  }
  bool is_held(const std::string&) override { return false; }
  Task<Result<ProcessResult>> run(Context, ProcessCall call) override {
    ran = call.program;
    co_return ProcessResult{};
  }
  std::string ran;
};

class PlayedHelmTest : public testing::Test {
 protected:
  ProcessResult run(std::vector<std::string> words, const std::string& input = "{}") {
    ProcessCall call;
    call.program = PlayedHelm::kProgram;
    call.arguments = std::move(words);
    call.input = SecretString(input);
    Task<Result<ProcessResult>> task = helm_.run({&clock_, &scope_}, std::move(call));
    task.start();
    clock_.run_for(std::chrono::seconds(5));
    return *task.take();
  }
  ProcessResult upgrade(const std::string& release, const std::string& version,
                        const std::string& values = "{}") {
    return run({"upgrade", release, "charts/" + release, "--install", "--namespace", "apps",
                "--values", "-", "--create-namespace", "--version", version},
               values);
  }
  std::string get(const std::string& what) {
    return std::string(
        run({"get", what, "web", "--namespace", "apps", "--output", "json"}).output.reveal());
  }
  std::string status_of(int revision) {
    const KubeObject* record = cluster_.find(
        {{"", "v1", "Secret"}, "apps", "sh.helm.release.v1.web.v" + std::to_string(revision)});
    return record ? text_at(*record, {"metadata", "labels", "status"}) : "";
  }

  sim::VirtualClock clock_;
  CancelScope scope_;
  sim::KubeCluster cluster_{clock_};
  KubeClient* open_{&cluster_};
  OnlyHelmfile machine_;
  PlayedHelm helm_{machine_, [this] { return open_; }};
};

TEST_F(PlayedHelmTest, IsThereOnlyWhereHelmIsMissing) {
  EXPECT_EQ(helm_.find("helm"), PlayedHelm::kProgram);
  EXPECT_EQ(helm_.find("/opt/helm"), PlayedHelm::kProgram);
  EXPECT_EQ(helm_.find("helmfile"), "/usr/bin/helmfile");
  EXPECT_EQ(helm_.find("kustomize"), std::nullopt);
  EXPECT_THAT(std::string(run({"version", "--template", "x"}).output.reveal()),
              HasSubstr("played-by-the-lab"));
}

TEST_F(PlayedHelmTest, LeavesOtherProgramsToTheMachine) {
  ProcessCall call;
  call.program = "/usr/bin/helmfile";
  Task<Result<ProcessResult>> task = helm_.run({&clock_, &scope_}, std::move(call));
  task.start();
  EXPECT_EQ(machine_.ran, "/usr/bin/helmfile");
}

TEST_F(PlayedHelmTest, InstallsAReleaseAndRemembersItsVersionAndValues) {
  EXPECT_EQ(upgrade("web", "1.2.3", R"({"replicas":2})").exit, 0);
  EXPECT_TRUE(cluster_.find({{"apps", "v1", "Deployment"}, "apps", "web"}));
  EXPECT_EQ(status_of(1), "deployed");
  EXPECT_THAT(get("metadata"), HasSubstr("\"version\":\"1.2.3\""));
  EXPECT_EQ(get("values"), R"({"replicas":2})");
  EXPECT_EQ(upgrade("web", "1.2.4").exit, 0);
  EXPECT_EQ(status_of(1), "superseded");
  EXPECT_EQ(status_of(2), "deployed");
  EXPECT_THAT(get("metadata"), HasSubstr("\"version\":\"1.2.4\""));
}

TEST_F(PlayedHelmTest, DoesNotInstallOverAPendingRevision) {
  KubeObject record{{"apiVersion", "v1"}, {"kind", "Secret"}};
  record["metadata"] = {{"name", "sh.helm.release.v1.web.v1"}, {"namespace", "apps"}};
  record["metadata"]["labels"] = {
      {"owner", "helm"}, {"name", "web"}, {"version", "1"}, {"status", "pending-install"}};
  cluster_.put(record);
  const ProcessResult refused = upgrade("web", "1.2.3");
  EXPECT_EQ(refused.exit, 1);
  EXPECT_THAT(refused.errors, HasSubstr("another operation"));
}

TEST_F(PlayedHelmTest, FailsWhereAKindIsNotServed) {
  const ProcessResult failed = upgrade("flux-instance", "1.0.0");
  EXPECT_EQ(failed.exit, 1);
  EXPECT_THAT(failed.errors, HasSubstr("FluxInstance"));
  open_ = nullptr;
  EXPECT_THAT(upgrade("web", "1.2.3").errors, HasSubstr("unreachable"));
}

}  // namespace
}  // namespace ichor
