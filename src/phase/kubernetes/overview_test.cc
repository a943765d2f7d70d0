#include "phase/kubernetes/overview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/kubernetes/test_kit.h"

namespace ichor {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// A cluster of one node without CNI, storage and Flux, which the profile does not ask for.
class OverviewTest : public ::testing::Test {
 protected:
  OverviewTest() {
    plan_.gates.csi_phase = 0;
    put_node("False");
  }

  void put_node(const char* ready) {
    KubeObject node{{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", "w1"}}}};
    node["status"]["conditions"] = {{{"type", "Ready"}, {"status", ready}}};
    bench_.cluster.put(std::move(node));
  }
  std::string state_of(const Overview& view, const std::string& name) {
    for (const Layer& layer : view.layers) {
      if (layer.name == name) return layer.state;
    }
    return "?";
  }
  Overview wait(Duration limit) {
    const GateWorld place{bench_.clock, bench_.random, &bench_.cluster, bench_.events, "health"};
    return bench_.run(wait_for_layers(bench_.context(limit), place, plan_, {"w1"}));
  }

  KubeBench bench_;
  KubernetesPlan plan_;
};

TEST_F(OverviewTest, WaitsForALayerByWatchingIt) {
  bench_.after(minutes(2), [this] { put_node("True"); });
  const MonoTime began = bench_.clock.now();
  const Overview view = wait(minutes(10));
  EXPECT_EQ(state_of(view, "kubernetes"), "ok");
  EXPECT_EQ(state_of(view, "cni"), "absent");
  EXPECT_GE(bench_.clock.now() - began, minutes(2));
  EXPECT_LT(bench_.clock.now() - began, minutes(2) + seconds(5));
  // Two looks at everything and one list for the gate, whatever the wait takes.
  EXPECT_LT(bench_.cluster.lists, 60);
}

TEST_F(OverviewTest, KnowsTheCniThatTalosBrings) {
  put_node("True");
  KubeObject flannel{{"apiVersion", "apps/v1"},
                     {"kind", "DaemonSet"},
                     {"metadata", {{"name", "kube-flannel"}, {"namespace", "kube-system"}}}};
  flannel["status"] = {{"desiredNumberScheduled", 1},
                       {"currentNumberScheduled", 1},
                       {"updatedNumberScheduled", 1},
                       {"numberReady", 1},
                       {"numberAvailable", 1}};
  bench_.cluster.put(std::move(flannel));
  EXPECT_EQ(state_of(wait(minutes(1)), "cni"), "ok");
}

TEST_F(OverviewTest, TellsWhatStillWaitsWhenTimeIsUp) {
  const MonoTime began = bench_.clock.now();
  const Overview view = wait(minutes(3));
  EXPECT_EQ(state_of(view, "kubernetes"), "waiting");
  EXPECT_GE(bench_.clock.now() - began, minutes(3));
  EXPECT_LT(bench_.clock.now() - began, minutes(4));
  EXPECT_LT(bench_.cluster.lists, 60);
}

TEST_F(OverviewTest, LooksAtWhatHasNoWatchNowAndThen) {
  put_node("True");
  bench_.cluster.trouble = [](Call call, const KubeRef&) -> std::optional<CallError> {
    if (call != Call::kube_ready) return std::nullopt;
    return CallError{call, Progress::answered, TlsVerdict::fine, Code::unavailable, "etcd failed"};
  };
  bench_.after(minutes(2), [this] { bench_.cluster.trouble = nullptr; });
  EXPECT_EQ(state_of(wait(minutes(10)), "kubernetes"), "ok");
}

}  // namespace
}  // namespace ichor
