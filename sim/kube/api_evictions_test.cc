#include <gtest/gtest.h>

#include "phase/kubernetes/json_view.h"
#include "sim/kube/api_server.h"
#include "sim/virtual_clock.h"

namespace ichor::sim {
namespace {

/// Three ready pods of one workload and a budget for them.
class EvictionsTest : public testing::Test {
 protected:
  EvictionsTest() {
    api_.put({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "apps"}}}}, "x");
    for (const char* name : {"web-1", "web-2", "web-3"}) put_pod(name, true);
  }
  void put_pod(const char* name, bool ready) {
    KubeObject pod{{"apiVersion", "v1"}, {"kind", "Pod"}};
    pod["metadata"] = {{"name", name}, {"namespace", "apps"}, {"labels", {{"app", "web"}}}};
    pod["status"]["conditions"] = {{{"type", "Ready"}, {"status", ready ? "True" : "False"}}};
    api_.put(std::move(pod), "x");
  }
  void budget(const char* field, KubeObject value) {
    KubeObject budget{{"apiVersion", "policy/v1"}, {"kind", "PodDisruptionBudget"}};
    budget["metadata"] = {{"name", "web"}, {"namespace", "apps"}};
    budget["spec"] = {{"selector", {{"matchLabels", {{"app", "web"}}}}}};
    budget["spec"][field] = std::move(value);
    api_.put(std::move(budget), "x");
  }
  Code evict(const char* name, const std::string& uid = {}) {
    const auto evicted = api_.evict({{"", "v1", "Pod"}, "apps", name}, uid);
    return evicted ? Code::ok : evicted.error().code;
  }
  std::int64_t allowed() {
    const auto list = api_.list({{"policy", "v1", "PodDisruptionBudget"}, {}, {}, {}});
    return number_at(list->items.front(), {"status", "disruptionsAllowed"}, -1);
  }

  VirtualClock clock_;
  ApiServer api_{clock_};
};

TEST_F(EvictionsTest, WithoutABudgetEveryPodGoes) {
  for (const char* name : {"web-1", "web-2", "web-3"}) EXPECT_EQ(evict(name), Code::ok);
  EXPECT_EQ(evict("web-1"), Code::not_found);
}

TEST_F(EvictionsTest, ABudgetLetsOnlySoManyGo) {
  budget("minAvailable", 2);
  EXPECT_EQ(allowed(), 1);
  EXPECT_EQ(evict("web-1"), Code::ok);
  EXPECT_EQ(allowed(), 0);
  EXPECT_EQ(evict("web-2"), Code::resource_exhausted);
  put_pod("web-4", true);
  EXPECT_EQ(evict("web-2"), Code::ok);
}

TEST_F(EvictionsTest, PodsThatAreNotReadyCountAsAway) {
  budget("maxUnavailable", 1);
  put_pod("web-1", false);
  EXPECT_EQ(evict("web-2"), Code::resource_exhausted);
}

TEST_F(EvictionsTest, AShareIsRoundedUp) {
  budget("minAvailable", "50%");
  EXPECT_EQ(allowed(), 1);
}

TEST_F(EvictionsTest, AnotherPodOfThatNameStays) {
  EXPECT_EQ(evict("web-1", "other"), Code::aborted);
}

}  // namespace
}  // namespace ichor::sim
