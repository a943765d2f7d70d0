#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/at_once.h"
#include "engine/kube_drain.h"
#include "phase/kubernetes/json_view.h"
#include "port/test_host.h"
#include "sim/kube/cluster.h"
#include "sim/virtual_clock.h"

namespace ichor {
namespace {

const KubeKind kFlows{"flowcontrol.apiserver.k8s.io", "v1beta3", "FlowSchema"};

/// What an upgrade of Kubernetes sees of a cluster, through an API that answers at once.
class KubeClusterLookTest : public testing::Test {
 protected:
  void proxy(KubeObject metadata, std::string_view manager = "talos") {
    KubeObject made{{"apiVersion", "apps/v1"}, {"kind", "DaemonSet"}};
    made["metadata"] = std::move(metadata);
    made["metadata"]["name"] = "kube-proxy";
    made["metadata"]["namespace"] = "kube-system";
    KubeObject container{{"name", "kube-proxy"}, {"image", "registry.k8s.io/kube-proxy:v1.35.2"}};
    made["spec"]["template"]["spec"]["containers"] = KubeObject::array({container});
    kube_.put(
        {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "kube-system"}}}});
    kube_.put(std::move(made), manager);
  }
  KubeClusterView look() { return *at_once(drain_.look_at_cluster(context_)); }

  sim::VirtualClock clock_;
  CancelScope scope_;
  Context context_{&clock_, &scope_};
  sim::KubeCluster kube_{clock_};
  KubeDrain drain_{[this] { return std::make_shared<BorrowedKube>(kube_); }};
};

TEST_F(KubeClusterLookTest, AProxyThatTalosMadeIsUpdated) {
  EXPECT_EQ(look().proxy_uid, "") << "a cluster without kube-proxy";
  proxy(KubeObject::object());
  const KubeClusterView seen = look();
  EXPECT_EQ(seen.proxy_image, "registry.k8s.io/kube-proxy:v1.35.2");
  EXPECT_EQ(seen.proxy_owner, "");
  const std::string image = "registry.k8s.io/kube-proxy:v1.36.3";
  EXPECT_EQ(at_once(drain_.update_proxy(context_, image, seen.proxy_uid)).kind, OutcomeKind::done);
  EXPECT_EQ(look().proxy_image, image);
  EXPECT_EQ(look().proxy_owner, "") << "what ichor wrote is its own";
}

TEST_F(KubeClusterLookTest, OwnersAreKnownByTheirMarks) {
  const auto owner = [](const char* text) { return owner_of(KubeObject::parse(text)); };
  EXPECT_EQ(owner(R"({"metadata": {"labels": {"app.kubernetes.io/managed-by": "Helm"}}})"), "Helm");
  EXPECT_EQ(owner(R"({"metadata": {"annotations": {"meta.helm.sh/release-name": "a"}}})"), "Helm");
  EXPECT_EQ(owner(R"({"metadata": {"labels": {"kustomize.toolkit.fluxcd.io/name": "a"}}})"),
            "Flux");
  EXPECT_EQ(owner(R"({"metadata": {"managedFields": [{"manager": "helm"}]}})"), "Helm");
  EXPECT_EQ(owner(R"({"metadata": {"managedFields":
      [{"manager": "argocd-controller", "operation": "Apply"}]}})"),
            "argocd-controller");
  EXPECT_EQ(owner(R"({"metadata": {"labels": {"tier": "node"}, "managedFields": [
      {"manager": "talos", "operation": "Apply"},
      {"manager": "kubectl", "operation": "Update"}]}})"),
            "");
}

TEST_F(KubeClusterLookTest, AnApiVersionInUseIsNamedWithItsWriter) {
  EXPECT_TRUE(look().removed_apis.empty()) << "it is not served";
  kube_.serve(kFlows, "flowschemas", false);
  const auto written = [&](const char* name, const char* manager, const char* version) {
    KubeObject flow{{"apiVersion", "flowcontrol.apiserver.k8s.io/v1beta3"}, {"kind", "FlowSchema"}};
    KubeObject entry{{"manager", manager}, {"operation", "Update"}};
    entry["apiVersion"] = std::string("flowcontrol.apiserver.k8s.io/") + version;
    flow["metadata"] = {{"name", name}, {"managedFields", KubeObject::array({entry})}};
    kube_.put(std::move(flow));
  };
  written("a", "api-priority-and-fairness-config-producer-v1", "v1beta3");
  written("b", "new-operator", "v1");
  EXPECT_TRUE(look().removed_apis.empty()) << "the API server's own, and one of another version";
  written("c", "old-operator", "v1beta3");
  const auto uses = look().removed_apis;
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].removed_in, 32);
  EXPECT_EQ(uses[0].api, "flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema");
  EXPECT_EQ(uses[0].object, "FlowSchema/c");
  EXPECT_EQ(uses[0].by, "old-operator");
}

TEST_F(KubeClusterLookTest, AKindThatGoesIsInUseWithItsFirstObject) {
  const KubeKind kind{"resource.k8s.io", "v1alpha3", "PodSchedulingContext"};
  kube_.serve(kind, "podschedulingcontexts", false);
  EXPECT_TRUE(look().removed_apis.empty());
  kube_.put({{"apiVersion", "resource.k8s.io/v1alpha3"},
             {"kind", kind.kind},
             {"metadata", {{"name", "one"}}}});
  ASSERT_EQ(look().removed_apis.size(), 1u);
  EXPECT_EQ(look().removed_apis[0].by, "") << "there is no other version of it";
}

}  // namespace
}  // namespace ichor
