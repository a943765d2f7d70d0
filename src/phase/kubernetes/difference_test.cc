#include "phase/kubernetes/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Difference, DoesNotCountWhatTheServerWrites) {
  const KubeObject live = KubeObject::parse(
      R"({"kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"1","uid":"u","managedFields":
          [{}]},"data":{"k":"v"},"status":{"x":1}})");
  const KubeObject wanted = KubeObject::parse(
      R"({"kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"2"},"data":{"k":"v"}})");
  EXPECT_THAT(difference(live, wanted), IsEmpty());
}

TEST(Difference, NamesEveryValueThatChanges) {
  const KubeObject live = KubeObject::parse(
      R"({"kind":"Deployment","spec":{"replicas":1,"list":[{"a":1}],"old":true}})");
  const KubeObject wanted = KubeObject::parse(
      R"({"kind":"Deployment","spec":{"replicas":2,"list":[{"a":2}],"new":"x"}})");
  EXPECT_THAT(difference(live, wanted),
              ElementsAre("spec.list[0].a: 1 → 2", "spec.old: true → (none)",
                          "spec.replicas: 1 → 2", "spec.new: (none) → \"x\""));
}

TEST(Difference, NeverShowsASecret) {
  const KubeObject live = KubeObject::parse(R"({"kind":"Secret","data":{"token":"b2xk"}})");
  const KubeObject wanted = KubeObject::parse(R"({"kind":"Secret","data":{"token":"bmV3"}})");
  EXPECT_THAT(difference(live, wanted), ElementsAre("data.token: (a secret value differs)"));
  const KubeObject bare = KubeObject::parse(R"({"kind":"Secret"})");
  for (const std::string& line : difference(bare, wanted)) {
    EXPECT_THAT(line, ::testing::Not(HasSubstr("bmV3")));
  }
}

}  // namespace
}  // namespace ichor
