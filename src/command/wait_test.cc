#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command/commands.h"
#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WaitTest : public ::testing::Test {
 protected:
  WaitTest() { host_.inputs["admin.conf"] = "a kubeconfig"; }

  Exit wait(WaitRequest request, OutputFormat output = OutputFormat::json) {
    if (request.kubeconfig.empty()) request.kubeconfig = "admin.conf";
    CommonOptions common;
    common.output = output;
    return run(request, common, host_);
  }
  void node(const std::string& name, const char* ready) {
    KubeObject object{{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", name}}}};
    object["status"]["conditions"] = {{{"type", "Ready"}, {"status", ready}}};
    host_.kube_cluster().put(std::move(object));
  }
  static WaitRequest request(const char* what) {
    WaitRequest request;
    request.what = what;
    return request;
  }

  FakeHost host_;
};

TEST_F(WaitTest, NeedsNothingButAKubeconfig) {
  node("a", "True");
  EXPECT_EQ(wait(request("nodes")), Exit::done);
  EXPECT_THAT(host_.display().rows("gate", {"gate"}), ElementsAre("nodes"));
}

TEST_F(WaitTest, NamesEveryUnmetThingWhenTimeIsUp) {
  node("a", "True");
  node("b", "False");
  WaitRequest wanted = request("nodes");
  wanted.timeout = std::chrono::seconds(30);
  EXPECT_EQ(wait(wanted), Exit::out_of_time);
  EXPECT_THAT(host_.display().rows("unmet", {"gate", "object", "fault"}),
              ElementsAre("nodes Node/b K6"));
  ASSERT_EQ(host_.display().summary().result.findings.size(), 1u);
  EXPECT_THAT(host_.display().summary().result.findings[0].what, HasSubstr("Node/b"));
}

TEST_F(WaitTest, ForAnObjectTakesKindsAsKubectlDoes) {
  host_.kube_cluster().put(KubeObject::parse(
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"x"},
          "spec":{"replicas":1},"status":{"replicas":0}})"));
  WaitRequest wanted = request("object");
  wanted.object = "Deployment.v1.apps/web";
  wanted.name_space = "x";
  wanted.timeout = {};
  EXPECT_EQ(wait(wanted), Exit::out_of_time);
  EXPECT_THAT(host_.display().rows("unmet", {"object"}), ElementsAre("Deployment/x/web"));
}

TEST_F(WaitTest, ForDeletionHoldsWhenTheObjectIsGone) {
  WaitRequest wanted = request("object");
  wanted.object = "Deployment.apps/web";
  wanted.condition = "deleted";
  EXPECT_EQ(wait(wanted), Exit::done);
}

TEST_F(WaitTest, ForTheApiSaysWhatIsWrongWithIt) {
  host_.kube_cluster().trouble = [](Call call, const KubeRef&) {
    return CallError{call, Progress::answered, TlsVerdict::fine, Code::unavailable,
                     "[-]etcd failed"};
  };
  WaitRequest wanted = request("api");
  wanted.timeout = std::chrono::seconds(10);
  EXPECT_EQ(wait(wanted), Exit::out_of_time);
  EXPECT_THAT(host_.display().summary().result.findings[0].what, HasSubstr("[-]etcd failed"));
}

TEST_F(WaitTest, RefusesAKubeconfigThatIsNotThere) {
  WaitRequest wanted = request("nodes");
  wanted.kubeconfig = "nowhere.conf";
  EXPECT_EQ(wait(wanted), Exit::usage);
}

}  // namespace
}  // namespace ichor
